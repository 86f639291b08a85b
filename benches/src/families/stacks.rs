//! Boxes stacked with flush sides: the face between them decides the normal and the depth.

use impinge_scenes::random::Random;
use nalgebra::Isometry3;

use super::bodies::block;
use super::case::{Body, Case};
use super::edges;
use super::verdict::Verdict;
use super::{Task, between, log_between};

pub const VARIANTS: [&str; 4] = ["one side flush", "two opposite", "two at a corner", "four"];

/// Judges a box on a box.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let lower = [0.0; 2].map(|_: f64| between(random, 0.4, 1.0));
    // For each axis: whether the low and the high sides are flush.
    let flush = [
        [[true, false], [false, false]],
        [[true, true], [false, false]],
        [[true, false], [true, false]],
        [[true, true], [true, true]],
    ][task.variant];
    let [x, y] = [0, 1].map(|k| span(lower[k], flush[k], random));
    let heights = [0.0; 2].map(|_: f64| between(random, 0.2, 1.0));
    let upper = [x.1 - x.0, y.1 - y.0];
    let least = upper.iter().chain(&heights).copied().fold(f64::INFINITY, f64::min);
    let depth = least * log_between(random, 1e-3, 0.05);
    let base = block([lower[0], lower[1], heights[0]]).refined_by_chance(random, 2_000);
    let top = block([upper[0], upper[1], heights[1]]).refined_by_chance(random, 2_000);
    let poses = [
        Isometry3::translation(0.0, 0.0, -0.5 * heights[0]),
        Isometry3::translation(0.5 * (x.0 + x.1), 0.5 * (y.0 + y.1), 0.5 * heights[1] - depth),
    ];
    let bodies = [Body::Solid(base), Body::Solid(top)];
    edges::verdict(&Case::new(bodies, poses, task.settings, random)?, depth)
}

/// Returns where the upper box begins and ends along one axis.
fn span(lower: f64, [low, high]: [bool; 2], random: &mut Random) -> (f64, f64) {
    let mut inset = |is_flush: bool| {
        let share = between(random, 0.05, 0.3);
        if is_flush { 0.0 } else { share * lower }
    };
    (-0.5 * lower + inset(low), 0.5 * lower - inset(high))
}
