//! A box and a gear against a level set of 128³ samples and against the mesh of its triangles, and 8³ samples of it changed.

use std::time::Instant;

use impinge::geometry::{LevelSet, LevelSetSettings};
use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_scenes::mesh::Gear;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Translation3};

use super::field::{Contacts, Contender, Touching};
use super::{Choice, Measured, Watch};

/// Samples along a side, and of an edit.
const SIDE: u32 = 128;
const EDITED: u32 = 8;
/// Half the grid's width (m).
const REACH: f64 = 2.0;

/// A ring with waves on it.
fn ring(p: &Point3<f64>) -> f64 {
    let waves = 0.04 * (9.0 * p.x).sin() * (8.0 * p.y).cos() * (7.0 * p.z).sin();
    (p.x.hypot(p.y) - 1.2).hypot(p.z) - 0.5 + waves
}

/// The level set, and the time that it took to make of its samples (ms).
pub(super) fn levels() -> anyhow::Result<(LevelSet, f64)> {
    let spacing = (2.0 * REACH / f64::from(SIDE - 1)) as f32;
    let settings = LevelSetSettings { spacing: [spacing; 3], origin: [-REACH as f32; 3] };
    let sampled = LevelSet::from_function([SIDE; 3], &settings, ring)?;
    let all = (0..SIDE).flat_map(|k| (0..SIDE).flat_map(move |j| (0..SIDE).map(move |i| [i, j, k])));
    let values = all.map(|at| sampled.value(at)).collect();
    let start = Instant::now();
    let made = LevelSet::new([SIDE; 3], values, &settings)?;
    Ok((made, start.elapsed().as_secs_f64() * 1e3))
}

/// Beside the ring's tube: about half of them touch.
fn pose(random: &mut Random) -> Isometry3<f64> {
    let turn = std::f64::consts::TAU * random.unit();
    let (reach, height) = (1.2 + 0.75 * random.signed(), 0.75 * random.signed());
    let at = Translation3::new(reach * turn.cos(), reach * turn.sin(), height);
    Isometry3::from_parts(at, random.rotation())
}

fn edits(levels: &mut LevelSet, choice: &Choice<'_>) -> anyhow::Result<Vec<f64>> {
    let (mut random, mut times) = (Random::new(3), Vec::with_capacity(choice.count));
    for n in 0..choice.count + 10 {
        // About a place of the surface.
        let turn = std::f64::consts::TAU * random.unit();
        let at = [1.7 * turn.cos(), 1.7 * turn.sin(), 0.0]
            .map(|x| ((x + REACH) / (2.0 * REACH) * f64::from(SIDE)) as u32);
        let first = at.map(|n| n.saturating_sub(EDITED / 2).clamp(1, SIDE - EDITED - 1));
        let mut values = Vec::new();
        for k in 0..EDITED {
            for j in 0..EDITED {
                for i in 0..EDITED {
                    let sample = [first[0] + i, first[1] + j, first[2] + k];
                    values.push(levels.value(sample) + if n % 2 == 0 { 0.01 } else { -0.01 });
                }
            }
        }
        let watch = Watch::start();
        levels.set_values(first, [EDITED; 3], &values)?;
        if n >= 10 {
            times.push(watch.micros());
        }
    }
    Ok(times)
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<Measured>> {
    let scene = "level-set-128";
    if choice.scene.is_some_and(|asked| asked != scene) {
        return Ok(Vec::new());
    }
    let gear: Shape = Gear::default().mesh()?.into();
    let gear = gear.scaled(0.3 / f64::from(gear.bounding_sphere().radius))?;
    let body = Shape::cuboid([0.3, 0.18, 0.12])?;
    let (mut own, build_ms) = levels()?;
    let start = Instant::now();
    let mesh: Shape = own.to_mesh()?.mesh.into();
    let mesh_ms = start.elapsed().as_secs_f64() * 1e3;
    let bytes = own.bytes();
    let shape: Shape = own.clone().into();
    let mut all: Vec<Measured> = Vec::new();
    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    let new = |query, who, build_ms, bytes| Measured {
        scene: scene.to_owned(),
        query,
        who,
        times: Vec::with_capacity(choice.count),
        work: 0,
        bytes,
        build_ms,
        beside: (scene.to_owned(), "impinge-mesh"),
    };
    for (shape, who, build_ms, bytes) in
        [(&mesh, "impinge-mesh", mesh_ms, 0), (&shape, "impinge", build_ms, bytes)]
    {
        if !choice.who.is_empty() && !choice.who.iter().any(|name| name == who) {
            continue;
        }
        let query = |body: &Shape| PairQuery::new(shape, body, QuerySettings::default());
        contenders.push(Box::new(Touching(query(&body)?, QueryScratch::default())));
        contenders.push(Box::new(Contacts(query(&gear)?, QueryScratch::default())));
        all.extend(["touching", "contacts"].map(|query| new(query, who, build_ms, bytes)));
    }
    let mut random = Random::new(9);
    for n in 0..choice.count + 20 {
        let at = pose(&mut random);
        for (own, contender) in all.iter_mut().zip(&mut contenders) {
            let watch = Watch::start();
            let found = contender.ask(&at);
            if n >= 20 {
                own.times.push(watch.micros());
                own.work += found;
            }
        }
    }
    let mut edit = new("edit", "impinge", build_ms, bytes);
    edit.beside.1 = "impinge";
    edit.times = edits(&mut own, choice)?;
    edit.work = u64::from(EDITED).pow(3) * choice.count as u64;
    all.push(edit);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_set_and_mesh_find_the_same() {
        let rows = run(&Choice { scene: Some("level-set-128"), who: &[], count: 60 }).unwrap();
        let work = |who: &str, query: &str| {
            rows.iter().find(|row| row.who == who && row.query == query).map(|row| row.work).unwrap()
        };
        assert_eq!(work("impinge", "touching"), work("impinge-mesh", "touching"));
        assert!((15..55).contains(&work("impinge", "touching")));
        let (points, of_mesh) = (work("impinge", "contacts"), work("impinge-mesh", "contacts"));
        assert!(points.abs_diff(of_mesh) * 20 <= of_mesh, "{points} {of_mesh}");
    }
}
