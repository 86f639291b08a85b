//! The update: from changed boxes to pairs that begin and end.

use crate::broad_phase::{BroadPhase, NO_PROXY};
use crate::grid::CellRange;
use crate::grid::cell_assignment::Crossing;
use crate::pairs::events;
use crate::pairs::pair::Pair;
use crate::sweep::shares::{Room, Shares};
use crate::sweep::{self, Huge, INACTIVE_AFTER, Place, Scene, Work};

/// An update is sparse, and tests only the boxes that moved, where these are fewer than one in this many and
/// most of them were inactive.
const SPARSE: usize = 14;

impl BroadPhase {
    /// Brings pairs, begun and ended up to date. Runs in rayon's current pool; the result does not
    /// depend on its size.
    pub fn update(&mut self) {
        let span = tracing::debug_span!(
            "broadphase",
            colliders = self.len(),
            moved = tracing::field::Empty,
            crossed = tracing::field::Empty,
            shifts = tracing::field::Empty,
            columns = tracing::field::Empty,
            swept = tracing::field::Empty,
            sparse = tracing::field::Empty,
            members = tracing::field::Empty,
            inactive = tracing::field::Empty,
            tests = tracing::field::Empty,
            huge = tracing::field::Empty,
            rebuilds = tracing::field::Empty,
            pairs = tracing::field::Empty,
            begun = tracing::field::Empty,
            ended = tracing::field::Empty,
        );
        let _entered = span.enter();
        self.list.take(&self.begun, &self.ended);
        self.review();
        self.find_changes();
        self.commit();
        let stats = self.stats;
        span.record("moved", stats.moved)
            .record("crossed", stats.crossed)
            .record("shifts", stats.shifts)
            .record("columns", stats.columns)
            .record("swept", stats.swept)
            .record("sparse", stats.sparse)
            .record("members", stats.members)
            .record("inactive", stats.inactive)
            .record("tests", stats.tests)
            .record("huge", stats.huge)
            .record("rebuilds", stats.rebuilds)
            .record("pairs", stats.pairs)
            .record("begun", stats.begun)
            .record("ended", stats.ended);
    }

    /// Sweeps the columns in which anything moved; fills `begun` and `ended`.
    fn find_changes(&mut self) {
        self.cross();
        // Boxes that keep moving are better swept, with the others inactive. Where those that move had just
        // become inactive, deactivating others does not pay.
        let from_rest = 2 * self.aged >= self.moved.len();
        let sparse = SPARSE * self.moved.len() < self.proxies_held() && from_rest;
        self.sparse_before = self.sparse_before << 1 | u8::from(sparse);
        if sparse {
            self.list_dirty();
        } else {
            self.list_woken();
        }
        self.touch();
        let BroadPhase {
            proxies, filters, epoch, plan, columns, huge, room, touched, entering, dirty, ..
        } = self;
        let apart = huge.ids.iter().chain(&room.to_apart);
        room.apart.clear();
        room.apart.extend(apart.map(|&id| Huge::new(&proxies[id as usize], id, *epoch, &plan.grid)));
        room.ready(rayon::current_num_threads());
        let simd = self.settings.simd;
        let scene = Scene {
            proxies,
            filters,
            simd,
            epoch: *epoch,
            sparse: false,
            deactivate: !from_rest,
            huge: &room.apart,
        };
        if room.apart.iter().any(|huge| huge.moved)
            && let Some(sweep) = room.sweeps.first_mut()
        {
            sweep::sweep(&scene, huge, Place::Apart, &room.to_apart, &[], sweep);
        }
        let scene = Scene { sparse, ..scene };
        let shares = Shares { scene, grid: &plan.grid, touched, entering, dirty };
        shares.sweep(columns, 0, &mut room.sweeps);
        self.begun.clear();
        self.ended.clear();
        self.work = Work::default();
        for sweep in &mut room.sweeps {
            take_over(&mut self.begun, &mut sweep.begun);
            take_over(&mut self.ended, &mut sweep.ended);
            self.work.add(&std::mem::take(&mut sweep.work));
        }
    }

    /// Sorts the proxies that moved into the columns that they are in or were in.
    fn list_dirty(&mut self) {
        let grid = &self.plan.grid;
        let members = &mut self.room.members;
        members.clear();
        for &id in &self.moved {
            let proxy = &self.proxies[id as usize];
            // Crossing proxies are added below.
            if proxy.stamp & 1 == 0 {
                members.extend(proxy.cells.cells().map(|cell| (grid.index(cell) as u32, id)));
            }
        }
        for &Crossing { id, from } in &self.crossings {
            let entered = self.proxies[id as usize].cells.cells().filter(|&cell| !from.contains(cell));
            members.extend(from.cells().chain(entered).map(|cell| (grid.index(cell) as u32, id)));
        }
        self.dirty.fill(members, grid.len());
    }

    /// Sorts the proxies that moved, and may have been inactive until now, into the columns that held them.
    fn list_woken(&mut self) {
        let grid = &self.plan.grid;
        let members = &mut self.room.members;
        members.clear();
        for &id in &self.woken {
            let old = &self.proxies[id as usize].old;
            let cells = grid.range(old);
            // A box over more columns is huge.
            if !old.is_none() && cells.len() <= grid.most_cells {
                members.extend(cells.cells().map(|cell| (grid.index(cell) as u32, id)));
            }
        }
        self.dirty.fill(members, grid.len());
    }

    /// Sorts the crossing proxies into the columns that they enter, or into those that become huge.
    fn cross(&mut self) {
        let grid = &self.plan.grid;
        let Room { to_apart, members, .. } = &mut self.room;
        to_apart.clear();
        members.clear();
        for &Crossing { id, from } in &self.crossings {
            let cells = self.proxies[id as usize].cells;
            if cells == CellRange::HUGE && from != CellRange::HUGE {
                to_apart.push(id);
            }
            let entered = cells.cells().filter(|&cell| !from.contains(cell));
            members.extend(entered.map(|cell| (grid.index(cell) as u32, id)));
            for cell in from.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
        self.entering.fill(members, grid.len());
    }

    /// Marks the columns that must be swept: those of every proxy that moved.
    fn touch(&mut self) {
        let grid = self.plan.grid;
        // Columns whose members are all inactive are skipped, however much moves elsewhere.
        if 10 * self.moved.len() > 9 * self.proxies.len() {
            self.touched.fill(true);
            return;
        }
        for &id in &self.moved {
            let proxy = &self.proxies[id as usize];
            let cells = if proxy.cells == CellRange::HUGE {
                Huge::new(proxy, id, self.epoch, &grid).over
            } else {
                proxy.cells
            };
            for cell in cells.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
        // Whether a proxy that leaves was huge is known from where it was: its box need not be large,
        // because a rebuilt grid keeps those huge that were huge before.
        for &Crossing { id, .. } in self.crossings.iter().filter(|crossing| crossing.from == CellRange::HUGE)
        {
            for cell in Huge::new(&self.proxies[id as usize], id, self.epoch, &grid).over.cells() {
                self.touched[grid.index(cell)] = true;
            }
        }
    }

    /// Ends the update: the new state becomes the old one.
    fn commit(&mut self) {
        let BroadPhase { begun, ended, room: Room { sorting: [x, y], .. }, .. } = self;
        rayon::join(|| events::sort_unique(begun, x), || events::sort_unique(ended, y));
        let (slots, epoch) = (&self.slots, self.epoch);
        let removed = |slot: u32| slots[slot as usize].removed == epoch;
        events::cancel(&mut self.begun, &mut self.ended, |pair| removed(pair.a) || removed(pair.b));
        self.list.count_changes(&self.begun, &self.ended);
        self.stats.moved = self.moved.len();
        self.stats.crossed = self.crossings.len();
        for id in self.leaving.drain(..) {
            self.proxies[id as usize].slot = NO_PROXY;
            self.free.push(id);
        }
        self.moved.clear();
        self.woken.clear();
        self.aged = 0;
        self.crossings.clear();
        self.touched.fill(false);
        self.next_epoch();
        self.stats.shifts = self.work.shifts;
        self.stats.columns = self.columns.len();
        self.stats.swept = self.work.columns;
        self.stats.sparse = self.work.sparse;
        self.stats.members = self.work.members;
        self.stats.inactive = self.work.inactive;
        self.stats.tests = self.work.tests;
        self.stats.huge = self.huge.ids.len();
        self.stats.pairs = self.list.count();
        self.stats.begun = self.begun.len();
        self.stats.ended = self.ended.len();
    }

    fn next_epoch(&mut self) {
        self.epoch += 1;
        if self.epoch >= u32::MAX >> 1 {
            // Once in two billion updates the stamps are reset, all of them to an old one.
            self.epoch = INACTIVE_AFTER + 1;
            self.proxies.iter_mut().for_each(|proxy| proxy.stamp = 0);
            self.slots.iter_mut().for_each(|slot| slot.removed = 0);
        }
    }
}

/// Appends, or takes over the whole buffer where the destination is empty.
fn take_over(to: &mut Vec<Pair>, from: &mut Vec<Pair>) {
    if to.capacity() == 0 {
        std::mem::swap(to, from);
    } else {
        to.append(from);
    }
}
