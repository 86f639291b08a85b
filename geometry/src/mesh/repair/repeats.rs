//! Faces that repeat others: copies to be dropped, or sides that two closed parts share.
//!
//! A copy is too many where the border is no longer without it. Where the border grows, two parts
//! have the face each; in the end such parts get vertices of their own, so that none of their faces
//! is a repeat any more.

use super::Repair;
use super::surface::{Run, Surface, net, undirected};
use crate::mesh::components::Sets;
use crate::mesh::parts::{copies, least_first, parts};

/// Copies beyond the first, each with the face that it repeats.
fn repeats(surface: &Surface) -> Vec<[u32; 2]> {
    let faces = (0..).zip(&surface.faces);
    let mut keyed: Vec<([u32; 3], u32)> = faces.map(|(f, face)| (least_first(&face.corners), f)).collect();
    keyed.sort_unstable();
    let same = keyed.chunk_by(|a, b| a.0 == b.0);
    let mut repeats: Vec<[u32; 2]> =
        same.flat_map(|same| same[1..].iter().map(|&(_, f)| [f, same[0].1])).collect();
    repeats.sort_unstable();
    repeats
}

/// Drops the repeats, region by region, without which the border does not grow.
pub(super) fn drop_repeats(surface: &mut Surface) {
    let repeats = repeats(surface);
    if repeats.is_empty() {
        return;
    }
    let runs = surface.runs();
    let groups: Vec<&[Run]> = runs.chunk_by(|a, b| a.edge == b.edge).collect();
    // The runs of the repeats: edge, repeat, and its direction.
    let mut own: Vec<([u32; 2], u32, i32)> = Vec::with_capacity(3 * repeats.len());
    for (k, [f, _]) in (0..).zip(&repeats) {
        for [p, q] in [0, 1, 2].map(|k| surface.faces[*f as usize].edge(k)) {
            own.push((undirected([p, q]), k, if p < q { 1 } else { -1 }));
        }
    }
    own.sort_unstable();
    let mut regions = Sets::new(repeats.len());
    for pair in own.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        regions.join(pair[0].1, pair[1].1);
    }
    let region: Vec<u32> = (0..repeats.len() as u32).map(|k| regions.root(k)).collect();
    let (mut growth, mut around) = (vec![0.0; repeats.len()], vec![0.0; repeats.len()]);
    for along in own.chunk_by(|a, b| a.0 == b.0) {
        let edge = along[0].0;
        let Ok(group) = groups.binary_search_by(|group| group[0].edge.cmp(&edge)) else { continue };
        let (all, repeated) = (net(groups[group]), along.iter().map(|run| run.2).sum::<i32>());
        let length = surface.length(edge);
        let name = region[along[0].1 as usize] as usize;
        growth[name] += f64::from((all - repeated).abs() - all.abs()) * length;
        around[name] += length;
    }
    let goes = |k: usize| growth[region[k] as usize] <= 1e-9 * around[region[k] as usize];
    let dropped: Vec<[u32; 2]> = (0..repeats.len()).filter(|&k| goes(k)).map(|k| repeats[k]).collect();
    let source = |f: u32| surface.faces[f as usize].source;
    let done: Vec<Repair> =
        dropped.iter().map(|&[f, of]| Repair::Duplicate { triangle: source(f), of: source(of) }).collect();
    surface.repairs.done.extend(done);
    surface.retain(|f| dropped.binary_search_by_key(&f, |pair| pair[0]).is_err());
}

/// Gives the closed parts that share faces vertices of their own. For a surface in balance.
pub(super) fn separate(surface: &mut Surface) {
    let repeats = repeats(surface);
    if repeats.is_empty() {
        return;
    }
    let corners: Vec<[u32; 3]> = surface.faces.iter().map(|face| face.corners).collect();
    let (part, copy) = (parts(&corners), copies(&corners));
    // Parts with a copy beyond the first stand on vertices of their own.
    let mut moves = vec![false; corners.len()];
    for f in (0..corners.len()).filter(|&f| copy[f].is_some_and(|copy| copy > 0)) {
        moves[part[f] as usize] = true;
    }
    let mut used: Vec<(u32, u32)> = Vec::new();
    for (f, corners) in corners.iter().enumerate().filter(|(f, _)| moves[part[*f] as usize]) {
        used.extend(corners.map(|v| (part[f], v)));
    }
    used.sort_unstable();
    used.dedup();
    let base = surface.vertices.len() as u32;
    surface.vertices.extend(used.iter().map(|&(_, v)| surface.vertices[v as usize]).collect::<Vec<_>>());
    for (f, face) in surface.faces.iter_mut().enumerate() {
        for v in &mut face.corners {
            if let Ok(at) = used.binary_search(&(part[f], *v)) {
                *v = base + at as u32;
            }
        }
    }
    let source = |f: u32| surface.faces[f as usize].source;
    let done: Vec<Repair> =
        repeats.iter().map(|&[f, of]| Repair::Separated { triangle: source(f), of: source(of) }).collect();
    surface.repairs.done.extend(done);
}
