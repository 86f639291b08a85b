//! Balls on rows of slender spikes and on rough ground: the depth has a bound from below.

use impinge::query::QueryScratch;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::bodies::ball;
use super::case::{Body, Case};
use super::clearance::{distance, least_depth};
use super::ground::Ground;
use super::verdict::Verdict;
use super::{Task, between, log_between};

pub const VARIANTS: [&str; 5] =
    ["ball on spikes", "mesh on spikes", "ball on a rough", "mesh on a rough", "mesh on a field"];
/// Cells along a side of the ground.
const CELLS: u32 = 24;

/// A ball that was pushed down into a ground.
pub struct Sunk {
    pub case: Case,
    center: Point3<f64>,
    radius: f64,
    /// Length of the way straight up on which the ball comes free.
    way_up: f64,
}

/// Judges a ball on spikes or on rough ground.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    verdict(&sunk(task)?)
}

/// Builds a ball on spikes or on rough ground.
///
/// # Errors
/// Fails for settings out of range.
pub fn sunk(task: &mut Task) -> anyhow::Result<Sunk> {
    let random = &mut task.random;
    let is_field = task.variant == 4;
    let is_spiked = task.variant < 2 || (is_field && random.index(2) == 0);
    let ground = ground(random, is_spiked);
    let pitch = 2.0 * ground.spacing;
    let radius = pitch * between(random, 1.0, 4.0);
    let middle = 0.5 * f64::from(CELLS) * ground.spacing;
    let aside = |random: &mut Random| middle + 2.0 * pitch * random.signed();
    let [x, y] = [aside(random), aside(random)];
    let from = ground.heights.iter().copied().fold(0.0, f64::max) + 1.1 * radius;
    let at = Isometry3::translation(x, y, from);
    let body = match task.variant {
        0 | 2 => Body::Ball(radius),
        _ => Body::Solid(ball(radius, 1 + random.index(3) as u32)),
    };
    let ground = if is_field { Body::Field(ground) } else { Body::Solid(ground.solid()) };
    let mut case = Case::new([ground, body], [Isometry3::identity(), at], task.settings, random)?;
    let way_up = radius * log_between(random, 1e-3, 0.5);
    anyhow::ensure!(case.push(&-Vector3::z(), way_up)?, "the ball does not reach the ground");
    let center = Point3::new(x, y, from) + case.travel();
    Ok(Sunk { case, center, radius, way_up })
}

/// Returns a ground with spikes of nearly the same height, or with random heights.
fn ground(random: &mut Random, is_spiked: bool) -> Ground {
    let spacing = 0.5 / f64::from(CELLS);
    let height = 2.0 * spacing * between(random, 1.0, 8.0);
    let rough = 2.0 * spacing * between(random, 0.2, 2.0);
    let uneven = [0.0, 0.05][random.index(2)];
    let samples = (CELLS + 1) * (CELLS + 1);
    let heights = (0..samples).map(|k| {
        let (i, j) = (k % (CELLS + 1), k / (CELLS + 1));
        match (is_spiked, i % 2 == 1 && j % 2 == 1) {
            (true, true) => height * (1.0 - uneven * random.unit()),
            (true, false) => 0.0,
            (false, _) => rough * random.unit(),
        }
    });
    let heights = heights.collect();
    Ground { size: [CELLS + 1; 2], spacing, bottom: -0.2, heights }
}

fn verdict(sunk: &Sunk) -> anyhow::Result<Verdict> {
    let Sunk { case, center, radius, way_up } = sunk;
    let contacts = case.contacts(&mut QueryScratch::default())?;
    let Some(deepest) = contacts.first() else {
        return Ok(Verdict::without_manifold());
    };
    let inner = match case.surface(1) {
        [] => *radius,
        surface => distance(center, surface),
    };
    let bound = least_depth(center, inner, case.surface(0));
    let ratio = (bound > 0.0).then(|| deepest.depth / bound);
    let verdict = Verdict { ratio, ..Verdict::of(deepest) };
    // Rounding moves surfaces by a millionth of the size.
    let is_shallow = deepest.depth < 0.98 * bound - 1e-6;
    let is_deep = deepest.depth > 1.05 * way_up + 1e-6;
    Ok(verdict.check(is_shallow, "shallow", || format!("the least depth is {bound:.6}")).remark(
        is_deep,
        "deep",
        || format!("{way_up:.6} straight up frees the ball"),
    ))
}
