//! The distance of convex solids without triangles: round solids and half-spaces.

use impinge_convex::{convex_contact, nearest_points};
use impinge_geometry::PairFrame;
use impinge_midphase::Part;

use super::answer::{Feature, Separation};

/// The distance of two solids without triangles that are known to be apart, if not greater than `bound`.
pub(super) fn distance_apart(parts: [&Part; 2], frame: &PairFrame, bound: f64) -> Option<Separation> {
    // No distance is beyond this margin, and it stays a number when multiplied.
    let margin = if bound.is_finite() { bound } else { f64::MAX / 1e6 };
    let region = convex_contact(parts, frame, margin).region?;
    let points = nearest_points(parts, frame, margin)?;
    // What does not touch is apart, if only by less than can be said.
    let distance = (-region.depth).max(f64::MIN_POSITIVE);
    (distance <= bound).then_some(Separation {
        distance,
        normal: region.normal,
        points,
        features: [Feature::Smooth; 2],
        triangles: [None; 2],
    })
}
