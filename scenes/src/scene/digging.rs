//! Ground that is dug away under bodies.

use std::f64::consts::PI;

use impinge_geometry::{LevelSet, LevelSetSettings, Shape, ShapeError};
use nalgebra::{Isometry3, Point3};

use super::body::SceneDigger;
use super::lattice::Lattice;
use super::{Container, Demand, Scene, SceneError, SceneParams, camera, count, empty};
use crate::mesh::Gear;

/// Samples along the sides and down, and from sample to sample (m).
const SAMPLES: [u32; 3] = [129, 129, 25];
const SPACING: f32 = 0.125;
/// Half the ground's width, and how deep it is (m).
const HALF: f64 = 7.8;
const DEPTH: f64 = 2.6;
/// The pit: its radius, how deep the middles of the balls go that are dug out, and their radius (m).
const PIT: f64 = 3.6;
const DEEPEST: f64 = 1.0;
const SCOOP: f64 = 0.4;
/// Steps in which the ground is dug; the rest is for what falls.
const DIGGING: usize = 480;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("digging", params, 50, 1000)?;
    let mut scene = empty("digging", camera(Point3::new(0.0, 0.0, -0.4), 3.6, 50.0));
    let gear = Gear::default().mesh()?;
    let gear = Shape::from(gear.scaled(0.28 / f64::from(gear.bounding_sphere().radius))?);
    let kinds = [
        scene.add_shape("ball", Shape::sphere(0.22)?),
        scene.add_shape("box", Shape::cuboid([0.2, 0.16, 0.13])?),
        scene.add_shape("gear", gear),
        scene.add_shape("capsule", Shape::capsule(0.12, 0.14)?),
    ];
    let ground = scene.add_shape("ground", ground()?);
    let dug = scene.bodies.len();
    scene.add_fixed(ground, Isometry3::identity());
    let radius = scene.greatest_radius(&kinds);
    let side = libm::ceil(libm::sqrt(bodies as f64)).max(2.0) as usize;
    let lattice = Lattice::new(side, 2.0 * radius);
    scene.fill(&kinds, bodies, &lattice, radius + 2.0 * lattice.jitter, params.seed);
    // As the seeds of a sunflower stand, from the middle outward, and again and again, each time deeper.
    let golden = PI * (3.0 - libm::sqrt(5.0));
    let places = (0..DIGGING).map(|k| {
        let share = (k * 37 % DIGGING) as f64 / DIGGING as f64;
        let (reach, turn) = (PIT * libm::sqrt(share), golden * k as f64);
        let down = DEEPEST * k as f64 / DIGGING as f64;
        Point3::new(reach * libm::cos(turn), reach * libm::sin(turn), -down)
    });
    scene.digger = Some(SceneDigger { body: dug, radius: SCOOP, places: places.collect() });
    // In the pit or at its rim: neither beside the ground nor under it.
    let (min, max) = (Point3::new(-HALF, -HALF, -DEPTH), Point3::new(HALF, HALF, radius));
    scene.demands.push(Demand::Kept(Container { min, max }));
    scene.comes_to_rest = false;
    scene.rolls_to_the_end = true;
    Ok(scene)
}

/// A flat block, whose top is at height 0.
fn ground() -> Result<Shape, SceneError> {
    let [width, _, height] = SAMPLES.map(|n| SPACING * (n - 1) as f32);
    let origin = [-0.5 * width, -0.5 * width, 0.2 - height];
    let settings = LevelSetSettings { spacing: [SPACING; 3], origin };
    let levels = LevelSet::from_function(SAMPLES, &settings, |p| {
        (p.x.abs() - HALF).max(p.y.abs() - HALF).max(p.z).max(-DEPTH - p.z)
    });
    Ok(levels.map_err(ShapeError::from)?.into())
}
