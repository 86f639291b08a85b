//! Where last step's points are among this step's candidates.
//!
//! Which candidates are best hangs on rounding where a patch is flat: of a box at rest any corner may be
//! the deepest. So the candidates at last step's places are offered to the reduction, which takes them
//! while they are nearly as good ([`crate::reduction`]), and a body at rest keeps its points.

use impinge_geometry::Side;
use impinge_narrow::Patch;
use nalgebra::{Point3, Vector3};

use crate::{ContactMemory, PairPlacement};

/// Normals further apart than this (cosine of 20°) belong to different contacts.
const SAME_SIDE: f64 = 0.94;
/// A candidate is at a point's place within this part of the greatest distance of the points …
const REACH: f64 = 0.12;
/// … or this many times the side of the square that a candidate stands for.
const CELLS: f64 = 1.5;

/// The manifolds that the last step chose for a pair of parts.
#[derive(Debug)]
pub(crate) struct Holds {
    groups: Vec<Group>,
}

/// One manifold of the last step, where it stands now.
#[derive(Debug)]
struct Group {
    normal: Vector3<f64>,
    spots: Vec<Spot>,
    /// Greatest distance of the spots (m).
    size: f64,
    taken: bool,
}

/// A point of the last step: what it was called, and where it would be now if it stuck to A, or to B (m,
/// pair frame).
#[derive(Clone, Copy, Debug)]
struct Spot {
    feature: u64,
    at: [Point3<f64>; 2],
}

impl Holds {
    pub fn new(memory: &ContactMemory, parts: [u32; 2], placement: &PairPlacement<'_>) -> Holds {
        let group = |points: &[crate::memory::Remembered]| {
            let spots: Vec<Spot> = points
                .iter()
                .map(|p| Spot {
                    feature: p.feature,
                    at: [placement.place(Side::A, &p.local_a), placement.place(Side::B, &p.local_b)],
                })
                .collect();
            let apart = |p: &Spot, q: &Spot| (p.at[0] - q.at[0]).norm();
            let size = spots.iter().fold(0.0f64, |s, p| spots.iter().fold(s, |s, q| s.max(apart(p, q))));
            Group { normal: points[0].normal, spots, size, taken: false }
        };
        Holds { groups: memory.manifolds(parts).map(group).collect() }
    }

    /// The candidates of `patch` at the places of a manifold of the last step, each once, written to
    /// `out`; none where no manifold has all of its places here.
    pub fn find(&mut self, patch: &Patch, out: &mut Vec<u32>) {
        out.clear();
        let mut best: Option<(f64, usize)> = None;
        let mut picked = Vec::with_capacity(4);
        for (index, group) in self.groups.iter().enumerate() {
            if group.taken || group.normal.dot(&patch.normal) < SAME_SIDE {
                continue;
            }
            if let Some(distance) = group.find(patch, &mut picked)
                && best.is_none_or(|(least, _)| distance < least)
            {
                best = Some((distance, index));
                out.clone_from(&picked);
            }
        }
        if let Some((_, index)) = best {
            self.groups[index].taken = true;
        }
    }
}

impl Group {
    /// Picks the candidate at each spot; the sum of their distances from the spots (m), `None` where a
    /// spot has none.
    fn find(&self, patch: &Patch, picked: &mut Vec<u32>) -> Option<f64> {
        picked.clear();
        let cell = (patch.gradient.norm() / patch.points.len().max(1) as f64).sqrt();
        let reach = (REACH * self.size).max(CELLS * cell);
        let mut sum = 0.0;
        for spot in &self.spots {
            let mut nearest: Option<(f64, u32)> = None;
            for (index, candidate) in patch.points.iter().enumerate() {
                let aside = |on: &Point3<f64>, at: &Point3<f64>| {
                    let d = on - at;
                    (d - patch.normal * d.dot(&patch.normal)).norm()
                };
                let distance = aside(&candidate.on_a, &spot.at[0]).min(aside(&candidate.on_b, &spot.at[1]));
                // The same cell of a kept lattice is the same place, even where another is as near.
                let distance = if candidate.key == spot.feature { 0.5 * distance } else { distance };
                let nearer = nearest.is_none_or(|(least, _)| distance < least);
                if distance <= reach && nearer && !picked.contains(&(index as u32)) {
                    nearest = Some((distance, index as u32));
                }
            }
            let (distance, index) = nearest?;
            picked.push(index);
            sum += distance;
        }
        Some(sum)
    }
}
