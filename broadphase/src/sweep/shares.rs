//! Distributes the sweeps of one update over threads, and holds their scratch space.

use crate::grid::Grid;
use crate::grid::lists::Lists;
use crate::pairs::events::SortRoom;
use crate::registry::set_share::SetShare;
use crate::sweep::{self, Column, Huge, Place, Scene, Sweep};

/// Shares per thread where there are several threads, for balance.
const SHARES: usize = 4;

/// Scratch space of an update, kept from one to the next so that a warm update allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// One for each share of the columns.
    pub sweeps: Vec<Sweep>,
    /// The huge boxes.
    pub apart: Vec<Huge>,
    /// Proxies that become huge.
    pub to_apart: Vec<u32>,
    /// Proxies and the columns that they are to be sorted into.
    pub members: Vec<(u32, u32)>,
    /// For sorting the pairs that began and those that ended.
    pub sorting: [SortRoom; 2],
    /// For setting boxes, one for each share of them.
    pub set: Vec<SetShare>,
}

impl Room {
    /// Prepares for so many threads.
    pub fn ready(&mut self, threads: usize) {
        let shares = if threads > 1 { SHARES * threads } else { 1 };
        self.sweeps.resize_with(shares.max(self.sweeps.len()), Sweep::default);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.sweeps.iter().map(Sweep::memory).sum::<usize>()
            + self.apart.capacity() * size_of::<Huge>()
            + 4 * self.to_apart.capacity()
            + 8 * self.members.capacity()
            + self.sorting.iter().map(SortRoom::memory).sum::<usize>()
            + self.set.iter().map(SetShare::memory).sum::<usize>()
    }
}

/// Columns to be swept.
pub(crate) struct Shares<'a> {
    pub scene: Scene<'a>,
    pub grid: &'a Grid,
    pub touched: &'a [bool],
    pub entering: &'a Lists,
    /// In a sparse update the proxies that moved, else those that may have been inactive until now.
    pub dirty: &'a Lists,
}

impl Shares<'_> {
    /// Sweeps the columns from index `first` on, in as many shares of about the same work as there are
    /// `sweeps`. Which share a column is in changes nothing but the order of what is found.
    pub fn sweep(&self, columns: &mut [Column], first: usize, sweeps: &mut [Sweep]) {
        if let [sweep] = sweeps {
            for (c, column) in (first..).zip(columns).filter(|(c, _)| self.touched[*c]) {
                self.sweep_one(c, column, sweep);
            }
            return;
        }
        let work = |(c, column): (usize, &Column)| 1 + usize::from(self.touched[c]) * (32 + column.ids.len());
        let all: usize = (first..).zip(&*columns).map(work).sum();
        let mut before = 0;
        let half = (first..).zip(&*columns).take_while(|x| {
            before += work((x.0, x.1));
            2 * before <= all
        });
        let at = half.count();
        let (left, right) = columns.split_at_mut(at);
        let (a, b) = sweeps.split_at_mut(sweeps.len() / 2);
        rayon::join(|| self.sweep(left, first, a), || self.sweep(right, first + at, b));
    }

    fn sweep_one(&self, c: usize, column: &mut Column, sweep: &mut Sweep) {
        let place = Place::Cell(self.grid, self.grid.cell_of(c));
        let dirty = self.dirty.of(c);
        if !(self.scene.sparse && sweep::sweep_sparse(&self.scene, column, dirty, place, sweep)) {
            sweep::sweep(&self.scene, column, place, self.entering.of(c), dirty, sweep);
        }
    }
}
