//! A foot over the edge of a block: the face decides the normal and the depth.

use std::f64::consts::TAU;

use impinge::query::QueryScratch;
use nalgebra::{Isometry3, Vector3};

use super::bodies::{block, outline, prism};
use super::case::{Body, Case};
use super::verdict::Verdict;
use super::{Task, between, log_between};

pub const VARIANTS: [&str; 3] = ["box", "prism, 3 to 8", "prism, 9 to 32"];
/// Greatest tilt of a normal (degrees) and greatest relative error of a depth.
const TILT: f64 = 2.0;
const ERROR: f64 = 0.01;

/// Judges a foot over the edge of a block.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let radius = between(random, 0.1, 0.4);
    let corners = match task.variant {
        0 => {
            let [x, y] = [0.0; 2].map(|_: f64| radius * between(random, 0.4, 0.7));
            vec![[-x, -y], [x, -y], [x, y], [-x, y]]
        }
        1 => outline(3 + random.index(6) as u32, radius, TAU * random.unit()),
        _ => outline(9 + random.index(24) as u32, radius, TAU * random.unit()),
    };
    let low = corners.iter().map(|c| c[0]).fold(f64::INFINITY, f64::min);
    let high = corners.iter().map(|c| c[0]).fold(f64::NEG_INFINITY, f64::max);
    let length = (high - low) * between(random, 0.3, 0.7);
    let depth = length * log_between(random, 1e-3, 0.05);
    let height = between(random, 0.3, 1.0);
    let thick = between(random, 0.3, 1.0);
    let aside = (0.48 - radius) * random.signed();
    let foot = prism(&corners, [0.0, height]).refined_by_chance(random, 2_000);
    let base = block([1.0, 1.0, thick]).refined_by_chance(random, 2_000);
    let poses = [
        Isometry3::translation(-0.5, 0.0, -0.5 * thick),
        Isometry3::translation(-low - length, aside, -depth),
    ];
    let bodies = [Body::Solid(base), Body::Solid(foot)];
    verdict(&Case::new(bodies, poses, task.settings, random)?, depth)
}

/// Judges a body that is `depth` deep in a face that looks along z.
pub fn verdict(case: &Case, depth: f64) -> anyhow::Result<Verdict> {
    let contacts = case.contacts(&mut QueryScratch::default())?;
    let Some(deepest) = contacts.first() else {
        return Ok(Verdict::without_manifold());
    };
    let tilt = deepest.normal.angle(&Vector3::z()).to_degrees();
    let ratio = deepest.depth / depth;
    let verdict = Verdict { ratio: Some(ratio), ..Verdict::of(deepest) };
    Ok(verdict.check(tilt > TILT, "tilted", || format!("{tilt:.2} degrees off the face")).check(
        (ratio - 1.0).abs() > ERROR,
        "depth",
        || format!("the true depth is {depth:.6}"),
    ))
}
