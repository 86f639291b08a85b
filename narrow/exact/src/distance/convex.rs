//! The distance of convex solids without triangles: round solids and half-spaces.

use impinge_convex::{convex_contact, nearest_points};
use impinge_geometry::PairFrame;
use impinge_midphase::Part;

use super::answer::{Feature, Proximity, Separation};

/// The distance of two solids without triangles, if not greater than `bound`.
pub(super) fn between_solids(parts: [&Part; 2], frame: &PairFrame, bound: f64) -> Option<Proximity> {
    // No distance is beyond this margin, and it stays a number when multiplied.
    let margin = if bound.is_finite() { bound } else { f64::MAX / 1e6 };
    let found = convex_contact(parts, frame, margin);
    if found.touching {
        return Some(Proximity::Touching { containment: found.containment, triangles: None });
    }
    let region = found.region?;
    let points = nearest_points(parts, frame, margin)?;
    let distance = (-region.depth).max(0.0);
    (distance <= bound).then_some(Proximity::Apart(Separation {
        distance,
        normal: region.normal,
        points,
        features: [Feature::Smooth; 2],
        triangles: [None; 2],
    }))
}
