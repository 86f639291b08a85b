//! From proxies to blocks: copies the data that the sweep reads of each member.

use super::{Place, Scene, Sweep};
use crate::registry::proxy::Proxy;
use crate::sweep::lanes::{self, Block, Hull, LANES, LaneBits, States};

/// Proxies are fetched this many members ahead: they lie anywhere in memory.
pub(super) const AHEAD: usize = 32;

/// Copies the members into blocks, in the order given, and notes which of them leave; with both states
/// beside the hulls where `exact`.
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
            lanes::prefetch(&scene.proxies[id as usize]);
        }
        let mut proxies = [&Proxy::NONE; LANES];
        for (proxy, &id) in proxies.iter_mut().zip(ids) {
            *proxy = &scene.proxies[id as usize];
        }
        sweep.blocks.push(Block::NONE);
        if exact {
            sweep.states.push(States::NONE);
        }
        let (Some(block), states) = (sweep.blocks.last_mut(), sweep.states.last_mut()) else { continue };
        let present = (1u32 << ids.len()) - 1;
        let span = match place {
            Place::Cell(..) => {
                let lanes = hulls(scene, &proxies, place, block, states);
                sweep.leaving.push((lanes.leaving & present) as u8);
                let moving = lanes.moved & present;
                sweep.moving.push(moving as u8);
                sweep.moved_count += moving.count_ones() as usize;
                lanes.span
            }
            Place::Apart => {
                let mut leaving = 0;
                for (lane, proxy) in proxies.iter().enumerate().take(ids.len()) {
                    block.set(lane, &Hull::apart(&proxy.new, proxy.reported(scene.epoch)));
                    leaving |= u32::from(!place.holds(proxy)) << lane;
                    sweep.moved_count += usize::from(proxy.moved(scene.epoch));
                }
                sweep.leaving.push(leaving as u8);
                block.span()
            }
        };
        sweep.first.push(span.start);
        sweep.tips.push(span.tips);
    }
}

/// The hulls of eight proxies of a column, those that jumped included.
#[inline]
fn hulls(
    scene: &Scene<'_>,
    proxies: &[&Proxy; LANES],
    place: Place<'_>,
    block: &mut Block,
    mut states: Option<&mut States>,
) -> LaneBits {
    let Place::Cell(_, cell) = place else { return LaneBits::default() };
    let mut lanes = lanes::hulls(scene.simd, proxies, scene.epoch, cell, block, states.as_deref_mut());
    if lanes.odd != 0 {
        let mut odd = lanes.odd;
        while odd != 0 {
            let lane = odd.trailing_zeros() as usize;
            odd &= odd - 1;
            let change = place.change(proxies[lane], scene.epoch);
            block.set(lane, &change.hull());
            if let Some(states) = &mut states {
                states.set(lane, &change);
            }
        }
        lanes.span = block.span();
    }
    lanes
}
