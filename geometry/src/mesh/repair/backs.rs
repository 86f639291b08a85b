//! Faces back to back: of two with the same corners and opposite sides, one may be too many.
//!
//! Two such faces cancel: the boundary of the surface is the same with both and without them. If they
//! stand where the surface has a face, the one that belongs there has lost its neighbours to the other.
//! Regions of such pairs are told from each other by their edges, and one side of a region goes where
//! that makes the border shorter.

use super::Repair;
use super::surface::{Run, Surface, net, undirected};
use crate::mesh::parts::least_first;

/// The faces back to back, of which each has no third one with their corners.
fn pairs(surface: &Surface) -> Vec<[u32; 2]> {
    let mut keyed: Vec<([u32; 3], u32)> = surface
        .faces
        .iter()
        .enumerate()
        .map(|(f, face)| {
            let mut key = face.corners;
            key.sort_unstable();
            (key, f as u32)
        })
        .collect();
    keyed.sort_unstable();
    // Two of one side are a face that closed parts share.
    let side = |f: u32| least_first(&surface.faces[f as usize].corners);
    keyed
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|same| same.len() == 2 && side(same[0].1) != side(same[1].1))
        .map(|same| [same[0].1, same[1].1])
        .collect()
}

/// Drops one side of each region of faces back to back where that makes the border shorter.
pub(super) fn drop_backs(surface: &mut Surface) {
    let pairs = pairs(surface);
    if pairs.is_empty() {
        return;
    }
    let mut pair_of = vec![u32::MAX; surface.faces.len()];
    for (k, pair) in pairs.iter().enumerate() {
        pair.iter().for_each(|&f| pair_of[f as usize] = k as u32);
    }
    let runs = surface.runs();
    let groups: Vec<&[Run]> = runs.chunk_by(|a, b| a.edge == b.edge).collect();
    let group_of = |edge: [u32; 2]| groups.binary_search_by(|group| group[0].edge.cmp(&edge)).ok();
    let edges_of = |f: u32| [0, 1, 2].map(|k| surface.faces[f as usize].edge(k));
    let mut seen = vec![false; pairs.len()];
    let mut dropped: Vec<[u32; 2]> = Vec::new();
    for first in 0..pairs.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        // The region's front sides; `region` is also the list of those whose neighbours are to come.
        let mut region = vec![pairs[first][0]];
        let mut next = 0;
        while let Some(&front) = region.get(next) {
            next += 1;
            for [p, q] in edges_of(front) {
                let group = group_of(undirected([p, q])).map_or(&[][..], |g| groups[g]);
                for run in group.iter().filter(|run| run.forward != (p < q)) {
                    let pair = pair_of[run.face as usize];
                    if pair != u32::MAX && !std::mem::replace(&mut seen[pair as usize], true) {
                        region.push(run.face);
                    }
                }
            }
        }
        let back = |front: u32| {
            let [a, b] = pairs[pair_of[front as usize] as usize];
            if a == front { b } else { a }
        };
        // What the fronts alone run along each edge.
        let mut own: Vec<([u32; 2], i32)> = Vec::new();
        for [p, q] in region.iter().flat_map(|&f| edges_of(f)) {
            own.push((undirected([p, q]), if p < q { 1 } else { -1 }));
        }
        own.sort_unstable();
        let (mut without_fronts, mut without_backs, mut around) = (0.0, 0.0, 0.0);
        for along in own.chunk_by(|a, b| a.0 == b.0) {
            let Some(group) = group_of(along[0].0) else { continue };
            let (all, fronts) = (net(groups[group]), along.iter().map(|a| a.1).sum::<i32>());
            let length = surface.length(along[0].0);
            let change = |after: i32| f64::from(after.abs() - all.abs()) * length;
            without_fronts += change(all - fronts);
            without_backs += change(all + fronts);
            around += length;
        }
        if without_fronts.min(without_backs) >= -1e-9 * around {
            continue;
        }
        let fronts_go = without_fronts < without_backs;
        dropped.extend(region.iter().map(|&f| if fronts_go { [f, back(f)] } else { [back(f), f] }));
    }
    dropped.sort_unstable();
    let source = |f: u32| surface.faces[f as usize].source;
    let done = dropped.iter().map(|&[f, of]| Repair::Back { triangle: source(f), of: source(of) });
    let done: Vec<Repair> = done.collect();
    surface.repairs.done.extend(done);
    surface.retain(|f| dropped.binary_search_by_key(&f, |pair| pair[0]).is_err());
}
