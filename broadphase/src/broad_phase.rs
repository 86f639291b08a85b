//! The broad phase's data, and access to it.

use std::collections::BTreeMap;

use impinge_geometry::Aabb;

use crate::error::BroadPhaseError;
use crate::grid::Grid;
use crate::grid::cell_assignment::Crossing;
use crate::grid::layout::Review;
use crate::grid::lists::Lists;
use crate::grid::plan::Plan;
use crate::pairs::pair::{Filter, Pair};
use crate::pairs::pair_list::PairList;
use crate::registry::disable::{Disabled, Disabling};
use crate::registry::proxy::Proxy;
use crate::settings::BroadPhaseSettings;
use crate::stats::Stats;
use crate::sweep::shares::Room;
use crate::sweep::{Column, Work};

/// The greatest slot that can be used.
pub const MAX_SLOT: u32 = (1 << 26) - 1;

/// No proxy.
pub(crate) const NO_PROXY: u32 = u32::MAX;

/// A collider's slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The proxy of its collider, or [`NO_PROXY`].
    pub proxy: u32,
    /// The epoch in which a collider was last taken out of it.
    pub removed: u32,
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
/// collider begin, even where they join the same two slots. Such a pair stands in both lists: code
/// that keeps data per pair should process `ended` first.
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
    pub(crate) proxies: Vec<Proxy>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) free: Vec<u32>,
    /// By proxy: the least corner of the box when it was last grown (m); empty without a margin.
    pub(crate) anchors: Vec<[f32; 3]>,
    /// By slot: the expected motion of a collider in a step (m).
    pub(crate) motions: BTreeMap<u32, [f32; 3]>,
    pub(crate) disabled: BTreeMap<u32, Disabled>,
    /// Proxies to be freed by the next update.
    pub(crate) leaving: Vec<u32>,
    /// The number of the next update; proxies changed since the last one have it in their stamp.
    pub(crate) epoch: u32,
    pub(crate) moved: Vec<u32>,
    /// Those of `moved` that may be inactive in their columns.
    pub(crate) woken: Vec<u32>,
    /// The number of those that had not moved for as long as it takes to become inactive.
    pub(crate) aged: usize,
    /// Whether the last updates were sparse, a bit each, the last one lowest.
    pub(crate) sparse_before: u8,
    pub(crate) crossings: Vec<Crossing>,
    /// The columns of the grid.
    pub(crate) columns: Vec<Column>,
    /// The huge proxies, which are in no column of the grid.
    pub(crate) huge: Column,
    pub(crate) touched: Vec<bool>,
    pub(crate) entering: Lists,
    pub(crate) dirty: Lists,
    pub(crate) review: Review,
    pub(crate) list: PairList,
    pub(crate) begun: Vec<Pair>,
    pub(crate) ended: Vec<Pair>,
    pub(crate) work: Work,
    pub(crate) room: Room,
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
            proxies: Vec::new(),
            filters: Vec::new(),
            free: Vec::new(),
            anchors: Vec::new(),
            motions: BTreeMap::new(),
            disabled: BTreeMap::new(),
            leaving: Vec::new(),
            epoch: 1,
            moved: Vec::new(),
            woken: Vec::new(),
            aged: 0,
            sparse_before: 0,
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
            room: Room::default(),
            stats: Stats::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &BroadPhaseSettings {
        &self.settings
    }

    /// The number of colliders held, disabled ones included.
    pub fn len(&self) -> usize {
        self.proxies_held()
            + self.disabled.values().filter(|disabled| disabled.how == Disabling::Removed).count()
    }

    /// The number of colliders that are not taken out.
    pub(crate) fn proxies_held(&self) -> usize {
        self.proxies.len() - self.free.len() - self.leaving.len()
    }

    /// Whether no collider is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot holds a collider.
    pub fn contains(&self, slot: u32) -> bool {
        self.proxy_of(slot).is_ok() || self.disabled.contains_key(&slot)
    }

    /// The box of a collider as last set (m); with a margin, the fat box that holds it.
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn aabb(&self, slot: u32) -> Result<Aabb, BroadPhaseError> {
        match self.disabled.get(&slot) {
            Some(disabled) if disabled.how == Disabling::Removed => Ok(disabled.aabb),
            _ => Ok(self.proxies[self.proxy_of(slot)? as usize].new.aabb(self.grid().axes)),
        }
    }

    /// The filter of a collider as last set.
    ///
    /// # Errors
    /// [`BroadPhaseError::UnknownSlot`].
    pub fn filter(&self, slot: u32) -> Result<Filter, BroadPhaseError> {
        match self.disabled.get(&slot) {
            Some(disabled) => Ok(disabled.filter),
            None => Ok(self.filters[self.proxy_of(slot)? as usize]),
        }
    }

    /// All pairs, sorted, as of the last update. The list is only updated when it is asked for, and
    /// rebuilt where too much has changed since.
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

    /// The list that [`BroadPhase::pairs`] returned last.
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

    /// The pairs of the last update that existed before it, sorted.
    pub fn persisted(&mut self) -> impl Iterator<Item = Pair> {
        self.bring_list_up_to_date();
        let mut begun = self.begun.iter().copied().peekable();
        self.list.pairs().iter().copied().filter(move |pair| begun.next_if_eq(pair).is_none())
    }

    /// Counters of the last update.
    pub fn stats(&self) -> Stats {
        Stats { colliders: self.len(), disabled: self.disabled.len(), ..self.stats }
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.plan.grid
    }

    #[inline]
    pub(crate) fn proxy_of(&self, slot: u32) -> Result<u32, BroadPhaseError> {
        match self.slots.get(slot as usize) {
            Some(entry) if entry.proxy != NO_PROXY => Ok(entry.proxy),
            _ => Err(BroadPhaseError::UnknownSlot { slot }),
        }
    }
}
