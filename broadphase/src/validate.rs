//! Invariants between two updates.

use crate::broad_phase::{BroadPhase, NO_PROXY};
use crate::grid::CellRange;
use crate::pairs::pair::Pair;
use crate::registry::proxy::Proxy;
use crate::sweep::{CachedBoxes, Column};

/// An invariant that does not hold: a fault of this crate, never of its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A slot names a proxy that belongs to another slot, or two proxies belong to one slot.
    #[error("slot {slot} and its proxy do not name each other")]
    Slot {
        /// The slot.
        slot: u32,
    },
    /// A collider is missing from a column that its box meets, or stands there more than once.
    #[error("slot {slot} stands {times} times in column {column}, which its box meets")]
    Membership {
        /// The slot.
        slot: u32,
        /// The column's index.
        column: usize,
        /// How often.
        times: usize,
    },
    /// A column, or the set of huge boxes, holds more members than meet it.
    #[error("column {column:?} (none: the huge boxes) holds {members} members, {expected} meet it")]
    Strangers {
        /// The column's index; `None` for the set of huge boxes.
        column: Option<usize>,
        /// The members held.
        members: usize,
        /// The boxes that meet it.
        expected: usize,
    },
    /// A column's copy of its boxes is wrong or out of order.
    #[error("the copy of the boxes of column {column} is wrong or out of order")]
    Copy {
        /// The column's index.
        column: usize,
    },
    /// A list of pairs is not sorted, or repeats a pair.
    #[error("the list of {list} pairs is out of order at {pair:?}")]
    Order {
        /// Which list.
        list: &'static str,
        /// The second pair of the two that are out of order.
        pair: Pair,
    },
    /// The list holds another number of pairs than began and did not end.
    #[error("the list holds {listed} pairs, {counted} began and did not end")]
    Count {
        /// The pairs in the list.
        listed: usize,
        /// The pairs that began and did not end.
        counted: usize,
    },
    /// A pair is held whose colliders do not both exist, or whose boxes do not overlap.
    #[error("{pair:?} is held, but its colliders do not overlap or may not be paired")]
    Pair {
        /// The pair.
        pair: Pair,
    },
}

impl BroadPhase {
    /// Checks every invariant, in a time near that of a full update. Right after an update the
    /// boxes and filters of the pairs are checked too, if they were listed since.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Violation> {
        self.validate_slots()?;
        self.validate_columns()?;
        for (list, pairs) in [("all", self.list.pairs()), ("begun", &self.begun), ("ended", &self.ended)] {
            if let Some(two) = pairs.windows(2).find(|two| two[0] >= two[1]) {
                return Err(Violation::Order { list, pair: two[1] });
            }
        }
        if self.moved.is_empty() && self.list.is_up_to_date() { self.validate_pairs() } else { Ok(()) }
    }

    fn validate_slots(&self) -> Result<(), Violation> {
        let mut used = 0;
        for (slot, entry) in (0..).zip(&self.slots) {
            if entry.proxy != NO_PROXY {
                used += 1;
                if self
                    .proxies
                    .get(entry.proxy as usize)
                    .is_none_or(|proxy| proxy.slot != slot || proxy.new.is_none())
                {
                    return Err(Violation::Slot { slot });
                }
            }
        }
        if used != self.proxies_held() {
            return Err(Violation::Slot { slot: NO_PROXY });
        }
        Ok(())
    }

    /// Proxies that are not listed as crossing must stand exactly in the columns of their box.
    fn validate_columns(&self) -> Result<(), Violation> {
        let grid = self.grid();
        let mut expected = vec![0; self.columns.len()];
        let mut huge = 0;
        for (id, proxy) in (0u32..).zip(&self.proxies) {
            let reported = self.reported_cells(id, proxy);
            huge += usize::from(reported == CellRange::HUGE);
            for cell in reported.cells() {
                let column = grid.index(cell);
                expected[column] += 1;
                let Column { ids, inactive, .. } = &self.columns[column];
                let times = ids.iter().chain(&inactive.ids).filter(|&&other| other == id).count();
                if times != 1 {
                    return Err(Violation::Membership { slot: proxy.slot, column, times });
                }
            }
        }
        for (column, members) in self.columns.iter().enumerate() {
            if members.len() != expected[column] {
                let (members, expected) = (members.len(), expected[column]);
                return Err(Violation::Strangers { column: Some(column), members, expected });
            }
        }
        self.validate_copies()?;
        if self.huge.ids.len() != huge {
            return Err(Violation::Strangers { column: None, members: self.huge.ids.len(), expected: huge });
        }
        Ok(())
    }

    /// Where a column has cached boxes, they are up to date and in order; those of inactive members always.
    fn validate_copies(&self) -> Result<(), Violation> {
        for (index, column) in self.columns.iter().enumerate() {
            let [awake, inactive] = column.parts();
            let awake_is_right = !awake.1.is_known() || self.is_true_copy(awake);
            if !awake_is_right || !self.is_true_copy(inactive) {
                return Err(Violation::Copy { column: index });
            }
        }
        Ok(())
    }

    fn is_true_copy(&self, (ids, boxes): (&[u32], &CachedBoxes)) -> bool {
        let reported = |place: usize| self.proxies[ids[place] as usize].reported(self.epoch);
        let in_order = |x: usize, y: usize| {
            let order = reported(x).min[0].total_cmp(&reported(y).min[0]);
            order.then(ids[x].cmp(&ids[y])).is_lt()
        };
        boxes.len() == ids.len()
            && (0..ids.len()).all(|place| boxes.get(place).same(reported(place)))
            && (1..ids.len()).all(|place| in_order(place - 1, place))
    }

    /// Where the last update left a proxy.
    fn reported_cells(&self, id: u32, proxy: &Proxy) -> CellRange {
        if proxy.moved(self.epoch) && proxy.stamp & 1 == 1 {
            let crossing = self.crossings.iter().find(|crossing| crossing.id == id);
            return crossing.map_or(CellRange::NOWHERE, |crossing| crossing.from);
        }
        proxy.cells
    }

    fn validate_pairs(&self) -> Result<(), Violation> {
        let proxy = |slot: u32| {
            let id = self.slots.get(slot as usize)?.proxy as usize;
            Some((self.proxies.get(id)?, self.filters.get(id)?))
        };
        if self.list.pairs().len() != self.list.count() {
            return Err(Violation::Count { listed: self.list.pairs().len(), counted: self.list.count() });
        }
        for &pair in self.list.pairs() {
            let holds = match (proxy(pair.a), proxy(pair.b)) {
                (Some((a, fa)), Some((b, fb))) => a.new.overlaps(&b.new) && fa.allows(fb),
                _ => false,
            };
            if !holds {
                return Err(Violation::Pair { pair });
            }
        }
        Ok(())
    }
}
