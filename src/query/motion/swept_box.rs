//! A box around a shape on all of its way.

use impinge_geometry::volume::round_up;
use impinge_geometry::{Aabb, Motion};
use impinge_midphase::PreparedShape;

/// A box around a shape on all of a motion (m): of both ends, grown by what arcs rise above their chords.
pub(crate) fn swept_box(shape: &PreparedShape, motion: &Motion) -> Aabb {
    let both = shape.aabb_at(&motion.pose(0.0)).merged(&shape.aabb_at(&motion.pose(1.0)));
    let angle = motion.rotation_vector().norm();
    if angle == 0.0 && motion.stray() == 0.0 {
        return both;
    }
    let sphere = shape.sphere();
    let radius = (sphere.center.cast::<f64>() - motion.center()).norm() + f64::from(sphere.radius);
    let half = 0.5 * angle;
    let rise = if half < std::f64::consts::PI { 1.0 - half.cos() } else { 2.0 };
    // A half-space has no radius to speak of.
    let arc = if angle > 0.0 { radius * rise } else { 0.0 };
    both.grown(round_up(arc + motion.stray()))
}
