//! A peg, and a block with a hole for it.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A round peg along z, of `2 · around · steps + 2 · (around - 2)` triangles, and `4 · around` more with a
/// chamfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peg {
    /// Radius to the corners (m).
    pub radius: f64,
    /// Half the length (m).
    pub half_height: f64,
    /// Corners of the section.
    pub around: u32,
    /// Steps along.
    pub steps: u32,
    /// By how much the edges of both ends are broken (m).
    pub chamfer: f64,
}

impl Default for Peg {
    fn default() -> Peg {
        Peg { radius: 0.28, half_height: 0.6, around: 48, steps: 12, chamfer: 0.0 }
    }
}

impl Peg {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, fewer than three corners or no step.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("peg");
        check.length("radius", self.radius)?;
        check.length("half_height", self.half_height)?;
        check.steps("around", self.around, 3, "from 3 to 65536 corners are possible")?;
        check.steps("steps", self.steps, 1, "from 1 to 65536 steps are possible")?;
        chamfer(&check, self.chamfer, self.radius.min(self.half_height))?;
        let mut skin = Skin::default();
        let mut ring =
            |radius: f64, z: f64| skin.ring((0..self.around).map(|j| around(j, self.around, radius, z)));
        if self.chamfer > 0.0 {
            ring(self.radius - self.chamfer, -self.half_height);
        }
        let straight = self.half_height - self.chamfer;
        for k in 0..=self.steps {
            ring(self.radius, straight * (2.0 * f64::from(k) / f64::from(self.steps) - 1.0));
        }
        if self.chamfer > 0.0 {
            ring(self.radius - self.chamfer, self.half_height);
        }
        skin.capped_mesh("peg")
    }
}

/// A square block around z with a round hole through it, of `2 · around · (steps + 3)` triangles, and
/// `4 · around` more with a chamfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoleBlock {
    /// Half the edge length of the square (m).
    pub half: f64,
    /// Radius of the hole, to the corners (m).
    pub hole: f64,
    /// Half the height (m).
    pub half_height: f64,
    /// Corners of the hole, a multiple of four.
    pub around: u32,
    /// Steps along the hole.
    pub steps: u32,
    /// By how much the edges of the hole are broken (m).
    pub chamfer: f64,
}

impl Default for HoleBlock {
    fn default() -> HoleBlock {
        HoleBlock { half: 0.6, hole: 0.3, half_height: 0.4, around: 48, steps: 8, chamfer: 0.0 }
    }
}

impl HoleBlock {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a hole that breaks the block, a number of
    /// corners that is no multiple of four, or no step.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("hole block");
        check.length("half", self.half)?;
        check.length("hole", self.hole)?;
        check.below("hole", self.hole, self.half, "it must be less than half")?;
        check.length("half_height", self.half_height)?;
        check.steps("steps", self.steps, 1, "from 1 to 65536 steps are possible")?;
        if self.around == 0 || !self.around.is_multiple_of(4) {
            return Err(check.fail("around", f64::from(self.around), "it must be a multiple of four"));
        }
        chamfer(&check, self.chamfer, (self.half - self.hole).min(self.half_height))?;
        let mut skin = Skin::default();
        // The corners of the square lie on the diagonals.
        let mut ring = |radius: f64, z: f64| {
            skin.ring((0..self.around).map(|j| around(2 * j + self.around / 4, 2 * self.around, radius, z)));
        };
        if self.chamfer > 0.0 {
            ring(self.hole + self.chamfer, self.half_height);
        }
        let straight = self.half_height - self.chamfer;
        for k in 0..=self.steps {
            ring(self.hole, straight * (1.0 - 2.0 * f64::from(k) / f64::from(self.steps)));
        }
        if self.chamfer > 0.0 {
            ring(self.hole + self.chamfer, -self.half_height);
        }
        for z in [-self.half_height, self.half_height] {
            skin.ring((0..self.around).map(|j| {
                let p = around(2 * j + self.around / 4, 2 * self.around, 1.0, z);
                let out = self.half / p.x.abs().max(p.y.abs());
                Point3::new(p.x * out, p.y * out, z)
            }));
        }
        skin.mesh("hole block", true)
    }
}

/// A broken edge must leave some of what it is cut from (m).
fn chamfer(check: &Check, chamfer: f64, most: f64) -> Result<(), GeneratorError> {
    let fits = (0.0..most).contains(&chamfer);
    if fits { Ok(()) } else { Err(check.fail("chamfer", chamfer, "it must be 0 or fit the sizes")) }
}

/// Point `j` of `count` around z.
pub(super) fn around(j: u32, count: u32, radius: f64, z: f64) -> Point3<f64> {
    let (sin, cos) = libm::sincos(TAU * f64::from(j) / f64::from(count));
    Point3::new(radius * cos, radius * sin, z)
}
