//! The default scene: a heap of non-convex bodies in a bin.

use std::path::Path;

use nalgebra::{Isometry3, Point3};

use super::lattice::Lattice;
use super::{Container, Scene, SceneError, SceneParams, camera, camera_around, count, empty};
use crate::asset;
use crate::mesh::OpenBox;

const USUAL: usize = 150;
const MOST: usize = 100_000;
/// Thickness of the bin's walls and floor (m).
const WALL: f64 = 0.6;

pub(super) fn scene(params: &SceneParams) -> Result<Scene, SceneError> {
    named("bin", params, USUAL)
}

/// The same with a thousand bodies.
pub(super) fn large(params: &SceneParams) -> Result<Scene, SceneError> {
    named("pile-1000", params, 1000)
}

fn named(name: &'static str, params: &SceneParams, usual: usize) -> Result<Scene, SceneError> {
    let bodies = count(name, params, usual, MOST)?;
    let mut scene = empty(name, camera(Point3::origin(), 1.0, 50.0));
    let kinds: Vec<usize> = if params.meshes.is_empty() {
        let folder = asset::folder(params.assets.as_deref());
        asset::load_all(&folder)?.into_iter().map(|(name, mesh)| scene.add_shape(name, mesh)).collect()
    } else {
        let load =
            |path: &std::path::PathBuf| Ok(scene.add_shape(&stem(path), params.mesh_options.shape(path)?));
        params.meshes.iter().map(load).collect::<Result<_, SceneError>>()?
    };
    scene.drop_into_bin(&kinds, bodies, params.seed)?;
    Ok(scene)
}

impl Scene {
    /// Adds an open bin and drops `bodies` of the shapes `kinds` into it.
    pub(super) fn drop_into_bin(
        &mut self,
        kinds: &[usize],
        bodies: usize,
        seed: u64,
    ) -> Result<(), SceneError> {
        let radius = self.greatest_radius(kinds);
        let side = libm::cbrt(0.8 * bodies as f64).round().max(3.0) as usize;
        let lattice = Lattice::new(side, 2.0 * radius);
        let half = lattice.half_width() + radius + 2.0 * lattice.jitter;
        let lift = radius + 2.0 * lattice.jitter;
        // The heap will be a third as high as the lattice; the walls need not be as high as that.
        let height = (0.45 * (lattice.height(bodies) + lift + radius)).max(3.0 * radius);
        let bin = OpenBox { half_inside: [half, half], height, wall: WALL, divisions: 1 };
        let bin = self.add_shape("bin", bin.mesh()?);
        self.add_fixed(bin, Isometry3::identity());
        self.fill(kinds, bodies, &lattice, lift, seed);
        self.container =
            Some(Container { min: Point3::new(-half, -half, 0.0), max: Point3::new(half, half, height) });
        let wall = half + WALL;
        self.camera = camera_around(Point3::new(-wall, -wall, -WALL), Point3::new(wall, wall, height), 50.0);
        Ok(())
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "mesh".into(), |s| s.to_string_lossy().into_owned())
}
