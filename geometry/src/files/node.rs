//! A mesh of a file, and where the file puts it.

use nalgebra::{Matrix4, Point3};

use crate::mesh::Arrays;

/// A mesh of a file, and where it stands.
pub(super) struct NodeMesh {
    /// The node's name, else its mesh's, else empty; of a file that has no nodes its own.
    pub name: String,
    /// The mesh's number in the file.
    pub mesh: usize,
    /// In the node's own frame.
    pub arrays: Arrays,
    /// From the node's frame to the scene's.
    pub transform: Matrix4<f64>,
}

impl NodeMesh {
    /// Vertices and triangles in the scene's frame.
    #[cfg_attr(not(feature = "gltf"), expect(dead_code, reason = "only the scenes of glTF are flattened"))]
    pub(super) fn placed(self) -> Arrays {
        placed(self.arrays, &self.transform)
    }
}

/// Vertices and triangles where a transform puts them; those that it mirrors are turned.
pub(super) fn placed((vertices, mut triangles): Arrays, transform: &Matrix4<f64>) -> Arrays {
    let placed = |p: Point3<f32>| transform.transform_point(&p.cast::<f64>()).cast::<f32>();
    if transform.fixed_view::<3, 3>(0, 0).determinant() < 0.0 {
        triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    (vertices.into_iter().map(placed).collect(), triangles)
}
