//! From rows to blocks: what of each member the sweep looks at.

use super::{Place, Scene, Sweep};
use crate::lanes::{self, Block, Hull, LANES, LaneBits, States};
use crate::row::Row;

/// Rows are fetched this many members ahead: they lie anywhere in memory.
pub(super) const AHEAD: usize = 32;

/// Lays the members out in blocks, in the order given, and notes which of them leave; in both states
/// beside the hulls where they are to be told apart exactly.
pub(super) fn gather(scene: &Scene<'_>, members: &[u32], place: Place<'_>, exact: bool, sweep: &mut Sweep) {
    sweep.blocks.clear();
    sweep.states.clear();
    sweep.leaving.clear();
    sweep.first.clear();
    sweep.tips.clear();
    sweep.moving.clear();
    sweep.moved_count = 0;
    for (b, ids) in members.chunks(LANES).enumerate() {
        for &id in members.iter().skip(b * LANES + AHEAD).take(LANES) {
            lanes::prefetch(&scene.rows[id as usize]);
        }
        let mut rows = [&Row::NONE; LANES];
        for (row, &id) in rows.iter_mut().zip(ids) {
            *row = &scene.rows[id as usize];
        }
        sweep.blocks.push(Block::NONE);
        if exact {
            sweep.states.push(States::NONE);
        }
        let (Some(block), states) = (sweep.blocks.last_mut(), sweep.states.last_mut()) else { continue };
        let present = (1u32 << ids.len()) - 1;
        let span = match place {
            Place::Cell(..) => {
                let lanes = hulls(scene, &rows, place, block, states);
                sweep.leaving.push((lanes.leaving & present) as u8);
                let moving = lanes.moved & present;
                sweep.moving.push(moving as u8);
                sweep.moved_count += moving.count_ones() as usize;
                lanes.span
            }
            Place::Apart => {
                let mut leaving = 0;
                for (lane, row) in rows.iter().enumerate().take(ids.len()) {
                    block.set(lane, &Hull::apart(&row.new, row.settled(scene.epoch)));
                    leaving |= u32::from(!place.holds(row)) << lane;
                    sweep.moved_count += usize::from(row.moved(scene.epoch));
                }
                sweep.leaving.push(leaving as u8);
                block.span()
            }
        };
        sweep.first.push(span.start);
        sweep.tips.push(span.tips);
    }
}

/// The hulls of eight rows of a column, those that jumped included.
#[inline]
fn hulls(
    scene: &Scene<'_>,
    rows: &[&Row; LANES],
    place: Place<'_>,
    block: &mut Block,
    mut states: Option<&mut States>,
) -> LaneBits {
    let Place::Cell(_, cell) = place else { return LaneBits::default() };
    let mut lanes = lanes::hulls(scene.simd, rows, scene.epoch, cell, block, states.as_deref_mut());
    if lanes.odd != 0 {
        let mut odd = lanes.odd;
        while odd != 0 {
            let lane = odd.trailing_zeros() as usize;
            odd &= odd - 1;
            let change = place.change(rows[lane], scene.epoch);
            block.set(lane, &change.hull());
            if let Some(states) = &mut states {
                states.set(lane, &change);
            }
        }
        lanes.span = block.span();
    }
    lanes
}
