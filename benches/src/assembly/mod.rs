//! Parts of a folder along the way in which they are put together: a nut on its bolt, a peg in its hole, a gear on its
//! base, in contact at every pose.
//!
//! Files are found by their names, and are to stand in one frame where the assembly is put together, with z along it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::mesh_peers::{MeshContender, Ours, Query, Way};
use crate::meshes::poses::Placement;
use crate::meshes::scene::MeshScene;

/// Poses of each pair.
const POSES: usize = 40;
/// How deep parts are pressed into each other (m).
const PRESSED: f64 = 1e-5;
/// Steps in which a place between touching and not is halved.
const HALVINGS: usize = 30;
/// Ways per turn of metric coarse threads (m), by the names of their sizes.
const PITCHES: [(&str, f64); 5] =
    [("m4", 0.7e-3), ("m8", 1.25e-3), ("m12", 1.75e-3), ("m16", 2e-3), ("m20", 2.5e-3)];

/// How a part comes to its place.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    /// Along a thread, lying on it.
    Screw,
    /// Along z, leaning to one side.
    Slide,
    /// Along z and turned about its own axis, leaning to one side.
    Turn,
}

/// Words in the names of the file that stands and of the one that moves.
const PAIRS: [(&str, &str, Motion); 4] = [
    ("bolt", "nut", Motion::Screw),
    ("round_hole", "round_peg", Motion::Slide),
    ("rectangular_hole", "rectangular_peg", Motion::Slide),
    ("gear_base", "gear_small", Motion::Turn),
];

/// The scenes of the parts in a folder.
pub fn scenes(folder: &Path) -> anyhow::Result<Vec<MeshScene>> {
    let listed =
        std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut files: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let named = |word: &str| {
        files.iter().find(|file| file.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(word)))
    };
    let mut scenes = Vec::new();
    for (fixed, moving, motion) in PAIRS {
        let (Some(fixed_file), Some(moving_file)) = (named(fixed), named(moving)) else {
            eprintln!("skipped: {} has no {fixed} and {moving}", folder.display());
            continue;
        };
        let mut meshes = Vec::new();
        for file in [fixed_file, moving_file] {
            let mesh = TriMesh::load(file)?;
            if !mesh.is_closed() {
                bail!("{}: it is not closed (`impinge inspect` lists every defect)", file.display());
            }
            meshes.push(Arc::new(mesh));
        }
        let meshes: [Arc<TriMesh>; 2] = [meshes[0].clone(), meshes[1].clone()];
        let name = format!("{moving}-on-{fixed}");
        let pitch = PITCHES.iter().rev().find(|(size, _)| {
            moving_file.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(size))
        });
        let way = Assembly { meshes: &meshes, motion, pitch: pitch.map_or(1e-3, |pitch| pitch.1) };
        let placements = way.placements();
        if placements.is_empty() {
            bail!("{name}: there is no place along z where the parts are free of each other");
        }
        scenes.push(MeshScene { name, meshes, placements });
    }
    if scenes.is_empty() {
        bail!("{}: there are no two parts of an assembly in it", folder.display());
    }
    Ok(scenes)
}

/// The way of a part to its place.
struct Assembly<'m> {
    meshes: &'m [Arc<TriMesh>; 2],
    motion: Motion,
    /// Way per turn of a thread (m).
    pitch: f64,
}

impl Assembly<'_> {
    /// Poses along the way at which the parts are pressed into each other by [`PRESSED`].
    fn placements(&self) -> Vec<Placement> {
        let mut oracle = Ours::new(Way::Best, self.meshes);
        let mut touching =
            |pose: &Isometry3<f64>| oracle.ask(Query::Touching, &Isometry3::identity(), pose) > 0.0;
        let height = f64::from(self.meshes[0].aabb().max[2] - self.meshes[0].aabb().min[2]);
        let mut placements = Vec::new();
        for k in 0..POSES {
            let part = k as f64 / POSES as f64;
            let (start, towards, reach) = match self.motion {
                Motion::Screw => {
                    (self.turned(part * 2.0, self.pitch * part * 2.0), -Vector3::z(), self.pitch)
                }
                Motion::Slide => (self.turned(0.0, 0.9 * height * part + 1e-4), self.aside(k), 2e-3),
                Motion::Turn => (self.turned(0.37 * part, 0.9 * height * part + 1e-4), self.aside(k), 2e-3),
            };
            let at = |along: f64| Translation3::from(towards * along) * start;
            // The nearest free place, then onwards until they touch.
            let tries = (0..=200).map(|i| f64::from(i) * 5e-3 * reach);
            let Some(free) = tries.flat_map(|way| [-way, way]).find(|&way| !touching(&at(way))) else {
                continue;
            };
            let Some(held) =
                (1..=400).map(|i| free + f64::from(i) * 5e-3 * reach).find(|&way| touching(&at(way)))
            else {
                continue;
            };
            let (mut free, mut held) = (held - 5e-3 * reach, held);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (free + held);
                if touching(&at(middle)) { held = middle } else { free = middle }
            }
            placements.push([Isometry3::identity(), at(held + PRESSED)]);
        }
        placements
    }

    /// The moving part so many turns about its own axis and so far up (m).
    fn turned(&self, turns: f64, up: f64) -> Isometry3<f64> {
        let aabb = self.meshes[1].aabb();
        let middle = nalgebra::center(&Point3::from(aabb.min), &Point3::from(aabb.max)).cast::<f64>().coords;
        let axis = Vector3::new(middle.x, middle.y, 0.0);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::TAU * turns);
        Isometry3::from_parts(Translation3::from(axis - turn * axis + Vector3::z() * up), turn)
    }

    /// A direction across z, another for each pose.
    fn aside(&self, pose: usize) -> Vector3<f64> {
        let (sin, cos) = (2.4 * pose as f64).sin_cos();
        Vector3::new(cos, sin, 0.0)
    }
}
