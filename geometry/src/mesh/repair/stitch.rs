//! Cuts edges at the vertices that lie on them.
//!
//! Where a face that was divided meets one that was not, the divided one's new vertices lie on an edge
//! of the other. Cutting every face of that edge there takes `a → b` for `a → v → b` in the boundary,
//! which then cancels against the neighbours. An edge in balance is cut, too: it may be so by a face that
//! covers another one, which the border then shows to be there twice.

use std::collections::BTreeMap;

use nalgebra::{Point3, Vector3};

use super::Repair;
use super::points::Points;
use super::surface::{Face, Surface, undirected};

/// Faces made by cutting, at most, for every vertex found on an edge: a guard against edges that cut
/// each other without end.
const PIECES: usize = 64;

/// Where an edge is to be cut: vertices in order from its lower vertex, each with its distance (m).
type Cuts = BTreeMap<[u32; 2], Vec<(u32, f64)>>;

/// Cuts edges at the border's vertices that lie within `reach` (m) of them.
pub(super) fn stitch(surface: &mut Surface, reach: f64) {
    let cuts = cuts(surface, reach);
    if cuts.is_empty() {
        return;
    }
    let farthest = cuts.values().flatten().fold(0.0f64, |most, (_, distance)| most.max(*distance));
    let most = surface.faces.len() + PIECES * cuts.values().map(Vec::len).sum::<usize>();
    let mut open: Vec<Face> = std::mem::take(&mut surface.faces);
    open.reverse();
    let mut made = 0;
    while let Some(face) = open.pop() {
        made += 1;
        // In the order of the edges, so that faces back to back are cut in the same pieces.
        let to_cut = (0..3).filter(|&k| cuts.contains_key(&undirected(face.edge(k))));
        let first = to_cut.min_by_key(|&k| undirected(face.edge(k)));
        let cut = first.and_then(|k| Some((k, cuts.get(&undirected(face.edge(k)))?)));
        let Some((k, along)) = cut.filter(|_| made < most) else {
            surface.faces.push(face);
            continue;
        };
        let ([from, to], apex) = (face.edge(k), face.corners[(k + 2) % 3]);
        let mut chain = vec![from];
        chain.extend(along.iter().map(|(v, _)| *v));
        if from > to {
            chain[1..].reverse();
        }
        chain.push(to);
        for &(at, distance) in along {
            surface.repairs.done.push(Repair::Stitched { triangle: face.source, at, distance });
        }
        let pieces = chain.windows(2).map(|ends| [ends[0], ends[1], apex]);
        // Where the apex itself lies on the edge nothing is left of the face.
        let pieces = pieces.filter(|[p, q, r]| p != r && q != r);
        open.extend(pieces.map(|corners| Face { corners, source: face.source }));
    }
    surface.repairs.moved += farthest;
}

fn cuts(surface: &Surface, reach: f64) -> Cuts {
    let border = surface.border();
    let mut vertices: Vec<u32> = border.into_iter().flatten().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let points = Points::new(vertices.into_iter().map(|v| (surface.place(v), v)).collect());
    let mut edges = Vec::with_capacity(3 * surface.faces.len());
    edges.extend(surface.faces.iter().flat_map(|face| [0, 1, 2].map(|k| undirected(face.edge(k)))));
    edges.sort_unstable();
    edges.dedup();
    let mut cuts = Cuts::new();
    for edge in edges {
        let [p, q] = edge.map(|v| surface.place(v));
        let length = (q - p).norm();
        let along = (q - p) / length;
        let mut on_edge: Vec<(f64, u32, f64)> = Vec::new();
        points.within(&around(&p, &q, reach), &mut |place, v| {
            let t = (place - p).dot(&along);
            let distance = (place - p - along * t).norm();
            let nearer = (place - p).norm().max((place - q).norm()) < length;
            if !edge.contains(&v) && distance <= reach && t > 0.0 && t < length && nearer {
                on_edge.push((t, v, distance));
            }
        });
        if !on_edge.is_empty() {
            on_edge.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            cuts.insert(edge, on_edge.into_iter().map(|(_, v, distance)| (v, distance)).collect());
        }
    }
    cuts
}

fn around(p: &Point3<f64>, q: &Point3<f64>, reach: f64) -> [Point3<f64>; 2] {
    [p.inf(q) - Vector3::repeat(reach), p.sup(q) + Vector3::repeat(reach)]
}
