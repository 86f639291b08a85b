//! Ties broken as if B were moved by an infinitesimal amount.
//!
//! Edelsbrunner and Mücke, "Simulation of Simplicity", 1990, with one shift of a whole body in
//! place of one per vertex: B stands at x + e with e = Σ ± εᵏ along the axes, ε → 0. Among triangles
//! that have an area this leaves no sign at zero that the contour asks for: a plane is parallel to
//! no more than two of the axes, and two edges whose order along a line is asked for are not
//! parallel, since one of them crosses a plane that holds the other. So every contour of closed
//! meshes closes; its points are those of the geometry as it stands.

use impinge_geometry::{PairFrame, predicate};
use nalgebra::Point3;

/// The direction of the infinitesimal shift of B: axes by rising power of ε, each with its sign.
///
/// It points from B's origin to A's along every axis, the widest distance first, so that bodies
/// that meet face to face are taken to overlap, and exchanging them changes nothing (where the
/// origins share a coordinate, the shift is towards +).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    axes: [usize; 3],
    signs: [i8; 3],
}

impl Shift {
    /// The shift of a pair that stands as `frame` says.
    pub fn new(frame: &PairFrame) -> Shift {
        let to_b = frame.offset[1] - frame.offset[0];
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &j| to_b[j].abs().total_cmp(&to_b[i].abs()));
        Shift { axes, signs: axes.map(|k| if to_b[k] > 0.0 { -1 } else { 1 }) }
    }

    /// Along +x, then +y, then +z.
    pub const ALONG_AXES: Shift = Shift { axes: [0, 1, 2], signs: [1; 3] };

    /// −e.
    pub fn reversed(&self) -> Shift {
        Shift { axes: self.axes, signs: self.signs.map(|s| -s) }
    }

    /// Sign of n · e, where `component(axis)` has the sign of the vector n along that axis.
    pub fn along(&self, component: impl Fn(usize) -> i8) -> i8 {
        self.axes
            .iter()
            .zip(self.signs)
            .map(|(&axis, sign)| sign * component(axis))
            .find(|&s| s != 0)
            .unwrap_or(0)
    }

    /// Sign of n · e for the normal of a triangle (exact).
    #[cold]
    pub fn along_normal(&self, t: &[Point3<f64>; 3]) -> i8 {
        self.along(|axis| sign(predicate::orient2d(axis, &t[0], &t[1], &t[2])))
    }

    /// Sign of ((q − p) × (s − r)) · e (exact).
    #[cold]
    pub fn along_cross(&self, pq: [&Point3<f64>; 2], rs: [&Point3<f64>; 2]) -> i8 {
        self.along(|axis| predicate::cross_sign(axis, pq, rs))
    }
}

/// −1, 0 or 1.
#[inline]
pub fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}
