//! Hooks.

use std::f64::consts::PI;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A hook: a round tube along the letter J in the xz plane, its shank along z, with rounded ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hook {
    /// Length of the shank's core line above the bend's centre (m).
    pub shank: f64,
    /// Radius of the core line's bend (m).
    pub bend: f64,
    /// How far the bend turns (rad), up to a full turn less the tube.
    pub turn: f64,
    /// Radius of the tube (m).
    pub tube: f64,
    /// Steps along the shank.
    pub along: u32,
    /// Steps along the bend.
    pub around: u32,
    /// Steps around the tube, also used for the rounded ends; even.
    pub across: u32,
}

impl Default for Hook {
    fn default() -> Hook {
        Hook { shank: 0.36, bend: 0.19, turn: 3.7, tube: 0.1, along: 8, around: 24, across: 16 }
    }
}

impl Hook {
    /// The mesh. Its origin is half-way up.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a tube that closes the bend, a turn that
    /// meets the shank, or steps out of range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("hook");
        check.length("shank", self.shank)?;
        check.length("bend", self.bend)?;
        check.length("tube", self.tube)?;
        check.below("tube", self.tube, self.bend, "it must be less than bend")?;
        check.length("turn", self.turn)?;
        check.below(
            "turn",
            self.turn,
            1.7 * PI,
            "it must be less than 1.7 pi, or the tip meets the shank",
        )?;
        check.steps("along", self.along, 1, "from 1 to 65536 steps are possible")?;
        check.steps("around", self.around, 2, "from 2 to 65536 steps are possible")?;
        check.steps("across", self.across, 4, "from 4 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        let lift = Vector3::z() * (0.5 * (self.bend - self.shank));
        // Down the shank at x = -bend, then around the origin through its lowest point.
        let radial = -Vector3::x();
        let top = Vector3::new(-self.bend, 0.0, self.shank) + lift;
        self.end(&mut skin, top, radial, -Vector3::z(), true);
        for i in 1..self.along {
            let down = Vector3::z() * (-self.shank * f64::from(i) / f64::from(self.along));
            self.section(&mut skin, top + down, radial, -Vector3::z(), 1.0);
        }
        for i in 0..self.around {
            let (at, radial, tangent) = self.bend_at(f64::from(i) / f64::from(self.around));
            self.section(&mut skin, at + lift, radial, tangent, 1.0);
        }
        let (at, radial, tangent) = self.bend_at(1.0);
        self.end(&mut skin, at + lift, radial, tangent, false);
        skin.mesh("hook", false)
    }

    /// Core point, radial direction and tangent at a share of the bend's turn.
    fn bend_at(&self, share: f64) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
        let (sin, cos) = libm::sincos(self.turn * share);
        let radial = Vector3::new(-cos, 0.0, -sin);
        (radial * self.bend, radial, Vector3::new(sin, 0.0, -cos))
    }

    fn section(
        &self,
        skin: &mut Skin,
        at: Vector3<f64>,
        radial: Vector3<f64>,
        tangent: Vector3<f64>,
        share: f64,
    ) {
        let binormal = tangent.cross(&radial);
        skin.circle(Point3::from(at), radial, binormal, self.tube * share, self.across);
    }

    /// A half ball whose flat side stands at `at`; the first one begins the row, the last ends it.
    fn end(
        &self,
        skin: &mut Skin,
        at: Vector3<f64>,
        radial: Vector3<f64>,
        tangent: Vector3<f64>,
        first: bool,
    ) {
        let outward = if first { -tangent } else { tangent };
        let steps = (self.across / 4).max(2);
        for k in 0..=steps {
            // 0 at the pole, `steps` at the flat side.
            let k = if first { k } else { steps - k };
            if k == 0 {
                skin.ring([Point3::from(at + outward * self.tube)]);
                continue;
            }
            let (sin, cos) = libm::sincos(0.5 * PI * f64::from(k) / f64::from(steps));
            let cos = if k == steps { 0.0 } else { cos };
            self.section(skin, at + outward * (self.tube * cos), radial, tangent, sin);
        }
    }
}
