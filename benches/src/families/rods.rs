//! Slender rods, square and round, that stand in a body.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Vector3};

use super::Task;
use super::bodies::{outline, prism};
use super::plates::{self, RATIOS};
use super::verdict::Verdict;

pub const VARIANTS: [&str; 5] = plates::VARIANTS;

/// Judges a rod in a body.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let sides = [4, 8, 16][random.index(3)];
    let radius = 0.5 / RATIOS[task.variant];
    let rod = prism(&outline(sides, radius, 0.0), [-0.5, 0.5]).refined_by_chance(random, 3_000);
    let along_x = Isometry3::rotation(Vector3::y() * FRAC_PI_2);
    let case = plates::standing(&rod.moved(&along_x), task)?;
    plates::verdict(&case)
}
