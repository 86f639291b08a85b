//! Fabrizio, "Easy Real-Time Collision Detection", section 3.1: a ship of 16,792 triangles in a scene of
//! 315,000 with a firework of 59,000 points.

use std::sync::Arc;

use impinge::height_map::{AgainstScratch, Bounds, Obstacle, Profile};
use impinge::prelude::*;
use impinge_scenes::soft::meadow::{self, Firework};

use super::watch::{Asked, in_turn};
use super::{Choice, TextRow, device};
use crate::row::hash;

const TEXT: &str = "Fabrizio";
const SCENE: &str = "scene-315k-59k";
const FRAMES: usize = 600;
/// What the collision test adds to a frame (µs): 6.4 ms against 5.8 ms on a GeForce GT 1030. There a flag
/// and plants are made by shaders as well.
const PRINTED: f64 = 600.0;
const PRINTED_ON: &str = "GT 1030, flag and plants too";
const SIZES: [u32; 2] = [256, 1024];

/// The ship with a ring around it.
pub(crate) fn object() -> anyhow::Result<TriMesh> {
    let mesh = meadow::ship()?;
    anyhow::ensure!(mesh.triangles().len() == 16_792, "{} triangles", mesh.triangles().len());
    Ok(mesh)
}

/// Where the ship is in a frame: low over the hills, through the firework.
pub(crate) fn at(frame: usize) -> Isometry3<f64> {
    let t = frame as f64 / FRAMES as f64;
    let place = Translation3::new(30.0 * t - 15.0, 2.0 * (9.0 * t).sin(), 1.1 + 1.2 * (25.0 * t).sin());
    Isometry3::from_parts(place, UnitQuaternion::from_euler_angles(0.6 * (11.0 * t).sin(), 0.0, 0.1))
}

/// How old the points of the firework are in a frame (s).
pub(crate) fn age(frame: usize) -> f64 {
    0.2 + (frame % 100) as f64 / 60.0
}

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    if !choice.takes(SCENE) {
        return Ok(Vec::new());
    }
    let mesh = Arc::new(object()?);
    let object = Shape::Mesh(mesh.clone());
    let hills = Arc::new(meadow::hills()?);
    let ground = Shape::Mesh(hills.clone());
    let obstacles = [Obstacle::new(&ground, Isometry3::identity(), 0)];
    let firework = Firework::default();
    let points_at = |frame: usize, out: &mut Vec<[f32; 3]>| firework.at_age(age(frame), out);
    let every = if choice.frames == 0 { 1 } else { FRAMES.div_ceil(choice.frames) };
    let frames: Vec<usize> = (0..FRAMES).step_by(every).collect();
    let mut rows = Vec::new();
    for pixels in SIZES {
        let profile = Profile::new(&object, Vector3::x(), pixels)?;
        let who = format!("map {pixels}, triangles and points");
        if !choice.has(&who) {
            continue;
        }
        let (mut scratch, mut inside) = (AgainstScratch::default(), Vec::new());
        let (mut points, mut times, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for &frame in &frames {
            points_at(frame, &mut points);
            let pose = at(frame);
            let mut ask = [Asked {
                who: who.clone(),
                alone: true,
                ask: Box::new(|_| {
                    inside.clear();
                    profile.points_inside(&pose, &points, Bounds::TwoSided, &mut inside);
                    let sums = profile.measure(&pose, &obstacles, Bounds::TwoSided, &mut scratch);
                    2 * inside.len() as u64 + u64::from(sums.at.is_some())
                }),
            }];
            let found = in_turn(&mut ask, &[frame], choice.rounds);
            times.push(found[0].times[0]);
            answers.push(found[0].answers[0]);
        }
        rows.push(TextRow {
            printed_us: Some(PRINTED),
            printed_on: PRINTED_ON,
            hits: answers.iter().map(|a| a / 2 + a % 2).sum(),
            hash: hash(answers.iter().map(|&a| a as u32)),
            ..TextRow::new(TEXT, SCENE, &who, choice, &times)
        });
    }
    rows.extend(device::triangles_and_points(
        (TEXT, SCENE, (PRINTED, PRINTED_ON)),
        choice,
        (&object, &mesh),
        &hills,
        &frames,
        at,
        points_at,
        &SIZES,
    )?);
    Ok(rows)
}
