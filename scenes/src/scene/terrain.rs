//! Bodies on bumpy ground.

use nalgebra::{Isometry3, Point3, Vector3};

use super::lattice::Lattice;
use super::{Container, Demand, Scene, SceneError, SceneParams, camera, count, empty};
use crate::asset;
use crate::mesh::Terrain;

/// Thickness of the ground (m).
const THICKNESS: f32 = 1.0;

/// The last of 40 bodies has rolled to a rest after 561 steps, and the second half of a run is judged.
const STEPS: u32 = 1200;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    let bodies = count("terrain", params, 40, 10_000)?;
    let mut scene = empty("terrain", camera(Point3::origin(), 1.0, 40.0));
    scene.steps = STEPS;
    let folder = asset::folder(params.assets.as_deref());
    let kinds: Vec<usize> =
        asset::load_all(&folder)?.into_iter().map(|(name, mesh)| scene.add_shape(name, mesh)).collect();
    let radius = scene.greatest_radius(&kinds);
    let side = libm::cbrt(4.0 * bodies as f64).round().max(2.0) as usize;
    let lattice = Lattice::new(side, 2.0 * radius);
    // The rim keeps bodies from rolling over the edge.
    let half = lattice.half_width() + 4.0 * radius;
    let ground = Terrain { half, rim: 3.0 * radius, ..Terrain::default() };
    let relief = ground.relief;
    let ground = ground.mesh()?.one_sided(THICKNESS, Vector3::z())?;
    let ground = scene.add_shape("ground", ground);
    scene.add_fixed(ground, Isometry3::identity());
    scene.fill(&kinds, bodies, &lattice, relief + radius + 2.0 * lattice.jitter, params.seed);
    // On the sheet, nowhere in it or under it.
    let (min, max) = (Point3::new(-half, -half, -relief), Point3::new(half, half, relief + 3.0 * radius));
    scene.demands.push(Demand::Kept(Container { min, max }));
    scene.demands.push(Demand::Still { drift: 1e-3, energy: 1e-6 });
    scene.camera = camera(Point3::origin(), 1.3 * half, 40.0);
    Ok(scene)
}
