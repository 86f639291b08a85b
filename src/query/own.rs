//! A mesh against itself.

use impinge_exact::intersect::{IntersectScratch, own_triangle_pairs};
use impinge_exact::motion::{DeformingSurface, FLAT_TRIANGLES, is_flat};
use impinge_geometry::{Shape, TriMesh};
use impinge_midphase::obb_tree::{DeformingTree, FlatBoxes};
use impinge_midphase::{PreparedShape as Prepared, Surface};

use super::PreparedShape;

/// Buffers of a search for where a mesh meets itself, to be used again.
#[derive(Debug, Default)]
pub struct SelfScratch {
    intersect: IntersectScratch,
    flat: FlatBoxes,
    /// Asked by nothing that says whether a region is flat.
    still: DeformingTree,
}

/// All pairs of triangles of a mesh that share a point (exact) but no vertex, the lower first, sorted: where it passes through itself or
/// touches itself.
///
/// Neighbours, which share a vertex, always touch there; whether they meet elsewhere, too, is not asked. Two vertices
/// at one place are not one: a mesh that was not welded ([`TriMesh::welded`]) touches itself along its seams. Virtual faces, which bound volume
/// and touch nothing, are left out.
///
/// Builds a tree; [`PreparedShape::self_intersections`] has one, and of a mesh that deforms keeps it.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::query::self_intersections;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A strip of four triangles, the last of which is bent back through the first.
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.2, 0.2, -1.0]];
/// let mesh = TriMesh::new(corners.map(Point3::from).to_vec(), vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [4, 3, 5]])?;
/// assert_eq!(self_intersections(&mesh), [[0, 3]]);
/// # Ok(())
/// # }
/// ```
pub fn self_intersections(mesh: &TriMesh) -> Vec<[u32; 2]> {
    PreparedShape::new(&Shape::from(mesh.clone())).self_intersections()
}

impl PreparedShape {
    /// Where the mesh that the shape is meets itself: see [`self_intersections`]. Empty for shapes that are no mesh.
    pub fn self_intersections(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.self_intersections_with(false, &mut SelfScratch::default(), &mut pairs);
        pairs
    }

    /// As [`PreparedShape::self_intersections`], into `pairs`, whose content is lost, with buffers that are used again. Where `cull` is set,
    /// regions that cannot fold are found first, by their normals and borders (Volino and Magnenat-Thalmann 1994), and not
    /// compared with themselves. The pairs are the same.
    pub fn self_intersections_with(&self, cull: bool, scratch: &mut SelfScratch, pairs: &mut Vec<[u32; 2]>) {
        own_pairs(self.stages(), cull, scratch, pairs);
    }
}

/// The pairs of a prepared shape.
pub(crate) fn own_pairs(shape: &Prepared, cull: bool, scratch: &mut SelfScratch, pairs: &mut Vec<[u32; 2]>) {
    pairs.clear();
    let (Shape::Mesh(mesh), Some(Surface { tree, .. })) =
        (shape.shape(), shape.parts().first().and_then(|part| part.surface.as_ref()))
    else {
        return;
    };
    let SelfScratch { intersect, flat, still } = scratch;
    flat.clear();
    if cull {
        let places = mesh.vertices();
        let surface = DeformingSurface { mesh, from: places, to: places, tree: still };
        flat.mark(tree, FLAT_TRIANGLES, &mut |triangles| is_flat(&surface, triangles));
    }
    own_triangle_pairs((mesh, tree), flat, intersect, pairs);
}
