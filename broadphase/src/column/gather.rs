//! From rows to blocks: what of each member the sweep looks at.

use super::{Place, Scene, Sweep};
use crate::lanes::{self, Block, Hull, LANES};
use crate::row::{Extent, Row};

/// Rows are fetched this many members ahead: they lie anywhere in memory.
const AHEAD: usize = 32;

/// A row as the sweep of `place` sees it.
#[inline]
pub(super) fn hull_of(scene: &Scene<'_>, place: Place<'_>, id: u32) -> Hull {
    place.hull(&scene.rows[id as usize], scene.epoch)
}

/// Lays the members out in blocks, in the order given, and notes which of them leave.
pub(super) fn gather(scene: &Scene<'_>, members: &[u32], place: Place<'_>, sweep: &mut Sweep) {
    sweep.blocks.clear();
    sweep.leaving.clear();
    sweep.starts.clear();
    sweep.first.clear();
    sweep.tips.clear();
    sweep.any_moved = false;
    for (b, ids) in members.chunks(LANES).enumerate() {
        for &id in members.iter().skip(b * LANES + AHEAD).take(LANES) {
            lanes::prefetch(&scene.rows[id as usize]);
        }
        let mut rows = [&Row::NONE; LANES];
        for (row, &id) in rows.iter_mut().zip(ids) {
            *row = &scene.rows[id as usize];
        }
        sweep.blocks.push(Block::NONE);
        let Some(block) = sweep.blocks.last_mut() else { continue };
        let present = (1u32 << ids.len()) - 1;
        let span = match place {
            Place::Cell(_, cell) => {
                let lanes = lanes::hulls(scene.path, &rows, scene.epoch, cell, block);
                let mut odd = lanes.odd;
                while odd != 0 {
                    let lane = odd.trailing_zeros() as usize;
                    odd &= odd - 1;
                    block.set(lane, &place.hull(rows[lane], scene.epoch));
                }
                sweep.leaving.push((lanes.leaving & present) as u8);
                sweep.any_moved |= lanes.moved != 0;
                if lanes.odd == 0 { lanes.span } else { block.span() }
            }
            Place::Apart => {
                let mut leaving = 0;
                for (lane, row) in rows.iter().enumerate().take(ids.len()) {
                    block.set(lane, &place.hull(row, scene.epoch));
                    leaving |= u32::from(!place.holds(row)) << lane;
                    sweep.any_moved |= row.moved(scene.epoch);
                }
                sweep.leaving.push(leaving as u8);
                block.span()
            }
        };
        sweep.starts.extend_from_slice(&block.min[0]);
        sweep.first.push(span.start);
        sweep.tips.push(span.tips);
    }
}

impl Place<'_> {
    /// A row in both states, as far as they concern this column. Of a row that jumped, the state in
    /// which it is not in the column is left out, for the two together would reach over all between.
    /// A test may then see a change where there is none; `put` looks again.
    #[inline]
    pub(super) fn hull(&self, row: &Row, epoch: u32) -> Hull {
        let (new, old) = (&row.new, row.settled(epoch));
        let odd = row.moved(epoch) && !new.overlaps(old);
        match self {
            Place::Cell(grid, cell) if odd => {
                let was = |old: &Extent| !old.is_none() && grid.range(old).contains(*cell);
                match (self.holds(row), was(old)) {
                    (true, false) => Hull::single(new),
                    (false, _) => Hull::single(old),
                    (true, true) => Hull::both(new, old),
                }
            }
            Place::Cell(..) => Hull::both(new, old),
            Place::Apart => Hull::apart(new, old),
        }
    }
}
