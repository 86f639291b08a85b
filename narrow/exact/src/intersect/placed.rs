//! Triangles of one side at their canonical place, made ready leaf by leaf when first asked for.

use std::ops::Range;

use impinge_geometry::predicate::Plane;
use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::ObbTree;
use nalgebra::Point3;

use crate::id_table::IdTable;

/// A triangle at its canonical place.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub triangle: u32,
    pub virtual_face: bool,
    /// The mesh's vertices at its corners.
    pub vertices: [u32; 3],
    pub plane: Plane,
    low: Point3<f64>,
    high: Point3<f64>,
}

impl Face {
    pub fn new(mesh: FacesRef<'_>, frame: &PairFrame, side: Side, triangle: u32) -> Face {
        let vertices = mesh.vertices_of(triangle);
        let place = |k: usize| frame.place(side, &mesh.vertex(vertices[k]));
        let corners = [place(0), place(1), place(2)];
        let [a, b, c] = &corners;
        Face {
            triangle,
            virtual_face: mesh.is_virtual(triangle),
            vertices,
            plane: Plane::new(&corners),
            low: a.inf(b).inf(c),
            high: a.sup(b).sup(c),
        }
    }

    #[inline]
    pub fn corners(&self) -> &[Point3<f64>; 3] {
        self.plane.corners()
    }

    /// Edge `k` in the triangle's own sense.
    #[inline]
    pub fn edge(&self, k: usize) -> [&Point3<f64>; 2] {
        let corners = self.plane.corners();
        [&corners[k], &corners[(k + 1) % 3]]
    }

    #[inline]
    pub fn boxes_apart(&self, other: &Face) -> bool {
        // Without branches: which axis tells is anyone's guess.
        let apart = |k: usize| (self.high[k] < other.low[k]) | (other.high[k] < self.low[k]);
        apart(0) | apart(1) | apart(2)
    }
}

/// The faces of the leaves of one mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedSide {
    /// Where the faces of a leaf are: by place in `ranges`.
    leaves: IdTable,
    ranges: Vec<[u32; 2]>,
    faces: Vec<Face>,
}

impl PlacedSide {
    /// Forgets the last pair; keeps the memory.
    pub fn begin(&mut self, tree: &ObbTree) {
        self.leaves.begin(tree.leaf_count() as u32);
        self.ranges.clear();
        self.faces.clear();
    }

    /// The faces of a leaf, as a range for [`PlacedSide::face`].
    #[inline]
    pub fn ready(
        &mut self,
        (mesh, tree): (FacesRef<'_>, &ObbTree),
        frame: &PairFrame,
        side: Side,
        leaf: u32,
    ) -> Range<usize> {
        if let Some(at) = self.leaves.get(leaf) {
            let [start, end] = self.ranges[at as usize];
            return start as usize..end as usize;
        }
        let start = self.faces.len();
        let triangles = tree.leaf_triangles(leaf);
        self.faces.extend(triangles.iter().map(|&t| Face::new(mesh, frame, side, t)));
        let end = self.faces.len();
        self.leaves.set(leaf, self.ranges.len() as u32);
        self.ranges.push([start as u32, end as u32]);
        start..end
    }

    #[inline]
    pub fn face(&self, at: usize) -> &Face {
        &self.faces[at]
    }
}
