//! The meshes that are placed, scaled to one size.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Knot, Torus, Trial, TrialKind};
use nalgebra::Point3;

/// Bounding radius of every mesh (m).
pub const RADIUS: f64 = 0.5;
/// Triangles of the generated meshes, roughly.
const TRIANGLES: u32 = 2_000;
/// How many of each kind are generated.
const OF_EACH: u64 = 3;

/// A mesh with a name.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub mesh: Arc<TriMesh>,
}

/// The generated meshes, and all of a folder that are closed; what is left out is said.
pub fn meshes(folder: Option<&Path>) -> anyhow::Result<Vec<Named>> {
    let mut all = Vec::new();
    for kind in TrialKind::ALL {
        for seed in 0..OF_EACH {
            let mesh = Trial { kind, radius: RADIUS, triangles: TRIANGLES, seed }.mesh()?;
            all.push(Named { name: format!("{}-{seed}", kind.name()), mesh: Arc::new(mesh) });
        }
    }
    let Some(folder) = folder else { return Ok(all) };
    let listed =
        std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut files: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| {
        let ending = file.extension().map(|e| e.to_ascii_lowercase());
        ending.is_some_and(|e| e == "obj" || e == "stl")
    });
    files.sort();
    if files.is_empty() {
        bail!("{}: there is no OBJ or STL file in it", folder.display());
    }
    for file in files {
        let skip = |why: String| eprintln!("skipped {}: {why}", file.display());
        match TriMesh::load(&file) {
            Err(error) => skip(error.to_string()),
            Ok(mesh) if !mesh.is_closed() => skip("it is not closed".into()),
            Ok(mesh) => match scaled(&mesh) {
                Some(mesh) => {
                    let name =
                        file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                    all.push(Named { name, mesh: Arc::new(mesh) });
                }
                None => skip("scaled to one size it is not closed".into()),
            },
        }
    }
    Ok(all)
}

/// Rings, thick and thin, and knots: what can be linked.
pub fn rings() -> anyhow::Result<Vec<Named>> {
    let ring = |part: f64| Torus { major: 1.0, minor: part, around: 64, across: 16 }.mesh();
    let knot = |p: u32, q: u32| Knot { p, q, ..Knot::default() }.with_triangles(TRIANGLES);
    let all = [
        ("ring-25", ring(0.25)?),
        ("ring-50", ring(0.5)?),
        ("ring-10", ring(0.1)?),
        ("knot-2-3", knot(2, 3)?),
        ("knot-3-2", knot(3, 2)?),
    ];
    let named = |(name, mesh): (&str, TriMesh)| {
        let mesh = scaled(&mesh).with_context(|| format!("{name}: scaled to one size it is not closed"))?;
        Ok(Named { name: name.into(), mesh: Arc::new(mesh) })
    };
    all.into_iter().map(named).collect()
}

/// With its bounding sphere of [`RADIUS`] around the origin.
fn scaled(mesh: &TriMesh) -> Option<TriMesh> {
    let sphere = mesh.bounding_sphere();
    let (middle, scale) = (sphere.center.cast::<f64>(), RADIUS / f64::from(sphere.radius));
    let vertices =
        mesh.vertices().iter().map(|p| Point3::from((p.cast::<f64>() - middle) * scale).cast()).collect();
    if mesh.has_virtual_faces() {
        return mesh.with_vertices(vertices).ok();
    }
    TriMesh::new(vertices, mesh.triangles().to_vec()).ok().filter(TriMesh::is_closed)
}
