//! A mesh as plain data: all that it was made into, so that the one that is made of the data is the same to the last bit, numbers of edges included.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use nalgebra::Point3;
use serde::{Deserialize, Serialize};

use super::components::{Components, Shells};
use super::edges::EdgeTable;
use super::orientation::shells;
use super::removal::{Removal, is_gone};
use super::{Connectivity, MeshReport, Repairs, TriMesh, sound, topology};
use crate::MeshError;

/// The data of a mesh. Without `made` it is given as to [`TriMesh::new`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshData {
    /// (m).
    vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    #[serde(default)]
    made: Option<Made>,
}

/// What became of a mesh when it was made, and since.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    sources: Vec<u32>,
    first_virtual: u32,
    /// Triangles that were taken out, in rising order.
    removed: Vec<u32>,
    report: MeshReport,
    repairs: Repairs,
}

impl MeshData {
    pub fn of(mesh: &TriMesh) -> MeshData {
        let own = &mesh.connectivity;
        let removed: Vec<u32> =
            (0..own.triangles.len() as u32).filter(|&t| is_gone(&own.triangles[t as usize])).collect();
        let mut triangles = own.triangles.clone();
        for &t in &removed {
            triangles[t as usize] = corners_before(own, t);
        }
        MeshData {
            vertices: mesh.vertices.iter().map(|p| (*p).into()).collect(),
            triangles,
            made: Some(Made {
                sources: own.source.clone(),
                first_virtual: own.first_virtual,
                removed,
                report: own.report.clone(),
                repairs: own.repairs.clone(),
            }),
        }
    }

    pub fn mesh(self) -> Result<TriMesh, MeshError> {
        let MeshData { vertices, triangles, made } = self;
        let vertices: Vec<Point3<f32>> = vertices.into_iter().map(Point3::from).collect();
        let Some(made) = made else { return TriMesh::new(vertices, triangles) };
        sound::check(&vertices, &triangles)?;
        made.check(&triangles)?;
        let table = EdgeTable::new(&triangles, &made.sources, &mut Vec::new());
        let connectivity = Connectivity {
            loose: !all_used(vertices.len(), &triangles),
            components: Components::new(vertices.len(), &triangles),
            shells: Shells::new(shells(&table)),
            owners: OnceLock::new(),
            around: OnceLock::new(),
            first_virtual: made.first_virtual,
            report: made.report,
            repairs: made.repairs,
            removal: Removal::default(),
            source: made.sources,
            triangles,
            table,
        };
        let (aabb, sphere) = topology::bounds(&vertices, &connectivity);
        let connectivity = Arc::new(connectivity);
        let mut mesh =
            TriMesh { vertices, aabb, sphere, connectivity, shells_overlap: OnceLock::new(), trace: None };
        if !made.removed.is_empty() {
            mesh.remove_triangles(&made.removed)?;
        }
        Ok(mesh)
    }
}

impl Made {
    /// Whether triangles can have been made into this.
    fn check(&self, triangles: &[[u32; 3]]) -> Result<(), MeshError> {
        let unsound = |reason| Err(MeshError::Unsound { reason });
        if self.sources.len() != triangles.len() {
            return unsound("there must be one entry of `sources` for each triangle");
        }
        if self.first_virtual as usize > triangles.len() || self.first_virtual == 0 {
            return unsound("`first_virtual` must be from 1 to the number of triangles");
        }
        let mut seen = BTreeSet::new();
        for &[a, b, c] in triangles {
            if a == b || b == c || a == c {
                return unsound("a triangle names a vertex twice; leave `made` out, and it is passed over");
            }
            let turned = [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or([a, b, c]);
            if !seen.insert(turned) {
                return unsound("a triangle repeats another one; leave `made` out, and it is passed over");
            }
        }
        Ok(())
    }
}

/// The corners of a triangle that was taken out: its first one is still named, and its edges are known.
fn corners_before(own: &Connectivity, triangle: u32) -> [u32; 3] {
    let first = own.triangles[triangle as usize][0];
    let [ahead, _, behind] = own.table.of_triangle[triangle as usize];
    let other = |edge: u32| {
        let [p, q] = own.table.edges[edge as usize].vertices;
        if p == first { q } else { p }
    };
    [first, other(ahead), other(behind)]
}

fn all_used(vertices: usize, triangles: &[[u32; 3]]) -> bool {
    let mut used = vec![false; vertices];
    triangles.iter().flatten().for_each(|&v| used[v as usize] = true);
    !used.contains(&false)
}
