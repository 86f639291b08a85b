//! A winged ship.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// Corners of a cross-section.
const AROUND: u32 = 60;
/// Cross-sections from nose to tail.
const STATIONS: u32 = 81;

/// A ship along x with a slim body and four swept wings in an X, closed and far from convex, of
/// [`Ship::TRIANGLES`] triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ship {
    /// Half the length from nose to tail (m).
    pub half_length: f64,
    /// Greatest radius of the body (m).
    pub body: f64,
    /// How far the wings reach from the axis (m).
    pub span: f64,
}

impl Default for Ship {
    fn default() -> Ship {
        Ship { half_length: 1.0, body: 0.16, span: 0.8 }
    }
}

impl Ship {
    /// How many triangles every ship has.
    pub const TRIANGLES: u32 = 2 * (AROUND * STATIONS - 2);

    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, or a body as wide as the wings.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("ship");
        check.length("half_length", self.half_length)?;
        check.length("body", self.body)?;
        check.length("span", self.span)?;
        check.below("body", self.body, self.span, "it must be less than span")?;
        let mut skin = Skin::default();
        for station in 0..STATIONS {
            // 0 at the tail, 1 at the nose.
            let share = f64::from(station) / f64::from(STATIONS - 1);
            let x = self.half_length * (2.0 * share - 1.0);
            skin.ring((0..AROUND).map(|k| {
                let angle = TAU * f64::from(k) / f64::from(AROUND);
                let (sin, cos) = libm::sincos(angle);
                let radius = self.radius(share, angle);
                Point3::new(x, radius * cos, radius * sin)
            }));
        }
        skin.capped_mesh("ship")
    }

    /// Distance of the surface from the axis (m).
    fn radius(&self, share: f64, angle: f64) -> f64 {
        // Wide from the tail to the middle, then a long nose.
        let slender = libm::cos(0.45 * TAU * (share - 0.35).max(0.0) / 1.3);
        let body = self.body * (0.12 + 0.88 * slender);
        // A wing is a narrow lobe around each diagonal, between two places of the body.
        let diagonal = libm::cos(2.0 * angle + 0.25 * TAU);
        let lobe = libm::pow(diagonal * diagonal, 9.0);
        let chord = (1.0 - ((share - 0.27) / 0.2).powi(2)).max(0.0);
        body + (self.span - self.body) * lobe * libm::pow(chord, 0.6)
    }
}
