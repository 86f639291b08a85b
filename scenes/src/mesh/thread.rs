//! A nut and a bolt.

use std::f64::consts::TAU;

use impinge_geometry::TriMesh;
use nalgebra::Point3;

use super::fastening::around;
use super::skin::Skin;
use super::{Check, GeneratorError};

/// Corners of every ring of a nut or a bolt: a multiple of six, for the hexagon's corners.
const AROUND: u32 = 48;
/// Rings for each turn of a thread.
const PER_TURN: u32 = 12;

/// A screw thread around z, shared by the nut and the bolt that fit each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Mean radius (m).
    pub radius: f64,
    /// Half the height of its ridges (m).
    pub ridge: f64,
    /// Advance per turn (m).
    pub pitch: f64,
}

impl Default for Thread {
    fn default() -> Thread {
        Thread { radius: 0.2, ridge: 0.025, pitch: 0.1 }
    }
}

impl Thread {
    /// Radius of the flank at an angle and a height (m), in straight flanks.
    fn at(&self, angle: f64, z: f64) -> f64 {
        let phase = z / self.pitch - angle / TAU;
        let share = phase - phase.floor();
        self.radius + self.ridge * (4.0 * (share - 0.5).abs() - 1.0)
    }

    fn check(&self, check: &Check) -> Result<(), GeneratorError> {
        check.length("radius", self.radius)?;
        check.length("ridge", self.ridge)?;
        check.length("pitch", self.pitch)?;
        check.below("ridge", self.ridge, self.radius, "it must be less than radius")
    }
}

/// A bolt along z: a threaded shaft of some turns up from z = 0 and a hexagonal head below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bolt {
    /// The thread.
    pub thread: Thread,
    /// Turns of the thread.
    pub turns: u32,
    /// Radius of the head to its corners (m).
    pub head: f64,
    /// Height of the head (m).
    pub head_height: f64,
}

impl Default for Bolt {
    fn default() -> Bolt {
        Bolt { thread: Thread::default(), turns: 7, head: 0.38, head_height: 0.18 }
    }
}

impl Bolt {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a thread that does not fit, or no turn.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("bolt");
        self.thread.check(&check)?;
        check.length("head", self.head)?;
        check.length("head_height", self.head_height)?;
        check.below(
            "radius",
            1.3 * (self.thread.radius + self.thread.ridge),
            self.head,
            "the head must be wider",
        )?;
        check.steps("turns", self.turns, 1, "from 1 to 65536 turns are possible")?;
        let mut skin = Skin::default();
        for z in [-self.head_height, 0.0] {
            skin.ring((0..AROUND).map(|j| hexagon(j, self.head, z)));
        }
        for k in 0..=self.turns * PER_TURN {
            let z = self.thread.pitch * f64::from(k) / f64::from(PER_TURN);
            // The ends are round, so that they are flat and convex.
            let ends = k == 0 || k == self.turns * PER_TURN;
            skin.ring((0..AROUND).map(|j| {
                let radius = if ends {
                    self.thread.radius - self.thread.ridge
                } else {
                    self.thread.at(TAU * f64::from(j) / f64::from(AROUND), z)
                };
                around(j, AROUND, radius, z)
            }));
        }
        skin.capped_mesh("bolt")
    }
}

/// A hexagonal nut around z whose thread begins at z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nut {
    /// The thread of the bolt it fits.
    pub thread: Thread,
    /// How much wider than the bolt's its thread is (m).
    pub play: f64,
    /// Turns of the thread.
    pub turns: u32,
    /// Radius to the outer corners (m).
    pub outer: f64,
}

impl Default for Nut {
    fn default() -> Nut {
        Nut { thread: Thread::default(), play: 0.01, turns: 3, outer: 0.38 }
    }
}

impl Nut {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, a thread that does not fit, or no turn.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("nut");
        self.thread.check(&check)?;
        check.length("outer", self.outer)?;
        check.length("play", self.play)?;
        let widest = 1.2 * (self.thread.radius + self.thread.ridge + self.play);
        check.below("radius", widest, self.outer, "the outer radius must be greater")?;
        check.steps("turns", self.turns, 1, "from 1 to 65536 turns are possible")?;
        let height = self.thread.pitch * f64::from(self.turns);
        let mut skin = Skin::default();
        for k in (0..=self.turns * PER_TURN).rev() {
            let z = self.thread.pitch * f64::from(k) / f64::from(PER_TURN);
            skin.ring((0..AROUND).map(|j| {
                let radius = self.thread.at(TAU * f64::from(j) / f64::from(AROUND), z) + self.play;
                around(j, AROUND, radius, z)
            }));
        }
        for z in [0.0, height] {
            skin.ring((0..AROUND).map(|j| hexagon(j, self.outer, z)));
        }
        skin.mesh("nut", true)
    }
}

/// Point `j` of [`AROUND`] on a hexagon with corners at `radius`.
pub(super) fn hexagon(j: u32, radius: f64, z: f64) -> Point3<f64> {
    let side = TAU / 6.0;
    let angle = TAU * f64::from(j) / f64::from(AROUND);
    let within = angle - side * (angle / side).floor() - 0.5 * side;
    around(j, AROUND, radius * libm::cos(0.5 * side) / libm::cos(within), z)
}
