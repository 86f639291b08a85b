//! One column: its members in the order of their minima along the sweep axis, and the sweep.
//!
//! The order is kept from step to step and repaired by insertion, which coherence makes nearly
//! free. The sweep does not list the pairs that overlap. A member is represented by the hull of its old and
//! its new box, and by how far its bounds moved. Two members whose hulls overlap by more than both moved
//! overlapped before and still do; what is left is a thin shell of pairs that may have changed, and only
//! these are tested in both states. So the pairs that persist, which are nearly all, cost no branch and no
//! memory, and filters are evaluated for changes only.
//!
//! Members that do not move are kept apart (`inactive`). Where only a few moved that had been inactive, only
//! these are tested (`sparse`), against a copy of the column; all other columns are swept (`dense`).
//!
//! Sources: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE", 1995 (sweep and prune with coherence);
//! Tracy, Buss, Woods, "Efficient large-scale sweep and prune methods with AABB insertion and
//! removal", 2009 (segmented intervals). Ours differs in that changes are found by comparing two
//! states and not by counting swaps.

mod cached;
mod dense;
mod gather;
mod inactive;
pub(crate) mod lanes;
mod place;
pub(crate) mod shares;
mod sparse;
mod work;

use impinge_geometry::SimdLevel;

use crate::grid::{CellRange, Grid};
use crate::pairs::pair::{Filter, Pair};
use crate::registry::proxy::Proxy;
use lanes::{Block, Change, Coarse, Hit, Hull, Squares, States};

pub(crate) use cached::CachedBoxes;
pub(crate) use dense::sweep;
pub(crate) use inactive::{INACTIVE_AFTER, Inactive};
pub(crate) use place::Place;
pub(crate) use sparse::sweep_sparse;
pub(crate) use work::Work;

/// A column between updates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// Its active proxies, nearly sorted by least bound along the sweep axis, then id; exactly sorted while
    /// `cached` is up to date.
    pub ids: Vec<u32>,
    /// Their boxes in the same order, if a query needed them.
    pub cached: CachedBoxes,
    /// The least bound of each block along the sweep axis in the last dense sweep; empty if unknown.
    pub first: Vec<f32>,
    /// Blocks tested per block when the members were last sorted.
    pub spread: f32,
    /// Whether so much changes that both states are tested exactly, and not their hulls.
    pub exact: bool,
    /// Its other proxies, which have not moved for some time.
    pub inactive: Inactive,
}

impl Column {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        size_of::<Column>()
            + 4 * (self.ids.capacity() + self.first.capacity() + self.inactive.ids.capacity())
            + self.cached.memory()
            + self.inactive.boxes.memory()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.ids.len() + self.inactive.len()
    }

    /// Active and inactive members with their boxes as of the last update; those of the active ones must be
    /// cached.
    pub fn parts(&self) -> [(&[u32], &CachedBoxes); 2] {
        [(&self.ids, &self.cached), (&self.inactive.ids, &self.inactive.boxes)]
    }

    /// Notes that the active proxies are not those of the last sweep any more.
    fn loosen(&mut self) {
        self.cached.forget();
        self.first.clear();
        self.spread = 0.0;
    }

    /// Copies the boxes as of the last update, unless there is a copy.
    pub fn cache(&mut self, proxies: &[Proxy], epoch: u32) {
        if !self.cached.is_known() {
            self.cached.fill(self.ids.iter().map(|&id| *proxies[id as usize].reported(epoch)));
            sparse::repair(&mut self.ids, &mut self.cached);
            // The order of the members may have changed.
            self.first.clear();
        }
    }
}

/// What the sweeps of one update share.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub proxies: &'a [Proxy],
    pub filters: &'a [Filter],
    pub simd: SimdLevel,
    /// The epoch of this update; proxies stamped with it have changed.
    pub epoch: u32,
    /// Few boxes moved, and most of these had been inactive: all members should become inactive.
    pub sparse: bool,
    /// Boxes that move also moved before: members that have not moved for some time may be deactivated.
    pub deactivate: bool,
    /// The huge boxes.
    pub huge: &'a [Huge],
}

/// A huge box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Huge {
    pub id: u32,
    pub change: Change,
    /// Its hull in the sweep.
    pub hull: Hull,
    pub moved: bool,
    /// The columns that it is over or was over.
    pub over: CellRange,
}

impl Huge {
    pub fn new(proxy: &Proxy, id: u32, epoch: u32, grid: &Grid) -> Huge {
        let change = change(proxy, epoch);
        let hull = Hull::apart(&change.new, &change.old);
        Huge { id, change, hull, moved: proxy.moved(epoch), over: grid.range(&hull.extent) }
    }
}

/// Scratch space of one sweep, and the results of the sweeps of one thread; changes may be repeated, in any
/// order.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    keys: Vec<u64>,
    places: Vec<u32>,
    moved: Vec<u32>,
    /// Proxies that become active: they were inactive until now, or enter the column.
    woken: Vec<u32>,
    blocks: Vec<Block>,
    /// The same in 16-bit integers; empty where the column is not suited to them.
    coarse: Vec<Coarse>,
    /// The same in both states, where these are tested.
    states: Vec<States>,
    /// Per block: the lanes whose members leave the column with this step.
    leaving: Vec<u8>,
    /// Per block: the lanes whose members moved.
    moving: Vec<u8>,
    /// The number of members that moved.
    moved_count: usize,
    /// Per block: the greatest bounds along the sweep axis of its first and its second four members.
    tips: Vec<[f32; 2]>,
    /// Per block: the greatest bound along the sweep axis of all members so far.
    reach: Vec<f32>,
    /// Per block: the least bound along the sweep axis of all members from here on.
    first: Vec<f32>,
    /// Per block: the end of the blocks that its first and its second four members may overlap.
    ends: Vec<[u32; 2]>,
    squares: Squares,
    hits: Vec<Hit>,
    /// Pairs of proxies whose overlap began (true) or ended, before filters.
    changed: Vec<(u32, u32, bool)>,
    pub begun: Vec<Pair>,
    pub ended: Vec<Pair>,
    pub work: Work,
}

/// The box of a proxy in both states.
#[inline]
pub(crate) fn change(proxy: &Proxy, epoch: u32) -> Change {
    Change { new: proxy.new, old: *proxy.reported(epoch) }
}

/// Tests the huge boxes over this column of the grid against the members `ids` gathered in the sweep.
pub(crate) fn against_huge(scene: &Scene<'_>, place: Place<'_>, ids: &[u32], sweep: &mut Sweep) {
    let Place::Cell(_, cell) = place else { return };
    let Sweep { blocks, first, reach, moved_count, hits, changed, work, .. } = sweep;
    for huge in scene.huge {
        if !(*moved_count > 0 || huge.moved) || !huge.over.contains(cell) {
            continue;
        }
        let (start, end) = block_range(first, reach, &huge.change);
        lanes::probe_blocks(scene.simd, &huge.hull, huge.id, &blocks[start..end], start as u32, hits);
        work.tests += ((end - start) * lanes::LANES) as u64;
    }
    for hit in hits.drain(..) {
        hit.places().for_each(|j| put(changed, scene, place, hit.probe, ids[j]));
    }
}

/// The blocks that a box may overlap, in either state.
fn block_range(first: &[f32], reach: &[f32], change: &Change) -> (usize, usize) {
    let (min, max) = change.sweep();
    let start = reach.partition_point(|&x| x < min);
    let end = first.partition_point(|&x| x <= max);
    (start, end.max(start))
}

impl Sweep {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        8 * (self.keys.capacity() + self.tips.capacity() + self.ends.capacity())
            + 4 * (self.places.capacity() + self.moved.capacity() + self.woken.capacity())
            + self.blocks.capacity() * size_of::<Block>()
            + self.coarse.capacity() * size_of::<Coarse>()
            + self.states.capacity() * size_of::<States>()
            + self.leaving.capacity()
            + self.moving.capacity()
            + 4 * (self.reach.capacity() + self.first.capacity())
            + self.squares.memory()
            + self.hits.capacity() * size_of::<Hit>()
            + self.changed.capacity() * size_of::<(u32, u32, bool)>()
            + (self.begun.capacity() + self.ended.capacity()) * size_of::<Pair>()
    }

    /// Sends the changes that filters allow to where they are reported.
    fn report(&mut self, scene: &Scene<'_>) {
        for (x, y, is) in self.changed.drain(..) {
            if scene.filters[x as usize].allows(&scene.filters[y as usize]) {
                let pair = Pair::new(scene.proxies[x as usize].slot, scene.proxies[y as usize].slot);
                if is { self.begun.push(pair) } else { self.ended.push(pair) }
            }
        }
    }
}

/// Notes a change between two proxies, if there is one and this column is the one to report it: that which
/// holds the greater of the two lower corners, in the state in which they overlap.
#[inline]
fn put(changed: &mut Vec<(u32, u32, bool)>, scene: &Scene<'_>, place: Place<'_>, x: u32, y: u32) {
    let (proxy_x, proxy_y) = (&scene.proxies[x as usize], &scene.proxies[y as usize]);
    let was = proxy_x.reported(scene.epoch).overlaps(proxy_y.reported(scene.epoch));
    let is = proxy_x.new.overlaps(&proxy_y.new);
    if was != is && place.reports(scene.epoch, proxy_x, proxy_y, is) {
        // The filters are read when the column is done; by then they are in the cache.
        lanes::prefetch(&scene.filters[x as usize]);
        lanes::prefetch(&scene.filters[y as usize]);
        changed.push((x, y, is));
    }
}
