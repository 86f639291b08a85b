//! One sample for each cell of a lattice, at the centre of what is inside the outline.

use super::clip::{area, clip};
use super::lattice::Lattice;
use super::lines::{Face, LineOverlap, RegionLines};
use super::outline::Vertex;
use super::plane::At;
use crate::contact_patch::PatchSample;
use crate::scene::Scene;
use impinge_geometry::Side;
use nalgebra::Vector3;

/// Less of a cell than this is nothing (part of its area).
const NOTHING: f64 = 1e-12;

/// The samples of the cells inside an outline.
pub(super) fn sample(
    lines: &mut RegionLines<'_>,
    scene: &Scene<'_>,
    lattice: &Lattice,
    loops: &[Vec<Vertex>],
) -> Vec<PatchSample> {
    let mut samples: Vec<PatchSample> = Vec::new();
    // Where each sample was taken, and what of the region is at places that lines miss.
    let (mut places, mut missed): (Vec<At>, Vec<(At, f64)>) = (Vec::new(), Vec::new());
    each_part(lattice, loops, |[i, j], center, part| {
        let at = if lines.meets(center) { center } else { lattice.center(i, j) };
        let overlaps = lines.overlaps(at).to_vec();
        if overlaps.is_empty() {
            missed.push((center, part));
        }
        for overlap in overlaps {
            samples.extend(taken(lines, scene, at, part, &overlap));
            places.resize(samples.len(), at);
        }
    });
    for (at, part) in missed {
        let far = |k: &usize| (places[*k][0] - at[0]).hypot(places[*k][1] - at[1]);
        if let Some(nearest) = (0..places.len()).min_by(|p, q| far(p).total_cmp(&far(q))) {
            samples[nearest].area += part;
        }
    }
    samples
}

/// Calls `f` with every cell that has a part inside the outline, the centre of that part, and its area (m²).
fn each_part(lattice: &Lattice, loops: &[Vec<Vertex>], mut f: impl FnMut([usize; 2], At, f64)) {
    let polygons: Vec<Vec<At>> =
        loops.iter().map(|vertices| vertices.iter().map(|v| v.at).collect()).collect();
    let full = lattice.cell * lattice.cell;
    let (mut row, mut half, mut part) = (Vec::new(), Vec::new(), Vec::new());
    for j in 0..lattice.count[1] {
        row.resize_with(polygons.len(), Vec::new);
        for (polygon, within) in polygons.iter().zip(&mut row) {
            clip(polygon, 1, lattice.edge(1, j), 1.0, &mut half);
            clip(&half, 1, lattice.edge(1, j + 1), -1.0, within);
        }
        for i in 0..lattice.count[0] {
            let about = lattice.center(i, j);
            let mut sums = [0.0; 3];
            for within in row.iter().filter(|within| !within.is_empty()) {
                clip(within, 0, lattice.edge(0, i), 1.0, &mut half);
                clip(&half, 0, lattice.edge(0, i + 1), -1.0, &mut part);
                let of = area(&part, about);
                (0..3).for_each(|k| sums[k] += of[k]);
            }
            if sums[0] > NOTHING * full {
                f([i, j], [about[0] + sums[1] / sums[0], about[1] + sums[2] / sums[0]], sums[0]);
            }
        }
    }
}

/// The sample of one overlap on a line.
fn taken(
    lines: &RegionLines<'_>,
    scene: &Scene<'_>,
    at: At,
    area: f64,
    overlap: &LineOverlap,
) -> Option<PatchSample> {
    let [a, b] = &overlap.of;
    let [begin, end] = overlap.ends();
    // Faces that meet may be apart by rounding.
    let [begin, end] = if end > begin { [begin, end] } else { [overlap.middle(); 2] };
    Some(PatchSample {
        on_a: lines.place(at, end),
        on_b: lines.place(at, begin),
        depth: end - begin,
        area,
        normal_a: normal(scene, Side::A, &a.close.face)?,
        normal_b: normal(scene, Side::B, &b.open.face)?,
    })
}

/// The outward unit normal where a line meets a body.
fn normal(scene: &Scene<'_>, side: Side, face: &Face) -> Option<Vector3<f64>> {
    match face {
        Face::Triangle(triangle) => scene.facet_normal(side, *triangle),
        Face::Normal(normal) => Some(*normal),
    }
}
