//! Is the nearest pair that is known proved to be the nearest? A plane between two surfaces proves how far apart
//! they are at least; across the line of the nearest points it often proves all of it.
//!
//! Without it a search ends only when every pair of boxes is ruled out, and boxes say less than their triangles
//! do: of two flat faces that look at each other, each cut into many triangles, many pairs are as near as any.

use impinge_geometry::PairFrame;
use impinge_midphase::Surface;
use nalgebra::Vector3;

/// Pairs of leaves after which a search looks for a proof for the first time.
const FIRST: u64 = 32;

/// Two surfaces, and when to ask next.
pub(super) struct Proof<'s> {
    surfaces: [&'s Surface; 2],
    frame: &'s PairFrame,
    visited: u64,
    /// How many pairs of leaves to visit before the next attempt; twice as many each time.
    due: u64,
    /// What could not be proved last (m).
    failed: f64,
}

impl<'s> Proof<'s> {
    pub fn new(surfaces: [&'s Surface; 2], frame: &'s PairFrame) -> Proof<'s> {
        Proof { surfaces, frame, visited: 0, due: FIRST, failed: f64::INFINITY }
    }

    /// To be asked once for every pair of leaves: whether it is time to try.
    pub fn is_due(&mut self) -> bool {
        self.visited += 1;
        let due = self.visited == self.due;
        if due {
            self.due *= 2;
        }
        due
    }

    /// Whether a plane across one of the `axes` (unit, from A to B, or zero) proves that nothing is nearer than
    /// `reached` (m) by more than the rounding of the points.
    pub fn holds(&mut self, reached: f64, axes: impl IntoIterator<Item = Vector3<f64>>) -> bool {
        if reached >= self.failed {
            return false;
        }
        let PairFrame { rotation, offset, .. } = self.frame;
        let between = offset[1] - offset[0];
        let reach: f64 = self.surfaces.iter().map(|surface| surface.tree.reach()).sum();
        let rounding = 4.0 * f64::EPSILON * (between.norm() + reach);
        let parted = |axis: Vector3<f64>| {
            let [back, front] = [rotation[0].tr_mul(&-axis), rotation[1].tr_mul(&axis)];
            between.dot(&axis) + lowest(self.surfaces[0], &back) + lowest(self.surfaces[1], &front)
        };
        let proves = |axis: Vector3<f64>| axis != Vector3::zeros() && parted(axis) + rounding >= reached;
        let holds = reached > 4.0 * rounding && axes.into_iter().any(proves);
        if !holds {
            self.failed = reached;
        }
        holds
    }
}

/// How far along a direction (unit, in the mesh's frame) the surface begins (m).
fn lowest(surface: &Surface, direction: &Vector3<f64>) -> f64 {
    let mut lowest = f64::INFINITY;
    surface.tree.lowest(direction, lowest, &mut |leaf| {
        for triangle in surface.tree.leaf_triangles(leaf) {
            for corner in surface.faces().corners(triangle) {
                lowest = lowest.min(corner.cast::<f64>().coords.dot(direction));
            }
        }
        lowest
    });
    lowest
}
