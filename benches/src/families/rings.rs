//! A ring that lies flat in a plate: four points must carry it.

use impinge::query::QueryScratch;
use impinge_scenes::mesh::Torus;
use nalgebra::Isometry3;

use super::bodies::{annulus, block};
use super::case::{Body, Case, Contact, Touch};
use super::solid::Solid;
use super::verdict::Verdict;
use super::{Task, between, log_between};

pub const VARIANTS: [&str; 4] = ["flat, coarse", "flat, fine", "round, coarse", "round, fine"];

/// Judges a ring in a plate.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let is_coarse = task.variant.is_multiple_of(2);
    let around = if is_coarse { 6 + random.index(10) } else { 48 + random.index(80) };
    let (ring, low, height) = if task.variant < 2 {
        let height = between(random, 0.05, 0.2);
        let inner = between(random, 0.25, 0.45);
        (annulus(around as u32, [inner, 0.5], height), 0.0, height)
    } else {
        let minor = between(random, 0.05, 0.15);
        let across = if task.variant == 2 { 8 } else { 24 };
        let torus = Torus { major: 0.5 - minor, minor, around: around as u32, across };
        (Solid::of(&torus.mesh()?, 1.0), minor, minor)
    };
    let depth = height * log_between(random, 3e-3, 0.2);
    let plate = block([1.6, 1.6, 0.3]).refined_by_chance(random, 2_000);
    let ring = if task.variant < 2 { ring.refined_by_chance(random, 4_000) } else { ring };
    let aside = [0.0; 2].map(|_: f64| 0.25 * random.signed());
    let at = Isometry3::translation(aside[0], aside[1], low - depth);
    let poses = [Isometry3::translation(0.0, 0.0, -0.15), at];
    let bodies = [Body::Solid(plate), Body::Solid(ring)];
    verdict(&Case::new(bodies, poses, task.settings, random)?, depth)
}

fn verdict(case: &Case, depth: f64) -> anyhow::Result<Verdict> {
    let contacts = case.contacts(&mut QueryScratch::default())?;
    let Some(deepest) = contacts.first() else {
        return Ok(Verdict::without_manifold());
    };
    let deep = |c: &Contact| c.points.iter().filter(|p| p.depth >= 0.9 * depth).count();
    let most = contacts.iter().map(deep).max().unwrap_or(0);
    let ratio = deepest.depth / depth;
    let verdict = Verdict { ratio: Some(ratio), ..Verdict::of(deepest) };
    let share = |p: &Touch| format!("{:.4}", p.depth / depth);
    let shown: Vec<String> = deepest.points.iter().map(share).collect();
    Ok(verdict
        .check(most < 4, "few", || {
            format!("points of the deepest manifold over the depth: {}", shown.join(", "))
        })
        .remark((ratio - 1.0).abs() > 0.01, "depth", || format!("the true depth is {depth:.6}")))
}
