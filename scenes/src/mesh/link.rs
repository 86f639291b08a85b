//! Links of a chain.

use std::f64::consts::{PI, TAU};

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A chain link: a round tube along a stadium in the xy plane (two straights along x, two half
/// circles), of `4 · (turn + straight) · across` triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainLink {
    /// Half the length of a straight (m).
    pub half_straight: f64,
    /// Radius of the core line's half circles (m).
    pub bend: f64,
    /// Radius of the tube (m).
    pub tube: f64,
    /// Steps around each half circle.
    pub turn: u32,
    /// Steps along each straight.
    pub straight: u32,
    /// Steps around the tube.
    pub across: u32,
}

impl Default for ChainLink {
    fn default() -> ChainLink {
        ChainLink { half_straight: 0.12, bend: 0.19, tube: 0.1, turn: 16, straight: 5, across: 16 }
    }
}

impl ChainLink {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a tube that closes the hole, or steps out
    /// of range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("chain link");
        check.length("half_straight", self.half_straight)?;
        check.length("bend", self.bend)?;
        check.length("tube", self.tube)?;
        check.below("tube", self.tube, self.bend, "it must be less than bend")?;
        check.steps("turn", self.turn, 2, "from 2 to 65536 steps are possible")?;
        check.steps("straight", self.straight, 1, "from 1 to 65536 steps are possible")?;
        check.steps("across", self.across, 3, "from 3 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        for end in 0..2u32 {
            let sign = if end == 0 { 1.0 } else { -1.0 };
            let from = -0.25 * TAU + f64::from(end) * PI;
            let center = Vector3::x() * (sign * self.half_straight);
            for i in 0..=self.turn {
                let (sin, cos) = libm::sincos(from + PI * f64::from(i) / f64::from(self.turn));
                let radial = Vector3::new(cos, sin, 0.0);
                self.section(&mut skin, center + radial * self.bend, radial);
            }
            for i in 1..self.straight {
                let along = 1.0 - 2.0 * f64::from(i) / f64::from(self.straight);
                let radial = Vector3::y() * sign;
                let at = Vector3::x() * (sign * along * self.half_straight) + radial * self.bend;
                self.section(&mut skin, at, radial);
            }
        }
        skin.mesh("chain link", true)
    }

    fn section(&self, skin: &mut Skin, at: Vector3<f64>, radial: Vector3<f64>) {
        skin.circle(Point3::from(at), radial, -Vector3::z(), self.tube, self.across);
    }
}
