//! A ring of round section.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A torus around the z axis, of `2 · around · across` triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// Radius of the core circle (m).
    pub major: f64,
    /// Radius of the tube (m).
    pub minor: f64,
    /// Steps around the axis.
    pub around: u32,
    /// Steps around the tube.
    pub across: u32,
}

impl Default for Torus {
    fn default() -> Torus {
        Torus { major: 0.28, minor: 0.12, around: 48, across: 20 }
    }
}

impl Torus {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a tube that closes the hole, or fewer
    /// than three steps.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("torus");
        check.length("major", self.major)?;
        check.length("minor", self.minor)?;
        check.below("minor", self.minor, self.major, "it must be less than major")?;
        check.steps("around", self.around, 3, "from 3 to 65536 steps are possible")?;
        check.steps("across", self.across, 3, "from 3 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        for i in 0..self.around {
            let (sin, cos) = libm::sincos(TAU * f64::from(i) / f64::from(self.around));
            let radial = Vector3::new(cos, sin, 0.0);
            skin.circle(Point3::from(radial * self.major), radial, -Vector3::z(), self.minor, self.across);
        }
        skin.mesh("torus", true)
    }
}
