//! The structure: what is in it, and the calls that change it.

use std::collections::BTreeMap;

use impinge_geometry::Aabb;

use crate::column::{Column, Work};
use crate::cutter::Cutter;
use crate::error::BroadPhaseError;
use crate::grid::{CellRange, Grid};
use crate::lanes;
use crate::lists::Lists;
use crate::margin::Margin;
use crate::pair::{Filter, Pair};
use crate::pair_list::PairList;
use crate::parking::{Parked, Parking};
use crate::plan::Plan;
use crate::row::{Extent, Row};
use crate::settings::BroadPhaseSettings;
use crate::stats::Stats;
use crate::update::Review;

/// The greatest slot that can be used.
pub const MAX_SLOT: u32 = (1 << 26) - 1;

/// Rows are fetched this many boxes ahead of their use.
const AHEAD: usize = 16;

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
    /// By row: the least corner of the box when it was last grown (m); empty without a margin.
    pub(crate) anchors: Vec<[f32; 3]>,
    pub(crate) parked: BTreeMap<u32, Parked>,
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
    pub(crate) list: PairList,
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
            anchors: Vec::new(),
            parked: BTreeMap::new(),
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
            list: PairList::default(),
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

    /// The number of colliders held, parked ones included.
    pub fn len(&self) -> usize {
        self.rows_held() + self.parked.values().filter(|parked| parked.how == Parking::Out).count()
    }

    /// The number of colliders that are not taken out.
    pub(crate) fn rows_held(&self) -> usize {
        self.rows.len() - self.free.len() - self.leaving.len()
    }

    /// Whether no collider is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot holds a collider.
    pub fn contains(&self, slot: u32) -> bool {
        self.row_of(slot).is_ok() || self.parked.contains_key(&slot)
    }

    /// The box of a collider as last set (m); with a margin, the fat box that holds it.
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn aabb(&self, slot: u32) -> Result<Aabb, BroadPhaseError> {
        match self.parked.get(&slot) {
            Some(parked) if parked.how == Parking::Out => Ok(parked.aabb),
            _ => Ok(self.rows[self.row_of(slot)? as usize].new.aabb(self.grid().axes)),
        }
    }

    /// The filter of a collider as last set.
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn filter(&self, slot: u32) -> Result<Filter, BroadPhaseError> {
        match self.parked.get(&slot) {
            Some(parked) => Ok(parked.filter),
            None => Ok(self.filters[self.row_of(slot)? as usize]),
        }
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
        let fresh = batch.len().saturating_sub(self.free.len());
        self.rows.reserve(fresh);
        self.filters.reserve(fresh);
        self.moved.reserve(batch.len());
        self.crossings.reserve(batch.len());
        for &(slot, aabb, filter) in batch {
            let fat = self.settings.margin.filter(|_| !filter.is_static);
            let fat = fat.map_or(aabb, |margin| margin.first(&aabb, slot));
            let new = Extent::new(&fat, self.grid().axes);
            let id = self.enter(slot, new, filter);
            if self.settings.margin.is_some() {
                self.set_anchor(id, aabb.min);
            }
        }
        Ok(())
    }

    /// Takes colliders out. Their pairs end with the next update; their slots are free at once.
    ///
    /// # Errors
    /// A slot that is not in use, or is named twice. Nothing has changed then.
    pub fn remove(&mut self, slots: &[u32]) -> Result<(), BroadPhaseError> {
        for &slot in slots {
            if !self.contains(slot) {
                return Err(BroadPhaseError::UnknownSlot { slot });
            }
        }
        distinct(slots.iter().copied())?;
        for &slot in slots {
            self.parked.remove(&slot);
            let entry = &mut self.slots[slot as usize];
            let id = std::mem::replace(&mut entry.row, NO_ROW);
            entry.removed = self.epoch;
            if id != NO_ROW {
                self.leave(id);
            }
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
        self.set_aabbs(&[(slot, aabb)])
    }

    /// Moves or resizes many boxes (m), as [`BroadPhase::set_aabb`] does one after another.
    ///
    /// # Errors
    /// A slot that is not in use, or a box with NaN or a minimum above its maximum. Nothing has
    /// changed then.
    pub fn set_aabbs(&mut self, batch: &[(u32, Aabb)]) -> Result<(), BroadPhaseError> {
        // Nearly all batches are sound: looked at without a branch, and again where something is wrong.
        let sound = batch.iter().fold(true, |sound, (slot, aabb)| {
            let row = self.slots.get(*slot as usize).map_or(NO_ROW, |entry| entry.row);
            sound & (row != NO_ROW) & is_valid(aabb)
        });
        if !sound {
            for &(slot, aabb) in batch {
                valid(slot, &aabb)?;
                if !self.contains(slot) {
                    return Err(BroadPhaseError::UnknownSlot { slot });
                }
            }
        }
        // The order of the axes is known outside the loop, so that boxes are turned in registers.
        match self.plan.grid.axes[0] {
            0 => self.set_turned::<0>(batch),
            1 => self.set_turned::<1>(batch),
            _ => self.set_turned::<2>(batch),
        }
        Ok(())
    }

    /// Sets boxes where the axis `FIRST` is swept.
    fn set_turned<const FIRST: usize>(&mut self, batch: &[(u32, Aabb)]) {
        match self.settings.margin {
            None => self.set_rows::<FIRST>(batch, |_, _, _| false),
            Some(margin) => self.set_rows::<FIRST>(batch, |this: &mut BroadPhase, id, new| {
                let held = margin.holds(&this.rows[id as usize].new, new);
                if !held {
                    this.grow(id, new);
                }
                true
            }),
        }
    }

    /// Sets the boxes of slots that hold colliders, but for those that `done` deals with.
    #[inline(always)]
    fn set_rows<const FIRST: usize>(
        &mut self,
        batch: &[(u32, Aabb)],
        done: impl Fn(&mut BroadPhase, u32, &Extent) -> bool,
    ) {
        let cutter = Cutter::new(&self.plan.grid);
        for (at, &(slot, aabb)) in batch.iter().enumerate() {
            if let Some(&(slot, _)) = batch.get(at + AHEAD)
                && let Some(row) = self.rows.get(self.slots[slot as usize].row as usize)
            {
                lanes::prefetch(row);
            }
            let id = self.slots[slot as usize].row;
            let new = Extent::turned::<FIRST>(&aabb);
            if id == NO_ROW {
                self.set_parked_box(slot, &aabb);
            } else if !done(self, id, &new) {
                self.put(id, new, &cutter);
            }
        }
    }

    /// Gives a box that left its fat box a new one.
    #[inline(never)]
    fn grow(&mut self, id: u32, new: &Extent) {
        let Some(margin) = self.settings.margin else { return };
        let grid = self.plan.grid;
        let fat = self.grown(id, &new.aabb(grid.axes), &margin);
        self.put(id, Extent::new(&fat, grid.axes), &Cutter::new(&grid));
    }

    /// Sets the box that counts.
    #[inline(always)]
    fn put(&mut self, id: u32, new: Extent, cutter: &Cutter) {
        let row = &mut self.rows[id as usize];
        if row.new.same(&new) {
            return;
        }
        let was_huge = row.cells == CellRange::HUGE;
        let cells = cutter.classify(&new, was_huge);
        if row.stamp >> 1 != self.epoch {
            row.stamp = self.epoch << 1;
            row.old = row.new;
            self.moved.push(id);
        }
        row.new = new;
        if cells != row.cells {
            self.change_cells(id, cells, was_huge);
        }
    }

    /// A new fat box for a box that left its old one; none for one that is static.
    fn grown(&mut self, id: u32, aabb: &Aabb, margin: &Margin) -> Aabb {
        if self.filters[id as usize].is_static {
            return *aabb;
        }
        let anchor = self.anchors[id as usize];
        let fat = margin.along(aabb, std::array::from_fn(|k| aabb.min[k] - anchor[k]));
        self.set_anchor(id, aabb.min);
        fat
    }

    /// Notes where a box was grown.
    fn set_anchor(&mut self, id: u32, corner: [f32; 3]) {
        self.anchors.resize(self.rows.len(), [0.0; 3]);
        self.anchors[id as usize] = corner;
    }

    /// Changes a collider's filter. Pairs that both filters allow persist.
    ///
    /// # Errors
    /// A slot that is not in use.
    pub fn set_filter(&mut self, slot: u32, filter: Filter) -> Result<(), BroadPhaseError> {
        if let Some(parked) = self.parked.get_mut(&slot) {
            parked.filter = filter;
            return Ok(());
        }
        let id = self.row_of(slot)?;
        if self.filters[id as usize] != filter {
            let id = self.renew(id);
            self.filters[id as usize] = filter;
        }
        Ok(())
    }

    /// All pairs, sorted, as of the last update. The list is only made when it is asked for: from the
    /// last one and what changed since, or anew where that is much.
    pub fn pairs(&mut self) -> &[Pair] {
        self.bring_list_up_to_date();
        self.list.pairs()
    }

    fn bring_list_up_to_date(&mut self) {
        if self.list.is_lost() {
            let pairs = self.list_all();
            self.list.replace(pairs);
        }
        self.list.bring_up_to_date(&self.begun, &self.ended);
    }

    /// The list that [`BroadPhase::pairs`] gave last.
    pub fn listed_pairs(&self) -> &[Pair] {
        self.list.pairs()
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
    pub fn persisted(&mut self) -> impl Iterator<Item = Pair> {
        self.bring_list_up_to_date();
        let mut begun = self.begun.iter().copied().peekable();
        self.list.pairs().iter().copied().filter(move |pair| begun.next_if_eq(pair).is_none())
    }

    /// What the last update did.
    pub fn stats(&self) -> Stats {
        Stats { colliders: self.len(), parked: self.parked.len(), ..self.stats }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.plan.grid
    }

    #[inline]
    pub(crate) fn row_of(&self, slot: u32) -> Result<u32, BroadPhaseError> {
        match self.slots.get(slot as usize) {
            Some(entry) if entry.row != NO_ROW => Ok(entry.row),
            _ => Err(BroadPhaseError::UnknownSlot { slot }),
        }
    }

    /// Makes a row that enters with the next update.
    pub(crate) fn enter(&mut self, slot: u32, new: Extent, filter: Filter) -> u32 {
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
        if self.settings.margin.is_some() {
            self.set_anchor(id, new.aabb(self.plan.grid.axes).min);
        }
        id
    }

    /// Lets a row leave with the next update.
    pub(crate) fn leave(&mut self, id: u32) {
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
    pub(crate) fn renew(&mut self, id: u32) -> u32 {
        let row = self.rows[id as usize];
        if row.moved(self.epoch) && row.old.is_none() {
            return id;
        }
        let filter = self.filters[id as usize];
        let anchor = self.anchors.get(id as usize).copied();
        self.leave(id);
        let id = self.enter(row.slot, row.new, filter);
        if let Some(anchor) = anchor {
            self.set_anchor(id, anchor);
        }
        id
    }
}

#[inline]
fn is_valid(aabb: &Aabb) -> bool {
    (0..3).fold(true, |valid, k| valid & (aabb.min[k] <= aabb.max[k]))
}

#[inline]
fn valid(slot: u32, aabb: &Aabb) -> Result<(), BroadPhaseError> {
    if is_valid(aabb) { Ok(()) } else { Err(BroadPhaseError::InvalidAabb { slot, aabb: *aabb }) }
}

/// Whether no slot stands twice.
pub(crate) fn distinct(slots: impl Iterator<Item = u32> + Clone) -> Result<(), BroadPhaseError> {
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
