//! Where last step's points are among this step's candidates.
//!
//! Which candidates are best hangs on rounding where a patch is flat: of a box at rest any corner may be
//! the deepest. So the candidates at last step's places are offered to the reduction, which takes them
//! while they are nearly as good ([`crate::reduction`]), and a body at rest keeps its points.

use std::ops::Range;

use impinge_geometry::Side;
use impinge_pair::Patch;
use nalgebra::{Point3, Vector3};

use crate::PairPlacement;
use crate::remembered::Remembered;
use crate::tangents::tangents;
use crate::tunables::{PERSIST_CELLS, PERSIST_COSINE, PERSIST_REACH};

/// The manifolds that the last step chose for a pair of subshapes.
#[derive(Debug, Default)]
pub(crate) struct Persistence {
    groups: Vec<Group>,
    /// The groups' points, one group's after the other.
    spots: Vec<Spot>,
    plan: Across,
    picked: Vec<u32>,
}

/// The candidates of a patch as they are seen along its normal: where they are on A, and on B (m).
#[derive(Debug, Default)]
struct Across {
    axes: [Vector3<f64>; 2],
    origin: Point3<f64>,
    points: Vec<[[f64; 2]; 2]>,
}

/// One manifold of the last step, where it stands now.
#[derive(Debug)]
struct Group {
    normal: Vector3<f64>,
    spots: Range<usize>,
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

impl Persistence {
    /// Begins a pair of subshapes of which these manifolds are remembered; those of another are lost.
    pub fn begin<'m>(
        &mut self,
        manifolds: impl Iterator<Item = &'m [Remembered]>,
        placement: &PairPlacement<'_>,
    ) {
        let Persistence { groups, spots, .. } = self;
        groups.clear();
        spots.clear();
        for points in manifolds {
            let first = spots.len();
            spots.extend(points.iter().map(|p| Spot {
                feature: p.feature,
                at: [placement.place(Side::A, &p.local_a), placement.place(Side::B, &p.local_b)],
            }));
            let own = &spots[first..];
            let apart = |p: &Spot, q: &Spot| (p.at[0] - q.at[0]).norm();
            let size = own.iter().fold(0.0f64, |s, p| own.iter().fold(s, |s, q| s.max(apart(p, q))));
            groups.push(Group { normal: points[0].normal, spots: first..spots.len(), size, taken: false });
        }
    }

    /// The candidates of `patch` at the places of a manifold of the last step, each once, written to
    /// `out`; none where no manifold has all of its places here.
    pub fn find(&mut self, patch: &Patch, out: &mut Vec<u32>) {
        out.clear();
        let same_side = |group: &Group| !group.taken && group.normal.dot(&patch.normal) >= PERSIST_COSINE;
        let Persistence { groups, spots, plan, picked } = self;
        if !groups.iter().any(same_side) {
            return;
        }
        plan.set(patch);
        let mut best: Option<(f64, usize)> = None;
        for (index, group) in groups.iter().enumerate() {
            if !same_side(group) {
                continue;
            }
            if let Some(distance) = group.find(&spots[group.spots.clone()], patch, plan, picked)
                && best.is_none_or(|(least, _)| distance < least)
            {
                best = Some((distance, index));
                out.clone_from(picked);
            }
        }
        if let Some((_, index)) = best {
            groups[index].taken = true;
        }
    }
}

impl Group {
    /// Picks the candidate at each spot; the sum of their distances from the spots (m), `None` where a
    /// spot has none.
    fn find(&self, spots: &[Spot], patch: &Patch, plan: &Across, picked: &mut Vec<u32>) -> Option<f64> {
        picked.clear();
        let cell = (patch.gradient.norm() / patch.points.len().max(1) as f64).sqrt();
        let reach = (PERSIST_REACH * self.size).max(PERSIST_CELLS * cell);
        let mut sum = 0.0;
        for spot in spots {
            let at = spot.at.map(|p| plan.of(&p));
            let aside = |on: &[f64; 2], at: &[f64; 2]| {
                let d = [on[0] - at[0], on[1] - at[1]];
                d[0] * d[0] + d[1] * d[1]
            };
            let mut nearest = (reach * reach, None);
            for (index, ([on_a, on_b], candidate)) in plan.points.iter().zip(&patch.points).enumerate() {
                let square = aside(on_a, &at[0]).min(aside(on_b, &at[1]));
                // The same cell of a kept lattice is the same place, even where another is as near.
                let square = if candidate.key == spot.feature { 0.25 * square } else { square };
                let nearer = if nearest.1.is_none() { square <= nearest.0 } else { square < nearest.0 };
                if nearer && !picked.contains(&(index as u32)) {
                    nearest = (square, Some(index as u32));
                }
            }
            picked.push(nearest.1?);
            sum += nearest.0.sqrt();
        }
        Some(sum)
    }
}

impl Across {
    fn set(&mut self, patch: &Patch) {
        self.axes = tangents(&patch.normal);
        self.origin = patch.centroid;
        self.points.clear();
        for candidate in &patch.points {
            self.points.push([self.of(&candidate.on_a), self.of(&candidate.on_b)]);
        }
    }

    /// A point of the pair frame (m) as it is seen along the normal.
    fn of(&self, p: &Point3<f64>) -> [f64; 2] {
        let d = p - self.origin;
        [d.dot(&self.axes[0]), d.dot(&self.axes[1])]
    }
}
