//! Which colliders may meet on their paths?

use impinge_geometry::{Aabb, ColliderId, Motion};
use rayon::ThreadPool;

use crate::QueryFilter;
use crate::query::swept_box;
use crate::slots::Slots;
use crate::world::{HeldCollider, StepState};

/// A collider with a path.
pub(super) struct Mover {
    pub id: ColliderId,
    pub motion: Motion,
    pub fast: bool,
    /// Of all its path (m).
    aabb: Aabb,
}

/// Two colliders that may meet, one of them fast.
pub(super) struct SweptPair {
    /// The lower first.
    pub slots: [u32; 2],
    /// Their places among the movers.
    pub movers: [Option<usize>; 2],
}

/// The colliders that have paths, in the order of their slots; of several paths of one the last counts.
pub(super) fn movers(colliders: &Slots<HeldCollider>, paths: Vec<(ColliderId, Motion)>) -> Vec<Mover> {
    let mut all: Vec<Mover> = paths
        .into_iter()
        .filter_map(|(id, motion)| {
            let held = colliders.get(id.index, id.generation)?;
            let aabb = swept_box(&held.prepared, &motion);
            Some(Mover { id, motion, fast: held.collider.fast, aabb })
        })
        .collect();
    all.reverse();
    all.sort_by_key(|mover| mover.id.index);
    all.dedup_by_key(|mover| mover.id.index);
    all
}

/// The pairs to sweep, sorted by their slots.
pub(super) fn swept_pairs(state: &mut StepState, pool: &ThreadPool, movers: &[Mover]) -> Vec<SweptPair> {
    let mut place = vec![None; movers.last().map_or(0, |mover| mover.id.index as usize + 1)];
    for (k, mover) in movers.iter().enumerate() {
        place[mover.id.index as usize] = Some(k);
    }
    let enabled: Vec<bool> = movers.iter().map(|mover| is_enabled(state, mover)).collect();
    let mut pairs = among(state, movers, &enabled);
    let boxes = state.box_queries(pool);
    for (k, mover) in movers.iter().enumerate() {
        // What stands still is met by what is fast.
        let Some(held) = boxes.held(mover.id).filter(|_| mover.fast && enabled[k]) else { continue };
        let filter = &held.collider.filter;
        let filter = QueryFilter {
            groups: filter.groups,
            mask: filter.mask,
            part: filter.part.and_then(|part| u32::try_from(part).ok()),
            members_of: held.collider.of.map(|of| of.part),
            fixed: !filter.is_static,
            exclude: Some(mover.id),
            ..QueryFilter::new()
        };
        let Ok(near) = boxes.intersect_aabb(&mover.aabb, &filter) else { continue };
        for other in
            near.into_iter().filter(|other| place.get(other.index as usize).copied().flatten().is_none())
        {
            let (slots, movers) = match mover.id.index < other.index {
                true => ([mover.id.index, other.index], [Some(k), None]),
                false => ([other.index, mover.id.index], [None, Some(k)]),
            };
            pairs.push(SweptPair { slots, movers });
        }
    }
    let neighbours = |pair: &SweptPair| {
        let [a, b] = pair.slots.map(|slot| state.colliders.at(slot));
        matches!((a, b), (Some(a), Some(b)) if state.neighbours.are(a, b))
    };
    if !state.neighbours.is_empty() {
        pairs.retain(|pair| !neighbours(pair));
    }
    pairs.sort_by_key(|pair| pair.slots);
    pairs
}

/// A disabled collider meets nothing.
fn is_enabled(state: &StepState, mover: &Mover) -> bool {
    matches!(state.broadphase.disabling(mover.id.index), Ok(None))
}

/// The pairs of movers whose paths' boxes overlap: swept along the first axis.
fn among(state: &StepState, movers: &[Mover], enabled: &[bool]) -> Vec<SweptPair> {
    let held = |mover: &Mover| state.colliders.get(mover.id.index, mover.id.generation);
    let mut order: Vec<usize> = (0..movers.len()).filter(|&k| enabled[k]).collect();
    order.sort_by(|&p, &q| movers[p].aabb.min[0].total_cmp(&movers[q].aabb.min[0]).then(p.cmp(&q)));
    let mut pairs = Vec::new();
    for (n, &p) in order.iter().enumerate() {
        for &q in &order[n + 1..] {
            if movers[q].aabb.min[0] > movers[p].aabb.max[0] {
                break;
            }
            let (p, q) = (p.min(q), p.max(q));
            let (a, b) = (&movers[p], &movers[q]);
            let (Some(of_a), Some(of_b)) = (held(a), held(b)) else { continue };
            if (a.fast || b.fast)
                && a.aabb.overlaps(&b.aabb)
                && of_a.collider.filter.allows(&of_b.collider.filter)
            {
                pairs.push(SweptPair { slots: [a.id.index, b.id.index], movers: [Some(p), Some(q)] });
            }
        }
    }
    pairs
}
