//! A mesh of a file, and where the file puts it.

use nalgebra::Matrix4;

use super::file_mesh::FileMesh;

/// A mesh of a file, and where it stands.
pub(super) struct NodeMesh {
    /// The node's name, else its mesh's, else empty; of a file that has no nodes its own.
    pub name: String,
    /// The mesh's number in the file.
    pub number: usize,
    /// In the node's own frame.
    pub mesh: FileMesh,
    /// From the node's frame to the scene's.
    pub transform: Matrix4<f64>,
}

/// Returns a mesh where a transform puts it; triangles that it mirrors are turned.
pub(super) fn placed(mut mesh: FileMesh, transform: &Matrix4<f64>) -> FileMesh {
    if *transform == Matrix4::identity() {
        return mesh;
    }
    if transform.fixed_view::<3, 3>(0, 0).determinant() < 0.0 {
        mesh.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    mesh.vertices.iter_mut().for_each(|p| *p = transform.transform_point(p));
    mesh
}
