//! The suite of directions: how often height maps along a direction chosen by itself are wrong, beside the
//! best and the worst of 406 directions. Judged by exact answers.

use std::fmt::Write;
use std::sync::Arc;

use impinge::PairQuery;
use impinge::height_map::{
    AgainstScratch, Bounds, Candidates, Obstacle, Profile, best_direction, directions, waste,
};
use impinge::prelude::*;
use impinge::query::QueryScratch;
use impinge_scenes::mesh::{Blob, Bowl, ChainLink, Gear, Hook, Knot, OpenBox, Pan, Ship, Torus};
use impinge_scenes::random::Random;
use rayon::prelude::*;
use serde::Serialize;

use crate::row::Origin;

mod car;

/// Pixels along the longer side of a map.
const PIXELS: u32 = 128;
/// Directions over the sphere, beside the six of the box.
const SPHERE: u32 = 400;

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    /// Obstacles around each object.
    pub placements: usize,
}

/// Answers that differ from the exact ones.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Wrong {
    /// The map says yes, the exact answer no.
    pub false_hits: usize,
    /// The other way round.
    pub missed: usize,
}

impl Wrong {
    fn all(self) -> usize {
        self.false_hits + self.missed
    }
}

/// One object with one kind of bounds.
#[derive(Clone, Debug, Serialize)]
pub struct DirectionRow {
    pub suite: &'static str,
    pub object: &'static str,
    pub bounds: &'static str,
    pub placements: usize,
    /// Placements that overlap, exactly.
    pub touching: usize,
    /// The least waste of the box's 6 axes, of 26, and of all 406.
    pub of_6: Wrong,
    pub of_26: Wrong,
    pub of_406: Wrong,
    /// Of the box's axes the one nearest to the separating translation of the last contact.
    pub followed: Wrong,
    /// The least, the middle and the most that any of 406 directions gets wrong.
    pub best: Wrong,
    pub median: Wrong,
    pub worst: Wrong,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

fn objects() -> anyhow::Result<Vec<(&'static str, TriMesh)>> {
    Ok(vec![
        ("car", car::mesh()?),
        ("ship", Ship::default().mesh()?),
        ("gear", Gear::default().mesh()?),
        ("bowl", Bowl::default().mesh()?),
        ("torus", Torus::default().mesh()?),
        ("hook", Hook::default().mesh()?),
        ("link", ChainLink::default().mesh()?),
        ("open box", OpenBox::default().mesh()?),
        ("pan", Pan::default().mesh()?),
        ("knot", Knot::default().mesh()?),
    ])
}

pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut dyn FnMut(&DirectionRow),
) -> anyhow::Result<Vec<DirectionRow>> {
    let mut rows = Vec::new();
    for (name, mesh) in objects()? {
        if choice.scene.is_some_and(|wanted| wanted != name) {
            continue;
        }
        for row in object(name, mesh, choice, origin)? {
            out(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn object(
    name: &'static str,
    mesh: TriMesh,
    choice: &Choice<'_>,
    origin: &Origin,
) -> anyhow::Result<Vec<DirectionRow>> {
    let shape = Shape::Mesh(Arc::new(mesh));
    let size = f64::from(shape.bounding_sphere().radius);
    // Rocks of a twelfth to a third of the object's size, anywhere in its box and a little around.
    let mut random = Random::new(17);
    let rock = |radius: f64| {
        let blob = Blob { radius, bump: 0.3 * radius, subdivisions: 2, ..Blob::default() };
        blob.mesh().map(Shape::from)
    };
    let rocks = [size / 12.0, size / 6.0, size / 3.0].map(rock);
    let rocks: Vec<Shape> = rocks.into_iter().collect::<Result<_, _>>()?;
    let aabb = shape.aabb();
    let placements: Vec<(usize, Isometry3<f64>)> = (0..choice.placements)
        .map(|k| {
            let place = |i: usize, random: &mut Random| {
                let (low, high) = (f64::from(aabb.min[i]), f64::from(aabb.max[i]));
                0.5 * (low + high) + random.signed() * (0.5 * (high - low) + 0.2 * size)
            };
            let at = Vector3::from([0, 1, 2].map(|i| place(i, &mut random)));
            (k % rocks.len(), Isometry3::from_parts(at.into(), random.rotation()))
        })
        .collect();
    let queries = rocks.iter().map(|rock| PairQuery::new(&shape, rock, QuerySettings::default()));
    let queries: Vec<PairQuery> = queries.collect::<Result<_, _>>()?;
    let here = Isometry3::identity();
    let exact: Vec<Option<Vector3<f64>>> = placements
        .par_iter()
        .map_init(QueryScratch::default, |scratch, (rock, pose)| {
            let answer = queries[*rock].at_with(&here, pose, scratch).ok()?;
            let normal = answer.manifolds.first().map_or_else(Vector3::z, |m| m.normal);
            answer.touching.then_some(normal)
        })
        .collect();
    let ready: Vec<Obstacle> = rocks.iter().map(|rock| Obstacle::new(rock, here, 0)).collect();
    let all = directions(&shape, Candidates::Sphere(SPHERE));
    let mut rows = Vec::new();
    for (bounds, bounds_name) in [(Bounds::TwoSided, "both sides"), (Bounds::Box, "one side")] {
        // Of every direction which placements it gets wrong.
        let found: Vec<Vec<bool>> = all
            .par_iter()
            .map(|direction| {
                let Ok(profile) = Profile::new(&shape, *direction, PIXELS) else { return Vec::new() };
                let mut scratch = AgainstScratch::default();
                placements
                    .iter()
                    .map(|(rock, pose)| {
                        let obstacle = [Obstacle { pose: *pose, ..ready[*rock].clone() }];
                        profile.meets(&here, &obstacle, bounds, &mut scratch)
                    })
                    .collect()
            })
            .collect();
        let judge = |answers: &mut dyn Iterator<Item = bool>| {
            let mut wrong = Wrong::default();
            for (yes, truth) in answers.zip(&exact) {
                wrong.false_hits += usize::from(yes && truth.is_none());
                wrong.missed += usize::from(!yes && truth.is_some());
            }
            wrong
        };
        let mut judged: Vec<Wrong> = found.iter().map(|f| judge(&mut f.iter().copied())).collect();
        let wasted: Vec<f64> =
            all.par_iter().map(|d| waste(&shape, *d, bounds).unwrap_or(f64::INFINITY)).collect();
        let least = |count: usize| {
            let best = (0..count).min_by(|&a, &b| wasted[a].total_cmp(&wasted[b])).unwrap_or(0);
            judged[best]
        };
        let chosen = best_direction(&shape, bounds, Candidates::Diagonals)?;
        let profile = Profile::new(&shape, chosen, PIXELS)?;
        let mut scratch = AgainstScratch::default();
        let of_26 = judge(&mut placements.iter().map(|(rock, pose)| {
            let obstacle = [Obstacle { pose: *pose, ..ready[*rock].clone() }];
            profile.meets(&here, &obstacle, bounds, &mut scratch)
        }));
        let (of_6, of_406) = (least(6), least(all.len()));
        // The object moves toward the rock: from A to B points the contact's normal.
        let mut last = Vector3::z();
        let mut followed = Wrong::default();
        for (k, truth) in exact.iter().enumerate() {
            if let Some(normal) = truth {
                last = *normal;
            }
            let axis = (0..6).max_by(|&a, &b| all[a].dot(&last).total_cmp(&all[b].dot(&last))).unwrap_or(0);
            let yes = found[axis][k];
            followed.false_hits += usize::from(yes && truth.is_none());
            followed.missed += usize::from(!yes && truth.is_some());
        }
        judged.sort_by_key(|wrong| (wrong.all(), wrong.missed));
        rows.push(DirectionRow {
            suite: "directions",
            object: name,
            bounds: bounds_name,
            placements: placements.len(),
            touching: exact.iter().filter(|t| t.is_some()).count(),
            of_6,
            of_26,
            of_406,
            followed,
            best: judged[0],
            median: judged[judged.len() / 2],
            worst: judged[judged.len() - 1],
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        });
    }
    Ok(rows)
}

/// A Markdown table: false and missed hits of each choice.
pub fn table(rows: &[DirectionRow]) -> String {
    let mut text = String::from(
        "\n| object | bounds | overlap | least waste of 6 | of 26 | of 406 | last normal, of 6 | best of 406 | median | worst |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let show = |w: Wrong| format!("{} + {}", w.false_hits, w.missed);
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} of {} | {} | {} | {} | {} | {} | {} | {} |",
            row.object,
            row.bounds,
            row.touching,
            row.placements,
            show(row.of_6),
            show(row.of_26),
            show(row.of_406),
            show(row.followed),
            show(row.best),
            show(row.median),
            show(row.worst),
        );
    }
    text
}
