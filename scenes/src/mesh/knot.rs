//! Torus knots.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A tube along the (p, q) torus knot, of `2 · along · across` triangles.
///
/// The core curve winds `p` times around the z axis and `q` times around the core circle of a torus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// Turns around the axis.
    pub p: u32,
    /// Turns around the core circle; `p` and `q` without a common divisor give one closed curve.
    pub q: u32,
    /// Radius of the torus's core circle (m).
    pub major: f64,
    /// Radius of the torus's tube, on which the curve lies (m).
    pub minor: f64,
    /// Radius of the knot's own tube (m).
    pub tube: f64,
    /// Steps along the curve.
    pub along: u32,
    /// Steps around the tube.
    pub across: u32,
}

impl Default for Knot {
    /// A trefoil.
    fn default() -> Knot {
        Knot { p: 2, q: 3, major: 0.25, minor: 0.125, tube: 0.1, along: 120, across: 14 }
    }
}

impl Knot {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for sizes that are not positive or steps out of range. Whether the tube
    /// meets itself is not judged.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("knot");
        for (name, value) in [("major", self.major), ("minor", self.minor), ("tube", self.tube)] {
            check.length(name, value)?;
        }
        check.below("minor", self.minor, self.major, "it must be less than major")?;
        let turns = "it must be from 1 to 1000, p and q without a common divisor";
        if gcd(self.p, self.q) != 1 || self.p.max(self.q) > 1000 {
            return Err(check.fail("p", f64::from(self.p), turns));
        }
        check.steps("along", self.along, 3, "from 3 to 65536 steps are possible")?;
        check.steps("across", self.across, 3, "from 3 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        for i in 0..self.along {
            let (center, normal, tangent) = self.curve(TAU * f64::from(i) / f64::from(self.along));
            skin.circle(center, normal, tangent.cross(&normal), self.tube, self.across);
        }
        skin.mesh("knot", true)
    }

    /// The same knot with other steps, so that its mesh has exactly `triangles` triangles, about nine steps
    /// along for one across. No closed surface has an odd number: such a knot lacks one triangle.
    ///
    /// # Errors
    /// [`GeneratorError`] for a number that no division into steps gives.
    pub fn with_triangles(&self, triangles: u32) -> Result<TriMesh, GeneratorError> {
        let quads = triangles.div_ceil(2);
        let unlike = |across: &u32| (f64::from(quads) / (9.0 * f64::from(across * across))).ln().abs();
        let across = (5..=64)
            .filter(|across| quads.is_multiple_of(*across) && quads / across >= *across)
            .min_by(|x, y| unlike(x).total_cmp(&unlike(y)));
        let Some(across) = across else {
            let remedy = "half of it, rounded up, must have a divisor from 5 to 64";
            return Err(Check("knot").fail("triangles", f64::from(triangles), remedy));
        };
        let whole = Knot { along: quads / across, across, ..*self }.mesh()?;
        if triangles.is_multiple_of(2) {
            return Ok(whole);
        }
        let kept = whole.triangles()[1..].to_vec();
        TriMesh::new(whole.vertices().to_vec(), kept)
            .map_err(|source| GeneratorError::Mesh { mesh: "knot", source })
    }

    /// Point, outward normal of the torus (at right angles to the curve) and unit tangent.
    fn curve(&self, t: f64) -> (Point3<f64>, Vector3<f64>, Vector3<f64>) {
        let (p, q) = (f64::from(self.p), f64::from(self.q));
        let (sin_u, cos_u) = libm::sincos(p * t);
        let (sin_v, cos_v) = libm::sincos(q * t);
        let radial = Vector3::new(cos_u, sin_u, 0.0);
        let around = Vector3::new(-sin_u, cos_u, 0.0);
        let normal = radial * cos_v + Vector3::z() * sin_v;
        let across = Vector3::z() * cos_v - radial * sin_v;
        let center = radial * self.major + normal * self.minor;
        let speed = around * (p * (self.major + self.minor * cos_v)) + across * (q * self.minor);
        (Point3::from(center), normal, speed / speed.norm())
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
