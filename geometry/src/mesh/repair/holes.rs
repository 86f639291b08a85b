//! Holes, and the lids that close them.
//!
//! A lid is the triangulation of a hole's rim with the least area (Barequet, Sharir 1995); a long rim
//! gets a fan from its middle instead, as does one whose lid would repeat a face.

use std::collections::BTreeSet;

use nalgebra::Point3;

use super::Hole;
use super::surface::Surface;
use crate::mesh::components::Sets;
use crate::predicate;

/// Rims of up to so many edges get the lid of least area, which takes time by the third power.
const LEAST_AREA: usize = 128;

/// Lids may have this part of the area of the surface that they close, at most: a sheet's own outline
/// is no hole in it.
const LID_AREA: f64 = 0.99;

/// What closes the holes.
pub(super) struct Lids {
    /// The lids' faces; `None` where not every hole may be closed.
    pub faces: Option<Vec<[u32; 3]>>,
    /// Vertices in the middle of holes, to follow the others.
    pub middles: Vec<Point3<f32>>,
    pub holes: Vec<Hole>,
}

/// Lids for all holes, or for none if one of them is too large. `largest`: as a part of the diagonal of
/// the connected surface's box.
pub(super) fn lids(surface: &Surface, border: &[[u32; 2]], largest: f64) -> Lids {
    if border.is_empty() {
        return Lids { faces: Some(Vec::new()), middles: Vec::new(), holes: Vec::new() };
    }
    let around = Around::new(surface);
    let rims = rims(border);
    let holes: Vec<Hole> = rims.iter().map(|rim| hole(surface, &around, rim)).collect();
    let mut lids = Lids { faces: None, middles: Vec::new(), holes };
    if lids.holes.iter().any(|hole| hole.part > largest || hole.edges < 3) {
        return lids;
    }
    let faces: BTreeSet<[u32; 3]> = surface.faces.iter().map(|face| sorted(face.corners)).collect();
    let mut all: Vec<[u32; 3]> = Vec::new();
    let mut covered = vec![0.0; surface.vertices.len()];
    for rim in rims {
        let set = around.set[rim[0] as usize] as usize;
        // A lid runs along the rim against the faces there.
        let rim: Vec<u32> = rim.into_iter().rev().collect();
        let lid = least_area(surface, &rim, &faces).unwrap_or_else(|| {
            let middle = (surface.vertices.len() + lids.middles.len()) as u32;
            let sum = rim.iter().fold(nalgebra::Vector3::zeros(), |sum, &v| sum + surface.place(v).coords);
            lids.middles.push(Point3::from(sum / rim.len() as f64).cast());
            (0..rim.len()).map(|k| [rim[k], rim[(k + 1) % rim.len()], middle]).collect()
        });
        let place = |v: u32| match lids.middles.get((v as usize).wrapping_sub(surface.vertices.len())) {
            Some(middle) => middle.cast::<f64>(),
            None => surface.place(v),
        };
        covered[set] += lid.iter().map(|t| area(&t.map(place))).sum::<f64>();
        if covered[set] > LID_AREA * around.area[set] {
            return lids;
        }
        all.extend(lid);
    }
    lids.faces = Some(all);
    lids
}

fn hole(surface: &Surface, around: &Around, rim: &[u32]) -> Hole {
    let size = diagonal(rim.iter().map(|&v| surface.place(v)));
    let part = size / around.diagonal[around.set[rim[0] as usize] as usize];
    Hole { vertex: rim[0], edges: rim.len() as u32, size, part }
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

fn area([a, b, c]: &[Point3<f64>; 3]) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}

fn diagonal(mut places: impl Iterator<Item = Point3<f64>>) -> f64 {
    let Some(first) = places.next() else { return 0.0 };
    let (low, high) = places.fold((first, first), |(low, high), p| (low.inf(&p), high.sup(&p)));
    (high - low).norm()
}

/// The connected surfaces, by shared vertices: named by their lowest vertex.
struct Around {
    set: Vec<u32>,
    diagonal: Vec<f64>,
    area: Vec<f64>,
}

impl Around {
    fn new(surface: &Surface) -> Around {
        let count = surface.vertices.len();
        let mut sets = Sets::new(count);
        for face in &surface.faces {
            sets.join(face.corners[0], face.corners[1]);
            sets.join(face.corners[0], face.corners[2]);
        }
        let set: Vec<u32> = (0..count as u32).map(|v| sets.root(v)).collect();
        let mut boxes = vec![None::<[Point3<f64>; 2]>; count];
        let mut areas = vec![0.0; count];
        for face in &surface.faces {
            let places = face.corners.map(|v| surface.place(v));
            let name = set[face.corners[0] as usize] as usize;
            areas[name] += area(&places);
            for p in places {
                let [low, high] = boxes[name].unwrap_or([p, p]);
                boxes[name] = Some([low.inf(&p), high.sup(&p)]);
            }
        }
        let diagonal = boxes.iter().map(|b| b.map_or(0.0, |[low, high]| (high - low).norm())).collect();
        Around { set, diagonal, area: areas }
    }
}

/// The border as closed paths that meet no vertex twice, each in the faces' direction.
fn rims(border: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut edges = border.to_vec();
    edges.sort_unstable();
    let mut used = vec![false; edges.len()];
    let highest = edges.iter().flatten().max().map_or(0, |&v| v as usize);
    let mut on_path = vec![usize::MAX; highest + 1];
    let mut rims = Vec::new();
    for first in 0..edges.len() {
        if used[first] {
            continue;
        }
        // In every vertex as many border edges end as begin, so that a path goes on until it closes.
        let mut path = vec![edges[first][0]];
        on_path[path[0] as usize] = 0;
        let mut edge = first;
        loop {
            used[edge] = true;
            let to = edges[edge][1];
            let at = on_path[to as usize];
            if at < path.len() {
                let rim = path.split_off(at);
                rim.iter().for_each(|&v| on_path[v as usize] = usize::MAX);
                rims.push(rim);
                if path.is_empty() {
                    break;
                }
            }
            on_path[to as usize] = path.len();
            path.push(to);
            let from = edges.partition_point(|e| e[0] < to);
            let next = (from..edges.len()).take_while(|&e| edges[e][0] == to).find(|&e| !used[e]);
            let Some(next) = next else { break };
            edge = next;
        }
    }
    rims
}

/// The triangulation of a rim with the least area, of faces that have one and repeat none; `None` where there is
/// none, or the rim is long.
fn least_area(surface: &Surface, rim: &[u32], faces: &BTreeSet<[u32; 3]>) -> Option<Vec<[u32; 3]>> {
    let n = rim.len();
    if n > LEAST_AREA {
        return None;
    }
    let places: Vec<Point3<f64>> = rim.iter().map(|&v| surface.place(v)).collect();
    // The least area over the part of the rim from i to j, and the corner between them.
    let mut least = vec![(0.0f64, 0usize); n * n];
    for width in 2..n {
        for i in 0..n - width {
            let j = i + width;
            let mut best = (f64::INFINITY, 0);
            for k in i + 1..j {
                let corners = [places[i], places[k], places[j]];
                let sum = least[i * n + k].0 + least[k * n + j].0 + area(&corners);
                // Corners of a flat rim may be in a line.
                let sound = |k| {
                    !faces.contains(&sorted([rim[i], rim[k], rim[j]])) && !predicate::is_degenerate(&corners)
                };
                if sum < best.0 && sound(k) {
                    best = (sum, k);
                }
            }
            least[i * n + j] = best;
        }
    }
    if !least[n - 1].0.is_finite() {
        return None;
    }
    let mut lid = Vec::with_capacity(n - 2);
    let mut open = vec![(0, n - 1)];
    while let Some((i, j)) = open.pop() {
        if j - i < 2 {
            continue;
        }
        let k = least[i * n + j].1;
        lid.push([rim[i], rim[k], rim[j]]);
        open.extend([(i, k), (k, j)]);
    }
    Some(lid)
}
