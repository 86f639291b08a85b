//! A flat block on slender tips of equal height: its points must support its centre.

use std::f64::consts::TAU;

use impinge::query::QueryScratch;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::bodies::{block, cone};
use super::case::{Body, Case};
use super::ground::Ground;
use super::hull::margin;
use super::solid::Solid;
use super::verdict::Verdict;
use super::{Task, between, log_between};

pub const VARIANTS: [&str; 3] = ["pyramids", "legs", "cones"];
/// Cells along a side of the plate, and the length of one.
const CELLS: u32 = 25;
const CELL: f64 = 0.04;
/// Least distance of the block's centre from the outline of the tips.
const MARGIN: f64 = 0.05;

/// Judges a block on tips.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let height = between(random, 0.3, 0.8);
    let cells = cells(random);
    let middle = |i: u32| (f64::from(i) + 0.5 - 0.5 * f64::from(CELLS)) * CELL;
    let tips: Vec<[f64; 2]> = cells.iter().map(|cell| cell.map(middle)).collect();
    let stand = match task.variant {
        2 => cones(&tips, height, random),
        kind => table(&cells, height, kind == 1),
    };
    let center = loop {
        let at = [0.0; 2].map(|_: f64| 0.15 * random.signed());
        if margin(at, &tips) > MARGIN {
            break at;
        }
    };
    let thick = between(random, 0.1, 0.4);
    let dip = height * log_between(random, 1e-3, 0.05);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * (TAU * random.unit()));
    let at = Translation3::new(center[0], center[1], height - dip + 0.5 * thick);
    let lid = block([1.8, 1.8, thick]).refined_by_chance(random, 1_000);
    let case = Case::new(
        [Body::Solid(stand), Body::Solid(lid)],
        [Isometry3::identity(), Isometry3::from_parts(at, turn)],
        task.settings,
        random,
    )?;
    verdict(&case, center, dip, tips.len())
}

fn verdict(case: &Case, center: [f64; 2], dip: f64, tips: usize) -> anyhow::Result<Verdict> {
    let contacts = case.contacts(&mut QueryScratch::default())?;
    let Some(deepest) = contacts.first() else {
        return Ok(Verdict::without_manifold());
    };
    let points = contacts.iter().flat_map(|c| &c.points);
    let points: Vec<[f64; 2]> = points.map(|p| [p.at.x, p.at.y]).collect();
    let inside = margin(center, &points);
    let verdict = Verdict { ratio: Some(deepest.depth / dip), ..Verdict::of(deepest) };
    let number = points.len();
    Ok(verdict
        .check(number < 3, "few", || format!("{number} points on {tips} tips"))
        .check(number >= 3 && inside < 0.0, "aside", || {
            format!("{number} points on {tips} tips leave the centre {:.4} outside", -inside)
        })
        .remark((deepest.depth / dip - 1.0).abs() > 0.01, "depth", || {
            let depth = deepest.depth;
            format!("the dip is {dip:.6} and the depth {depth:.6}")
        }))
}

/// Returns 3 to 12 cells around the middle whose outline contains the middle.
fn cells(random: &mut Random) -> Vec<[u32; 2]> {
    loop {
        let count = 3 + random.index(10);
        let mut cells: Vec<[u32; 2]> = Vec::new();
        for _ in 0..200 {
            let cell = [0; 2].map(|_: u32| 1 + random.index(CELLS as usize - 2) as u32);
            let is_apart = |other: &[u32; 2]| (0..2).any(|k| cell[k].abs_diff(other[k]) > 2);
            if cells.len() < count && cells.iter().all(is_apart) {
                cells.push(cell);
            }
        }
        let middle = |i: u32| (f64::from(i) + 0.5 - 0.5 * f64::from(CELLS)) * CELL;
        let places: Vec<[f64; 2]> = cells.iter().map(|cell| cell.map(middle)).collect();
        if cells.len() == count && margin([0.0; 2], &places) > 2.0 * MARGIN {
            return cells;
        }
    }
}

/// Returns a plate with a pyramid or a leg on each of some cells, its middle at the origin.
fn table(cells: &[[u32; 2]], height: f64, has_legs: bool) -> Solid {
    let heights = vec![0.0; ((CELLS + 1) * (CELLS + 1)) as usize];
    let ground = Ground { size: [CELLS + 1; 2], spacing: CELL, bottom: -0.1, heights };
    let build = |solid: &mut Solid, cell: [u32; 2], corners: [u32; 4]| {
        if !cells.contains(&cell) {
            return false;
        }
        let first = solid.vertices.len() as u32;
        let places = corners.map(|v| solid.vertices[v as usize]);
        if has_legs {
            solid.vertices.extend(places.map(|p| Point3::new(p.x, p.y, height)));
            for k in 0..4 {
                let next = (k + 1) % 4;
                let top = [first + next as u32, first + k as u32];
                solid.quad([corners[k], corners[next], top[0], top[1]]);
            }
            solid.quad([first, first + 1, first + 2, first + 3]);
        } else {
            let sum: Vector3<f64> = places.iter().map(|p| p.coords).sum();
            solid.vertices.push(Point3::new(0.25 * sum.x, 0.25 * sum.y, height));
            for k in 0..4 {
                solid.triangles.push([corners[k], corners[(k + 1) % 4], first]);
            }
        }
        true
    };
    let aside = -0.5 * f64::from(CELLS) * CELL;
    ground.solid_with(build).moved(&Isometry3::translation(aside, aside, 0.0))
}

/// Returns cones that stand apart from each other, as components of one body.
fn cones(tips: &[[f64; 2]], height: f64, random: &mut Random) -> Solid {
    let sides = [3, 6, 16][random.index(3)];
    let cone = cone(sides, 0.5 * CELL, height);
    let mut all = Solid::default();
    for &[x, y] in tips {
        all.join(&cone.moved(&Isometry3::translation(x, y, 0.0)));
    }
    all
}
