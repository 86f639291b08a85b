//! The structure: what is in it, and the calls that change it.

use impinge_geometry::Aabb;

use crate::column::{Column, Work};
use crate::error::BroadPhaseError;
use crate::grid::{CellRange, Grid};
use crate::lists::Lists;
use crate::pair::{Filter, Pair};
use crate::plan::Plan;
use crate::row::{Extent, Row};
use crate::settings::BroadPhaseSettings;
use crate::stats::Stats;
use crate::update::Review;

/// The greatest slot that can be used.
pub const MAX_SLOT: u32 = (1 << 26) - 1;

/// No row.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// What is known of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The row of its collider, or [`NO_ROW`].
    pub row: u32,
    /// The epoch in which a collider was last taken out of it.
    pub removed: u32,
}

/// A row whose columns change with the next update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub id: u32,
    /// Where the last update left it.
    pub from: CellRange,
}

/// Boxes in, pairs out: sweep-and-prune in columns, incremental in every part.
///
/// Colliders are named by slots, which the caller gives out. Changes are gathered by
/// [`insert`](BroadPhase::insert), [`remove`](BroadPhase::remove),
/// [`set_aabb`](BroadPhase::set_aabb) and [`set_filter`](BroadPhase::set_filter), take effect with
/// [`update`](BroadPhase::update), and are then read as [`pairs`](BroadPhase::pairs),
/// [`begun`](BroadPhase::begun) and [`ended`](BroadPhase::ended).
///
/// Between two updates only the first and the last state count: a box that is set twice, or a
/// filter that is changed and changed back, leaves no trace. The exception is a collider that is
/// removed: its pairs end, and if its slot is taken again before the update, the pairs of the new
/// collider begin, even where they join the same two slots. Such a pair stands in both lists; who
/// keeps memory per pair should go through `ended` first.
///
/// The output depends on the boxes alone, not on the number of threads or on the order of calls.
///
/// ```
/// use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Filter, Pair};
/// use impinge_geometry::Aabb;
///
/// let cube = |x: f32| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
/// let mut broad_phase = BroadPhase::new(BroadPhaseSettings::default());
/// broad_phase.insert(&[(0, cube(0.0), Filter::default()), (1, cube(0.5), Filter::default())])?;
/// broad_phase.update();
/// assert_eq!(broad_phase.begun(), [Pair::new(0, 1)]);
///
/// broad_phase.set_aabb(1, cube(3.0))?;
/// broad_phase.update();
/// assert_eq!(broad_phase.ended(), [Pair::new(0, 1)]);
/// assert!(broad_phase.pairs().is_empty());
/// # Ok::<(), impinge_broadphase::BroadPhaseError>(())
/// ```
#[derive(Debug)]
pub struct BroadPhase {
    pub(crate) settings: BroadPhaseSettings,
    pub(crate) plan: Plan,
    pub(crate) slots: Vec<Slot>,
    pub(crate) rows: Vec<Row>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) free: Vec<u32>,
    /// Rows to be freed by the next update.
    pub(crate) leaving: Vec<u32>,
    /// The update to come; rows changed since the last carry it in their stamp.
    pub(crate) epoch: u32,
    pub(crate) moved: Vec<u32>,
    pub(crate) crossings: Vec<Crossing>,
    /// The columns of the grid.
    pub(crate) columns: Vec<Column>,
    /// The rows that stand apart.
    pub(crate) huge: Column,
    pub(crate) touched: Vec<bool>,
    pub(crate) entering: Lists,
    pub(crate) dirty: Lists,
    pub(crate) review: Review,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) spare_pairs: Vec<Pair>,
    pub(crate) begun: Vec<Pair>,
    pub(crate) ended: Vec<Pair>,
    pub(crate) work: Work,
    pub(crate) stats: Stats,
}

impl Default for BroadPhase {
    fn default() -> BroadPhase {
        BroadPhase::new(BroadPhaseSettings::default())
    }
}

impl BroadPhase {
    /// An empty structure.
    pub fn new(settings: BroadPhaseSettings) -> BroadPhase {
        BroadPhase {
            settings,
            plan: Plan::EMPTY,
            slots: Vec::new(),
            rows: Vec::new(),
            filters: Vec::new(),
            free: Vec::new(),
            leaving: Vec::new(),
            epoch: 1,
            moved: Vec::new(),
            crossings: Vec::new(),
            columns: vec![Column::default()],
            huge: Column::default(),
            touched: vec![false],
            entering: Lists::default(),
            dirty: Lists::default(),
            review: Review::default(),
            pairs: Vec::new(),
            spare_pairs: Vec::new(),
            begun: Vec::new(),
            ended: Vec::new(),
            work: Work::default(),
            stats: Stats::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &BroadPhaseSettings {
        &self.settings
    }

    /// The number of colliders held.
    pub fn len(&self) -> usize {
        self.rows.len() - self.free.len() - self.leaving.len()
    }

    /// Whether no collider is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot holds a collider.
    pub fn contains(&self, slot: u32) -> bool {
        self.row_of(slot).is_ok()
    }

    /// The box of a collider as last set (m).
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn aabb(&self, slot: u32) -> Result<Aabb, BroadPhaseError> {
        let id = self.row_of(slot)?;
        Ok(self.rows[id as usize].new.aabb(self.grid().axes))
    }

    /// The filter of a collider as last set.
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn filter(&self, slot: u32) -> Result<Filter, BroadPhaseError> {
        Ok(self.filters[self.row_of(slot)? as usize])
    }

    /// Puts colliders into free slots: slot, box (m; bounds may be infinite), filter.
    ///
    /// # Errors
    /// A slot that is in use, too high or named twice, or a box with NaN or a minimum above its
    /// maximum. Nothing has changed then.
    pub fn insert(&mut self, batch: &[(u32, Aabb, Filter)]) -> Result<(), BroadPhaseError> {
        for &(slot, aabb, _) in batch {
            if slot > MAX_SLOT {
                return Err(BroadPhaseError::SlotTooHigh { slot });
            }
            if self.contains(slot) {
                return Err(BroadPhaseError::SlotInUse { slot });
            }
            valid(slot, &aabb)?;
        }
        distinct(batch.iter().map(|entry| entry.0))?;
        let slots = batch.iter().map(|entry| entry.0 as usize + 1).max().unwrap_or(0);
        if slots > self.slots.len() {
            self.slots.resize(slots, Slot { row: NO_ROW, removed: 0 });
        }
        for &(slot, aabb, filter) in batch {
            let new = Extent::new(&aabb, self.grid().axes);
            self.enter(slot, new, filter);
        }
        Ok(())
    }

    /// Takes colliders out. Their pairs end with the next update; their slots are free at once.
    ///
    /// # Errors
    /// A slot that is not in use, or is named twice. Nothing has changed then.
    pub fn remove(&mut self, slots: &[u32]) -> Result<(), BroadPhaseError> {
        for &slot in slots {
            self.row_of(slot)?;
        }
        distinct(slots.iter().copied())?;
        for &slot in slots {
            let entry = &mut self.slots[slot as usize];
            let id = std::mem::replace(&mut entry.row, NO_ROW);
            entry.removed = self.epoch;
            self.leave(id);
        }
        Ok(())
    }

    /// Moves or resizes a collider's box (m).
    ///
    /// # Errors
    /// A slot that is not in use, or a box with NaN or a minimum above its maximum. Nothing has
    /// changed then.
    #[inline]
    pub fn set_aabb(&mut self, slot: u32, aabb: Aabb) -> Result<(), BroadPhaseError> {
        let id = self.row_of(slot)?;
        valid(slot, &aabb)?;
        let new = Extent::new(&aabb, self.plan.grid.axes);
        let row = &mut self.rows[id as usize];
        if row.new.same(&new) {
            return Ok(());
        }
        let was_huge = row.cells == CellRange::HUGE;
        let cells = self.plan.grid.classify(&new, was_huge);
        if row.stamp >> 1 != self.epoch {
            row.stamp = self.epoch << 1;
            row.old = row.new;
            self.moved.push(id);
        }
        row.new = new;
        if cells != row.cells {
            self.change_cells(id, cells, was_huge);
        }
        Ok(())
    }

    /// Changes a collider's filter. Pairs that both filters allow persist.
    ///
    /// # Errors
    /// A slot that is not in use.
    pub fn set_filter(&mut self, slot: u32, filter: Filter) -> Result<(), BroadPhaseError> {
        let id = self.row_of(slot)?;
        if self.filters[id as usize] != filter {
            let id = self.renew(id);
            self.filters[id as usize] = filter;
        }
        Ok(())
    }

    /// All pairs, sorted, as of the last update.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pairs that began with the last update, sorted.
    pub fn begun(&self) -> &[Pair] {
        &self.begun
    }

    /// The pairs that ended with the last update, sorted.
    pub fn ended(&self) -> &[Pair] {
        &self.ended
    }

    /// The pairs of the last update that stood before it too, sorted.
    pub fn persisted(&self) -> impl Iterator<Item = Pair> {
        let mut begun = self.begun.iter().copied().peekable();
        self.pairs.iter().copied().filter(move |pair| begun.next_if_eq(pair).is_none())
    }

    /// Bytes held, room for growth included.
    pub fn memory(&self) -> usize {
        let column =
            |column: &Column| size_of::<Column>() + 4 * column.ids.capacity() + column.settled.memory();
        let pairs = [&self.pairs, &self.spare_pairs, &self.begun, &self.ended];
        self.slots.capacity() * size_of::<Slot>()
            + self.rows.capacity() * size_of::<Row>()
            + self.filters.capacity() * size_of::<Filter>()
            + 4 * (self.free.capacity() + self.leaving.capacity() + self.moved.capacity())
            + self.crossings.capacity() * size_of::<Crossing>()
            + self.columns.iter().map(column).sum::<usize>()
            + column(&self.huge)
            + self.touched.capacity()
            + self.entering.memory()
            + self.dirty.memory()
            + pairs.iter().map(|list| list.capacity() * size_of::<Pair>()).sum::<usize>()
    }

    /// What the last update did.
    pub fn stats(&self) -> Stats {
        Stats { colliders: self.len(), ..self.stats }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.plan.grid
    }

    #[inline]
    fn row_of(&self, slot: u32) -> Result<u32, BroadPhaseError> {
        match self.slots.get(slot as usize) {
            Some(entry) if entry.row != NO_ROW => Ok(entry.row),
            _ => Err(BroadPhaseError::UnknownSlot { slot }),
        }
    }

    /// Makes a row that enters with the next update.
    fn enter(&mut self, slot: u32, new: Extent, filter: Filter) -> u32 {
        let row = Row {
            new,
            old: Extent::NONE,
            cells: self.plan.grid.classify(&new, false),
            stamp: self.epoch << 1 | 1,
            slot,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.rows[id as usize] = row;
                self.filters[id as usize] = filter;
                id
            }
            None => {
                self.rows.push(row);
                self.filters.push(filter);
                (self.rows.len() - 1) as u32
            }
        };
        self.moved.push(id);
        self.crossings.push(Crossing { id, from: CellRange::NOWHERE });
        self.slots[slot as usize].row = id;
        id
    }

    /// Lets a row leave with the next update.
    fn leave(&mut self, id: u32) {
        let row = &mut self.rows[id as usize];
        if !row.moved(self.epoch) {
            row.stamp = self.epoch << 1;
            row.old = row.new;
            self.moved.push(id);
        }
        row.new = Extent::NONE;
        self.leaving.push(id);
        self.list_crossing(id, CellRange::NOWHERE);
    }

    /// Notes that a row's columns change.
    #[inline]
    fn list_crossing(&mut self, id: u32, cells: CellRange) {
        let row = &mut self.rows[id as usize];
        if row.stamp & 1 == 0 {
            row.stamp |= 1;
            self.crossings.push(Crossing { id, from: row.cells });
        }
        row.cells = cells;
    }

    fn change_cells(&mut self, id: u32, cells: CellRange, was_huge: bool) {
        let huge = cells == CellRange::HUGE;
        // A row does not change from the columns to the set of huge boxes: it leaves the one, and
        // another enters the other. What they report together is right again.
        let id = if huge == was_huge { id } else { self.renew(id) };
        self.list_crossing(id, cells);
    }

    /// A row of the same collider that the last update did not know: the given one if that is so,
    /// else a new one, and the given one leaves.
    fn renew(&mut self, id: u32) -> u32 {
        let row = self.rows[id as usize];
        if row.moved(self.epoch) && row.old.is_none() {
            return id;
        }
        let filter = self.filters[id as usize];
        self.leave(id);
        self.enter(row.slot, row.new, filter)
    }
}

#[inline]
fn valid(slot: u32, aabb: &Aabb) -> Result<(), BroadPhaseError> {
    let valid = (0..3).fold(true, |valid, k| valid & (aabb.min[k] <= aabb.max[k]));
    if valid { Ok(()) } else { Err(BroadPhaseError::InvalidAabb { slot, aabb: *aabb }) }
}

/// Whether no slot stands twice.
fn distinct(slots: impl Iterator<Item = u32> + Clone) -> Result<(), BroadPhaseError> {
    if slots.clone().zip(slots.clone().skip(1)).all(|(x, y)| x < y) {
        return Ok(());
    }
    let mut sorted: Vec<u32> = slots.collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(BroadPhaseError::DuplicateSlot { slot: pair[0] }),
        None => Ok(()),
    }
}
