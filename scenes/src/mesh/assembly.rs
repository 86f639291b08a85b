//! Meshes of several pieces.

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

use super::GeneratorError;

/// Several meshes, each at its pose, as one.
pub(super) fn joined(
    parts: &[(Isometry3<f64>, TriMesh)],
    kind: &'static str,
) -> Result<TriMesh, GeneratorError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (pose, mesh) in parts {
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|p| (pose * p.cast::<f64>()).cast::<f32>()));
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: kind, source })
}
