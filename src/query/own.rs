//! A mesh against itself.

use impinge_contacts::{ContactMemory, ContactScratch, ContactSettings, Manifold, PairPlacement};
use impinge_exact::contour::{self, ContourScratch, Contours};
use impinge_exact::intersect::{IntersectScratch, Intersections, intersect_itself, own_triangle_pairs};
use impinge_exact::motion::{DeformingSurface, FLAT_TRIANGLES, is_flat};
use impinge_geometry::{ColliderId, PairFrame, Shape, TriMesh};
use impinge_midphase::obb_tree::{DeformingTree, FlatBoxes};
use impinge_midphase::{PreparedShape as Prepared, Surface};
use impinge_pair::{NarrowScratch, PairResult, own_patches};
use nalgebra::Isometry3;

use super::surfaces::{Contour, outline};
use super::{PreparedShape, QuerySettings};
use crate::BuildError;

/// Buffers of a search for where a mesh meets itself, to be used again.
#[derive(Debug, Default)]
pub struct SelfScratch {
    intersect: IntersectScratch,
    flat: FlatBoxes,
    /// Asked by nothing that says whether a region is flat.
    still: DeformingTree,
    /// What contacts need, once they were asked for.
    narrow: Box<(NarrowScratch, PairResult)>,
    contacts: ContactScratch,
}

impl SelfScratch {
    /// The buffers of manifolds.
    pub(crate) fn contacts(&mut self) -> &mut ContactScratch {
        &mut self.contacts
    }
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

impl PreparedShape {
    /// The lines along which the mesh that the shape is crosses itself, in its own frame and in a fixed order, each once. A is the strip of
    /// triangles that has the lowest of them: what of it is inside lies to the left, seen from outside. They are those of triangles that share
    /// no vertex, so that the line along which a fold passes through itself may end beside the fold. What touches without
    /// crossing may have none.
    pub fn self_contours(&self) -> Vec<Contour> {
        let Some(Surface { faces, tree }) = own_surface(self.stages()) else { return Vec::new() };
        let Some(mesh) = faces.mesh() else { return Vec::new() };
        let (mut out, mut contours) = (Intersections::default(), Contours::default());
        let mut scratch = ContourScratch::default();
        intersect_itself((mesh, tree), &mut IntersectScratch::default(), &mut out);
        contour::keep_one_side(&mut out, &mut scratch);
        contour::assemble(&out, &mut scratch, &mut contours);
        let here = Isometry3::identity();
        let frame = PairFrame::new(&here, &here);
        contours.loops.iter().map(|line| outline([0; 2], &frame, line, (&contours, &out))).collect()
    }

    /// Contacts between regions of the mesh that the shape is, in its own frame: one manifold for each overlap that contours bound. Both
    /// colliders are 0; the first region (A) is the one with the lowest triangle along the contour. Its normal is that of the
    /// contours' area vectors. Depths are those of the vertices inside, along the normal, and volumes are estimates by them; where no vertex is
    /// inside, both are of lines along the normal. Of an open surface the points stand on the contours and have no depth.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// // Two tetrahedra of one mesh; the tip of the lower is in the upper.
    /// let lower = [[0.0, 0.0, 1.1], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let upper = [[0.0, 0.0, 2.0], [-1.0, -1.0, 1.0], [1.0, -1.0, 1.0], [0.0, 1.0, 1.0]];
    /// let faces = |k: u32| [[k, k + 1, k + 2], [k, k + 2, k + 3], [k, k + 3, k + 1], [k + 1, k + 3, k + 2]];
    /// let vertices = lower.into_iter().chain(upper).map(Point3::from).collect();
    /// let mesh = TriMesh::new(vertices, [faces(0), faces(4)].concat())?;
    /// let shape = PreparedShape::new(&Shape::from(mesh));
    /// let manifolds = shape.self_contacts(&QuerySettings::default())?;
    /// assert_eq!(manifolds.len(), 1);
    /// assert!((manifolds[0].normal.z - 1.0).abs() < 1e-6 && (manifolds[0].depth - 0.1).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn self_contacts(&self, settings: &QuerySettings) -> Result<Vec<Manifold>, BuildError> {
        let (_, contacts) = settings.clone().checked()?;
        let mut manifolds = Vec::new();
        let none = ContactMemory::default();
        own_manifolds(self.stages(), OWN, &contacts, &none, &mut SelfScratch::default(), &mut manifolds);
        Ok(manifolds)
    }
}

/// The collider of a shape without a world.
const OWN: ColliderId = ColliderId { index: 0, generation: 0 };

/// The surface of a shape that is a mesh.
fn own_surface(shape: &Prepared) -> Option<&Surface> {
    let is_mesh = matches!(shape.shape(), Shape::Mesh(_));
    shape.parts().first().filter(|_| is_mesh)?.surface.as_ref()
}

/// The manifolds of a prepared shape and itself, in its frame: appended to `out`. `memory` has the points of the last time.
pub(crate) fn own_manifolds(
    shape: &Prepared,
    collider: ColliderId,
    settings: &ContactSettings,
    memory: &ContactMemory,
    scratch: &mut SelfScratch,
    out: &mut Vec<Manifold>,
) {
    let Some(part) = shape.parts().first().filter(|_| own_surface(shape).is_some()) else { return };
    let SelfScratch { narrow, contacts, .. } = scratch;
    let (narrow, result) = &mut **narrow;
    own_patches(part, narrow, result);
    let here = Isometry3::identity();
    let placement = PairPlacement {
        colliders: [collider; 2],
        frame: &PairFrame::new(&here, &here),
        subshape_poses: [here; 2],
        tolerance: 0.0,
    };
    impinge_contacts::manifolds_after(memory, result, &placement, settings, contacts, out);
}

/// The pairs of a prepared shape.
pub(crate) fn own_pairs(shape: &Prepared, cull: bool, scratch: &mut SelfScratch, pairs: &mut Vec<[u32; 2]>) {
    pairs.clear();
    let Some(Surface { faces, tree }) = own_surface(shape) else { return };
    let Some(mesh) = faces.mesh() else { return };
    let SelfScratch { intersect, flat, still, .. } = scratch;
    flat.clear();
    if cull {
        let places = mesh.vertices();
        let surface = DeformingSurface { mesh, from: places, to: places, tree: still };
        flat.mark(tree, FLAT_TRIANGLES, &mut |triangles| is_flat(&surface, triangles));
    }
    own_triangle_pairs((mesh, tree), flat, intersect, pairs);
}
