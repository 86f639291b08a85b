//! Bowls that stand.

use impinge_geometry::TriMesh;
use nalgebra::Point3;
use nalgebra::Vector3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A bowl around z that stands on a foot ring at z = 0, with a flat floor inside and a wall that flares.
/// Copies nest: the foot of one stands on the floor of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dish {
    /// Radius of the rim, outside (m).
    pub rim: f64,
    /// Height (m).
    pub height: f64,
    /// Radius of the outer wall where it rises from the foot (m).
    pub base: f64,
    /// Outer radius of the foot ring (m).
    pub foot: f64,
    /// Height of the foot ring (m).
    pub foot_height: f64,
    /// Thickness of wall (level), floor and foot ring (m).
    pub wall: f64,
    /// Steps around the axis.
    pub around: u32,
    /// Steps up the wall, outside and inside.
    pub steps: u32,
}

impl Default for Dish {
    fn default() -> Dish {
        Dish {
            rim: 0.44,
            height: 0.31,
            base: 0.2,
            foot: 0.17,
            foot_height: 0.05,
            wall: 0.05,
            around: 64,
            steps: 8,
        }
    }
}

impl Dish {
    /// How much higher each stands than the one below it in a stack (m).
    pub fn pitch(&self) -> f64 {
        self.foot_height + self.wall
    }

    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for sizes that are not positive or do not fit each other, or steps out of
    /// range.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("dish");
        check.length("rim", self.rim)?;
        check.length("height", self.height)?;
        check.length("foot_height", self.foot_height)?;
        check.length("wall", self.wall)?;
        check.below("base", self.base, self.rim, "it must be less than rim")?;
        check.below("foot", self.foot, self.base, "it must be less than base")?;
        check.below("wall", self.wall, self.foot, "it must be less than foot")?;
        check.below("foot_height", 2.0 * self.pitch(), self.height, "the bowl must be higher")?;
        check.steps("around", self.around, 3, "from 3 to 65536 steps are possible")?;
        check.steps("steps", self.steps, 2, "from 2 to 65536 steps are possible")?;
        let mut skin = Skin::default();
        let inside = self.foot - self.wall;
        skin.ring([Point3::new(0.0, 0.0, self.foot_height)]);
        let mut circle = |radius: f64, z: f64| {
            skin.circle(Point3::new(0.0, 0.0, z), Vector3::x(), Vector3::y(), radius, self.around);
        };
        circle(inside, self.foot_height);
        circle(inside, 0.0);
        circle(self.foot, 0.0);
        circle(self.foot, self.foot_height);
        let share = |k: u32| f64::from(k) / f64::from(self.steps);
        for k in 0..=self.steps {
            let z = self.foot_height + (self.height - 0.3 * self.wall - self.foot_height) * share(k);
            circle(self.outer(z), z);
        }
        // The rim's edge is broken.
        let edge = self.outer(self.height - 0.3 * self.wall);
        circle(edge - 0.3 * self.wall, self.height);
        circle(edge - 0.7 * self.wall, self.height);
        for k in (0..=self.steps).rev() {
            let z = self.pitch() + (self.height - 0.3 * self.wall - self.pitch()) * share(k);
            circle(self.outer(z) - self.wall, z);
        }
        skin.ring([Point3::new(0.0, 0.0, self.pitch())]);
        skin.mesh("dish", false)
    }

    /// Radius of the outer wall at a height (m).
    fn outer(&self, z: f64) -> f64 {
        let up = (z - self.foot_height) / (self.height - self.foot_height);
        self.base + (self.rim - self.base) * up * (1.15 - 0.15 * up)
    }
}
