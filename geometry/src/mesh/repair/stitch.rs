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

/// The box of the border over the length of parts in which points on edges are looked for, and the most parts of an edge.
const SHORT: f64 = 64.0;

/// Where an edge is to be cut: vertices in order from its lower vertex, each with its distance (m).
type Cuts = BTreeMap<[u32; 2], Vec<(u32, f64)>>;

/// Cuts edges at the border's vertices that lie within `reach` (m) of them.
pub(super) fn stitch(surface: &mut Surface, reach: f64) {
    let cuts = cuts(surface, reach);
    if cuts.is_empty() {
        return;
    }
    let most = surface.faces.len() + PIECES * cuts.values().map(Vec::len).sum::<usize>();
    // Each face with how far it has moved: pieces of one that was cut may be cut again.
    let mut open: Vec<(Face, f64)> =
        std::mem::take(&mut surface.faces).into_iter().map(|f| (f, 0.0)).collect();
    open.reverse();
    let (mut made, mut farthest) = (0, 0.0f64);
    while let Some((face, moved)) = open.pop() {
        made += 1;
        // In the order of the edges, so that faces back to back are cut in the same pieces.
        let to_cut = (0..3).filter(|&k| cuts.contains_key(&undirected(face.edge(k))));
        let first = to_cut.min_by_key(|&k| undirected(face.edge(k)));
        let cut = first.and_then(|k| Some((k, cuts.get(&undirected(face.edge(k)))?)));
        let Some((k, along)) = cut.filter(|_| made < most) else {
            surface.faces.push(face);
            farthest = farthest.max(moved);
            continue;
        };
        let moved = moved + along.iter().fold(0.0f64, |most, (_, distance)| most.max(*distance));
        farthest = farthest.max(moved);
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
        open.extend(pieces.map(|corners| (Face { corners, source: face.source }, moved)));
    }
    surface.repairs.moved += farthest;
}

fn cuts(surface: &mut Surface, reach: f64) -> Cuts {
    let (horizon, mut beyond) = (reach.max(surface.horizon), f64::INFINITY);
    let border = surface.border();
    let mut vertices: Vec<u32> = border.into_iter().flatten().collect();
    vertices.sort_unstable();
    vertices.dedup();
    if vertices.is_empty() {
        return Cuts::new();
    }
    let places = vertices.iter().map(|&v| surface.place(v));
    let (low, high) = places.clone().fold(
        (Point3::from(Vector3::repeat(f64::INFINITY)), Point3::from(Vector3::repeat(f64::NEG_INFINITY))),
        |(low, high), p| (low.inf(&p), high.sup(&p)),
    );
    let short = (high - low).norm() / SHORT;
    let points = Points::new(places.zip(vertices.iter().copied()).collect());
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
        // A long edge's box may hold nearly all points: it is asked for in parts.
        let parts = (length / short).ceil().clamp(1.0, SHORT);
        for part in 0..parts as u32 {
            let [from, to] = [part, part + 1].map(|k| p + (q - p) * (f64::from(k) / parts));
            points.within(&around(&from, &to, horizon), &mut |place, v| {
                let t = (place - p).dot(&along);
                let distance = (place - p - along * t).norm();
                let nearer = (place - p).norm().max((place - q).norm()) < length;
                if edge.contains(&v) || t <= 0.0 || t >= length || !nearer {
                    return;
                }
                if distance <= reach {
                    on_edge.push((t, v, distance));
                } else {
                    beyond = beyond.min(distance);
                }
            });
        }
        if !on_edge.is_empty() {
            on_edge.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            on_edge.dedup_by_key(|found| found.1);
            cuts.insert(edge, on_edge.into_iter().map(|(_, v, distance)| (v, distance)).collect());
        }
    }
    surface.nearest_beyond = surface.nearest_beyond.min(beyond);
    cuts
}

fn around(p: &Point3<f64>, q: &Point3<f64>, reach: f64) -> [Point3<f64>; 2] {
    [p.inf(q) - Vector3::repeat(reach), p.sup(q) + Vector3::repeat(reach)]
}
