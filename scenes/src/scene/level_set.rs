//! Bodies in a bowl, both of them level sets.

use impinge_geometry::{LevelSet, LevelSetSettings, Shape, ShapeError};
use nalgebra::{Isometry3, Point3};

use super::lattice::Lattice;
use super::{Container, Demand, Scene, SceneError, SceneParams, camera, count, empty};
use crate::mesh::Gear;

/// Samples along a side of the bowl's grid, and of the gear's at its longest.
const SIDE: u32 = 128;
/// From sample to sample of the bowl (m).
const SPACING: f32 = 0.05;
/// Radius of the bowl, and the height of its middle (m).
const BOWL: f64 = 2.6;
const MIDDLE: f64 = 2.0;
/// Where the block that the bowl is in ends: to the sides, at the top and at the bottom (m).
const BLOCK: f64 = 3.0;
const TOP: f64 = 1.6;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("level-set", params, 16, 1000)?;
    let mut scene = empty("level-set", camera(Point3::new(0.0, 0.0, -0.2), 2.6, 50.0));
    let gear = Gear::default().mesh()?;
    let gear = gear.scaled(0.35 / f64::from(gear.bounding_sphere().radius))?;
    let long = gear.aabb().max[0] - gear.aabb().min[0];
    // Four samples are beyond it.
    let levels = LevelSet::from_mesh(&gear, long / (SIDE - 6) as f32).map_err(ShapeError::from)?;
    let kinds = [
        scene.add_shape("gear of levels", levels),
        scene.add_shape("ball", Shape::sphere(0.22)?),
        scene.add_shape("gear", gear),
        scene.add_shape("box", Shape::cuboid([0.2, 0.16, 0.13])?),
    ];
    let bowl = scene.add_shape("bowl", bowl()?);
    scene.add_fixed(bowl, Isometry3::identity());
    let radius = scene.greatest_radius(&kinds);
    let side = libm::ceil(libm::cbrt(bodies as f64)).max(2.0) as usize;
    let lattice = Lattice::new(side, 2.0 * radius);
    scene.fill(&kinds, bodies, &lattice, radius + 2.0 * lattice.jitter, params.seed);
    let (min, max) = (Point3::new(-BOWL, -BOWL, MIDDLE - BOWL), Point3::new(BOWL, BOWL, TOP));
    scene.demands.push(Demand::Kept(Container { min, max }));
    Ok(scene)
}

/// A bowl with waves in it, within a block.
fn bowl() -> Result<Shape, SceneError> {
    let half = 0.5 * SPACING * (SIDE - 1) as f32;
    let settings = LevelSetSettings { spacing: [SPACING; 3], origin: [-half; 3] };
    let levels = LevelSet::from_function([SIDE; 3], &settings, |p| {
        let block = (p.x.abs() - BLOCK).max(p.y.abs() - BLOCK).max(p.z - TOP).max(-BLOCK - p.z);
        let waves = 0.06 * libm::sin(4.0 * p.x) * libm::sin(4.0 * p.y);
        block.max(BOWL + waves - (p - Point3::new(0.0, 0.0, MIDDLE)).norm())
    });
    Ok(levels.map_err(ShapeError::from)?.into())
}
