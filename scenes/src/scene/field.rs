//! Bodies on a large height field.

use std::f64::consts::TAU;

use impinge_geometry::{HeightField, HeightFieldSettings, Shape};
use nalgebra::{Isometry3, Point3};

use super::lattice::Lattice;
use super::{Container, Demand, Scene, SceneError, SceneParams, camera, count, empty};
use crate::mesh::Gear;
use crate::random::Random;

/// Samples along a side.
const SIDE: u32 = 4096;
/// From sample to sample (m).
const SPACING: f32 = 0.25;
/// Where the ground ends (m).
const BOTTOM: f32 = -4.0;
/// Half the height between the lowest hollow and the highest hill (m).
const RELIEF: f64 = 0.6;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("field", params, 1000, 100_000)?;
    let mut scene = empty("field", camera(Point3::origin(), 1.0, 40.0));
    let mut random = Random::new(5);
    let stone: Vec<Point3<f32>> =
        (0..24).map(|_| Point3::from(random.direction() * 0.25).cast::<f32>()).collect();
    let gear = Gear::default().mesh()?;
    let gear = Shape::from(gear.scaled(0.25 / f64::from(gear.bounding_sphere().radius))?);
    let kinds = [
        scene.add_shape("ball", Shape::sphere(0.2)?),
        scene.add_shape("box", Shape::cuboid([0.2, 0.16, 0.13])?),
        scene.add_shape("capsule", Shape::capsule(0.12, 0.12)?),
        scene.add_shape("cylinder", Shape::cylinder(0.12, 0.18)?),
        scene.add_shape("stone", Shape::hull(&stone)?),
        scene.add_shape("gear", gear),
    ];
    let ground = scene.add_shape("ground", ground()?);
    // The middle sample is at the origin.
    let half = f64::from(SPACING) * f64::from(SIDE / 2);
    scene.add_fixed(ground, Isometry3::translation(-half, -half, 0.0));
    let radius = scene.greatest_radius(&kinds);
    let side = libm::ceil(libm::sqrt(bodies as f64)).max(2.0) as usize;
    let lattice = Lattice::new(side, 2.0 * radius);
    scene.fill(&kinds, bodies, &lattice, RELIEF + radius + 2.0 * lattice.jitter, params.seed);
    let (min, max) = (Point3::new(-half, -half, -RELIEF), Point3::new(half, half, 2.0 * RELIEF));
    // On the ground, nowhere in it or under it. Balls may still roll from hollow to hollow.
    scene.demands.push(Demand::Kept(Container { min, max }));
    scene.comes_to_rest = false;
    scene.rolls_to_the_end = true;
    scene.camera = camera(Point3::origin(), 1.1 * lattice.half_width() + 1.0, 40.0);
    Ok(scene)
}

/// Hills and hollows of some metres' width.
fn ground() -> Result<HeightField, SceneError> {
    let mut random = Random::new(8);
    // Products of waves along x and along y, so that few sines are taken.
    let waves: Vec<[Vec<f64>; 2]> = (1..=3)
        .map(|k| {
            [0, 1].map(|_| {
                let length = (2.0 + 1.5 * random.unit()) * f64::from(k);
                let phase = TAU * random.unit();
                let at = |i: u32| libm::sin(TAU * f64::from(i) * f64::from(SPACING) / length + phase);
                (0..SIDE).map(at).collect()
            })
        })
        .collect();
    let share = RELIEF / 3.0;
    let height = |i: usize, j: usize| waves.iter().map(|[x, y]| share * x[i] * y[j]).sum::<f64>() as f32;
    let side = SIDE as usize;
    let heights = (0..side).flat_map(|j| (0..side).map(move |i| [i, j])).map(|[i, j]| height(i, j)).collect();
    let settings =
        HeightFieldSettings { spacing: [SPACING; 2], bottom: Some(BOTTOM), ..HeightFieldSettings::default() };
    Ok(HeightField::new([SIDE; 2], heights, &settings).map_err(impinge_geometry::ShapeError::from)?)
}
