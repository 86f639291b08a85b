//! Which parts of a shape a ray may meet.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::PreparedShape;
use crate::obb_tree::{RayScratch, TreeRay};

/// So many parts are visited without a search.
const FEW: usize = 4;

/// Visits the parts of a shape, which stands at `pose` (world), that the points `origin + t · direction` (m, world) may meet
/// for t from 0 to `until`: half-spaces first, then those in the nearest boxes. The direction is of a length
/// from 1 to 4. `visit` gives the time from which on nothing matters, in place of `until` where it is
/// less; −∞ ends the search. No part that is met is left out.
pub fn parts_on_ray(
    shape: &PreparedShape,
    pose: &Isometry3<f64>,
    (origin, direction): (&Point3<f64>, &Vector3<f64>),
    until: f64,
    scratch: &mut RayScratch,
    visit: &mut impl FnMut(u32) -> f64,
) {
    let mut until = until;
    if shape.parts().len() <= FEW {
        for part in 0..shape.parts().len() as u32 {
            until = until.min(visit(part));
            if until < 0.0 {
                return;
            }
        }
        return;
    }
    let parts = shape.part_tree();
    for &part in &parts.boundless {
        until = until.min(visit(part));
    }
    if until < 0.0 {
        return;
    }
    let ray = TreeRay {
        origin: pose.inverse_transform_point(origin),
        direction: pose.inverse_transform_vector(direction),
        from: 0.0,
        until,
        // Parts are placed by the product of two poses, which rounds to the scale of the world.
        slack: 1e-14 * (pose.translation.vector.abs().sum() + origin.coords.abs().sum()),
    };
    parts.tree.ray_leaves(&ray, scratch, &mut |leaf| visit(parts.parts[leaf as usize]));
}
