//! Closed or soup, and how a mesh is put together.

use std::sync::{Arc, OnceLock};

use nalgebra::Point3;

use super::caps::cut;
use super::components::{Components, Shells};
use super::edges::EdgeTable;
use super::orientation::{orient, shells};
use super::removal::{Removal, is_gone};
use super::sound::{Sound, check, sound};
use super::{Connectivity, Defect, MeshReport, Repairs, TriMesh};
use crate::{Aabb, BoundingSphere, MeshError};

/// Whether a surface bounds a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Along every edge as many faces run forward as backward, so that every closed path crosses
    /// the surface inward as often as outward: it has an inside, by signed counting. Most edges
    /// have exactly two faces; those with more are reported as
    /// [`Defect::NonManifold`](super::Defect::NonManifold).
    Closed,
    /// Anything else: the surface has no inside.
    Soup,
}

/// Makes a mesh; triangles from index `real` on are virtual faces.
pub(super) fn build(
    vertices: Vec<Point3<f32>>,
    given: &[[u32; 3]],
    real: usize,
) -> Result<TriMesh, MeshError> {
    check(&vertices, given)?;
    let mut defects = Vec::new();
    let sound = sound(&vertices, given, &mut defects)?;
    let (Sound { mut triangles, source }, mut table) = joined(&vertices, given, real, sound, &mut defects);
    let shell_of = shells(&table);
    orient(&vertices, &mut triangles, &source, (&mut table, &shell_of), &mut defects);
    let connectivity = Connectivity {
        loose: used(vertices.len(), &triangles).contains(&false),
        components: Components::new(vertices.len(), &triangles),
        shells: Shells::new(shell_of),
        owners: OnceLock::new(),
        around: OnceLock::new(),
        first_virtual: source.partition_point(|&s| (s as usize) < real) as u32,
        report: MeshReport { defects },
        repairs: Repairs::default(),
        removal: Removal::default(),
        triangles,
        source,
        table,
    };
    let (aabb, sphere) = bounds(&vertices, &connectivity);
    let connectivity = Arc::new(connectivity);
    Ok(TriMesh { vertices, aabb, sphere, connectivity, shells_overlap: OnceLock::new(), trace: None })
}

/// The edges of the sound triangles; if they do not close, of those that do once caps are worked in.
fn joined(
    vertices: &[Point3<f32>],
    given: &[[u32; 3]],
    real: usize,
    sound: Sound,
    defects: &mut Vec<Defect>,
) -> (Sound, EdgeTable) {
    let mut of_edges = Vec::new();
    let table = EdgeTable::new(&sound.triangles, &sound.source, &mut of_edges);
    let passed_over = sound.triangles.len() < given.len();
    // A real face must not be cut into virtual ones.
    if table.topology == Topology::Soup && passed_over && real == given.len() {
        let mut with_cuts = defects.clone();
        if let Some(whole) = cut(vertices, given, &sound, &mut with_cuts) {
            let table = EdgeTable::new(&whole.triangles, &whole.source, &mut with_cuts);
            if table.topology == Topology::Closed {
                *defects = with_cuts;
                return (whole, table);
            }
        }
    }
    defects.extend(of_edges);
    (sound, table)
}

/// Box and sphere of the vertices that triangles use (m).
pub(super) fn bounds(vertices: &[Point3<f32>], connectivity: &Connectivity) -> (Aabb, BoundingSphere) {
    if !connectivity.loose {
        return around(vertices);
    }
    let used = used(vertices.len(), &connectivity.triangles);
    around(&vertices.iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| *p).collect::<Vec<_>>())
}

/// Which vertices belong to a triangle.
pub(super) fn used(vertices: usize, triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut used = vec![false; vertices];
    for &v in triangles.iter().filter(|corners| !is_gone(corners)).flatten() {
        used[v as usize] = true;
    }
    used
}

fn around(points: &[Point3<f32>]) -> (Aabb, BoundingSphere) {
    let origin = BoundingSphere { center: Point3::origin(), radius: 0.0 };
    (Aabb::of_points(points), BoundingSphere::of_points(points).unwrap_or(origin))
}
