//! What a line has inside two bodies, and how far that keeps one of them from being free.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::ray::crossings;
use crate::intersect::Surfaces;
use impinge_midphase::obb_tree::RayScratch;

/// What rounding may make of a line's lengths (part of them).
pub(super) const ROUNDING: f64 = 1e-9;

/// What of a line is inside the bodies, each as it stands (m along the line).
#[derive(Debug, Default)]
pub(super) struct SolidIntervals {
    crossings: Vec<(f64, i32)>,
    of: [Vec<[f64; 2]>; 2],
}

impl SolidIntervals {
    /// Finds what the line through `p` (m, pair frame) along `direction` (unit) has inside each body. `None` where that is
    /// not known, as the line passes too close to an edge.
    ///
    /// What counts as solid begins and ends a little inside the surfaces: rounding cannot make it longer than it is.
    pub fn find(
        &mut self,
        surfaces: &Surfaces<'_>,
        p: &Point3<f64>,
        direction: &Vector3<f64>,
        search: &mut RayScratch,
    ) -> Option<()> {
        let size: f64 = surfaces.trees.iter().map(|tree| tree.reach()).sum();
        let skin = ROUNDING * (size + p.coords.norm());
        for side in Side::BOTH {
            let k = side.index();
            let body = (surfaces.meshes[k], surfaces.trees[k]);
            self.crossings.clear();
            crossings(body, surfaces.frame, side, (p, direction), search, &mut self.crossings)?;
            self.crossings.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
            self.of[k].clear();
            let (mut winding, mut begin) = (0, 0.0);
            for &(at, turn) in &self.crossings {
                let before = winding;
                winding += turn;
                if before <= 0 && winding > 0 {
                    begin = at;
                } else if before > 0 && winding <= 0 && at - begin > 2.0 * skin {
                    self.of[k].push([begin + skin, at - skin]);
                }
            }
            if winding != 0 {
                return None;
            }
        }
        Some(())
    }

    /// How far B, moved along the line by `shift` (m), must go on at least: while an interval of B overlaps one of A's, until
    /// it has left it.
    pub fn pass(&self, shift: f64) -> f64 {
        let mut until = shift;
        loop {
            let before = until;
            for b in &self.of[1] {
                // A's intervals rise: one leads to the next.
                for a in &self.of[0] {
                    if a[0] < b[1] + until && b[0] + until < a[1] {
                        until = until.max(a[1] - b[0]);
                    }
                }
            }
            if until <= before {
                return until;
            }
        }
    }

    /// How far B must go against the line's direction (m).
    pub fn pass_back(&self) -> f64 {
        let mut until = 0.0f64;
        loop {
            let before = until;
            for b in &self.of[1] {
                for a in &self.of[0] {
                    if a[0] < b[1] - until && b[0] - until < a[1] {
                        until = until.max(b[1] - a[0]);
                    }
                }
            }
            if until <= before {
                return until;
            }
        }
    }
}
