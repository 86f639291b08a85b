//! Bowls.

use std::f64::consts::{PI, TAU};

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A thick half spherical shell with a rounded rim, open toward +z, its sphere's centre at the
/// origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bowl {
    /// Outer radius (m).
    pub radius: f64,
    /// Thickness of the wall (m).
    pub wall: f64,
    /// Steps around the axis.
    pub around: u32,
    /// Steps from the pole to the rim, outside and inside; a quarter as many go over the rim.
    pub down: u32,
}

impl Default for Bowl {
    fn default() -> Bowl {
        Bowl { radius: 0.38, wall: 0.12, around: 36, down: 12 }
    }
}

impl Bowl {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] unless 0 < wall < radius and the steps are in range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("bowl");
        check.length("radius", self.radius)?;
        check.length("wall", self.wall)?;
        check.below("wall", self.wall, self.radius, "it must be less than radius")?;
        check.steps("around", self.around, 3, "from 3 to 65536 steps are possible")?;
        check.steps("down", self.down, 2, "from 2 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        let (outer, inner) = (self.radius, self.radius - self.wall);
        skin.ring([Point3::new(0.0, 0.0, -outer)]);
        for k in 1..=self.down {
            let (sin, cos) = libm::sincos(0.5 * PI * f64::from(k) / f64::from(self.down));
            self.circle(&mut skin, outer * sin, -outer * if k == self.down { 0.0 } else { cos });
        }
        let rim = (self.down / 2).max(2);
        for k in 1..rim {
            let (sin, cos) = libm::sincos(PI * f64::from(k) / f64::from(rim));
            self.circle(&mut skin, 0.5 * (outer + inner) + 0.5 * self.wall * cos, 0.5 * self.wall * sin);
        }
        for k in (1..=self.down).rev() {
            let (sin, cos) = libm::sincos(0.5 * PI * f64::from(k) / f64::from(self.down));
            self.circle(&mut skin, inner * sin, -inner * if k == self.down { 0.0 } else { cos });
        }
        skin.ring([Point3::new(0.0, 0.0, -inner)]);
        skin.mesh("bowl", false)
    }

    fn circle(&self, skin: &mut Skin, radius: f64, z: f64) {
        skin.ring((0..self.around).map(|j| {
            let (sin, cos) = libm::sincos(TAU * f64::from(j) / f64::from(self.around));
            Point3::new(radius * cos, radius * sin, z)
        }));
    }
}
