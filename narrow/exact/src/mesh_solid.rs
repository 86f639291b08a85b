//! A surface of triangles and a primitive that has none: which triangles touch it, and whether it holds the
//! primitive.

use impinge_convex::{inside, touches_triangle};
use impinge_geometry::{Containment, Obb, PairFrame, Primitive, Side};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::NearestCounts;
use nalgebra::{Matrix3, Point3, Vector3};

use crate::containment::point_inside;

/// A surface and a primitive where they stand.
#[derive(Clone, Copy, Debug)]
pub struct MeshSolid<'a> {
    /// The side of the surface.
    pub mesh: Side,
    /// The surface.
    pub surface: &'a Surface,
    /// The primitive on the other side.
    pub primitive: Primitive,
    /// Where they stand.
    pub frame: &'a PairFrame,
}

impl MeshSolid<'_> {
    /// The corners of a triangle in the primitive's frame (m); `None` of a virtual face, which nothing touches.
    pub fn local_corners(&self, triangle: u32) -> Option<[Point3<f64>; 3]> {
        let mesh = self.surface.faces();
        let real = mesh.has_triangle(triangle) && !mesh.is_virtual(triangle);
        real.then(|| mesh.corners(triangle).map(|p| self.to_local(&self.frame.place(self.mesh, &p))))
    }

    /// The corners of a triangle in the primitive's frame (m), if it touches the primitive.
    pub fn touching_corners(&self, triangle: u32) -> Option<[Point3<f64>; 3]> {
        self.local_corners(triangle).filter(|corners| touches_triangle(&self.primitive, corners))
    }

    /// Whether the primitive, which no triangle touches, is inside the surface.
    pub fn encloses_primitive(&self) -> bool {
        let center = self.to_frame(&Point3::origin());
        let (mesh, tree) = (self.surface.faces(), &self.surface.tree);
        !matches!(self.primitive, Primitive::HalfSpace)
            && point_inside(mesh, tree, self.frame, self.mesh, &center)
    }

    /// Whether they touch, with what of the surface is in `leaves` of its tree.
    pub fn touches_in(&self, leaves: &[u32]) -> bool {
        let leaf_touches = |&leaf: &u32| self.leaf_touches(leaf);
        leaves.iter().any(leaf_touches) || self.encloses_primitive()
    }

    /// Whether they touch: searches the surface's tree, and stops at the first triangle that does.
    pub fn touches(&self) -> bool {
        let mut touching = false;
        // The least bound that lets leaves through; none are needed once one touches.
        let bound = 0f64.next_up();
        let _ = self.search(bound, &mut |leaf| {
            touching = touching || self.leaf_touches(leaf);
            if touching { 0.0 } else { bound }
        });
        touching || self.encloses_primitive()
    }

    /// Visits the leaves of the surface's tree that may be nearer to the primitive than `bound` (m), the nearest
    /// first; `visit` gives the bound after each, which must never rise.
    pub fn search(&self, bound: f64, visit: &mut impl FnMut(u32) -> f64) -> NearestCounts {
        let tree = &self.surface.tree;
        match self.primitive {
            Primitive::HalfSpace => {
                let (normal, offset) = self.plane();
                tree.lowest(&normal, bound + offset, &mut |leaf| visit(leaf) + offset)
            }
            _ => {
                let (half, radius) = core(&self.primitive);
                let core = Obb { center: Point3::origin(), axes: Matrix3::identity(), half };
                tree.nearest_to_box(self.mesh, (&core, radius), self.frame, bound, visit)
            }
        }
    }

    /// A half-space's border as the mesh sees it: unit normal and offset (m).
    fn plane(&self) -> (Vector3<f64>, f64) {
        let normal = self.rotation().column(2).into_owned();
        let offsets = &self.frame.offset;
        let offset = normal.dot(&(offsets[self.mesh.other().index()] - offsets[self.mesh.index()]));
        (self.frame.direction_to_local(self.mesh, &normal), offset)
    }

    /// The primitive's rotation.
    pub fn rotation(&self) -> &Matrix3<f64> {
        &self.frame.rotation[self.mesh.other().index()]
    }

    /// A point of the pair frame (m) in the primitive's frame.
    pub fn to_local(&self, p: &Point3<f64>) -> Point3<f64> {
        self.frame.to_local(self.mesh.other(), p)
    }

    /// A point of the primitive's frame (m) in the pair frame.
    pub fn to_frame(&self, p: &Point3<f64>) -> Point3<f64> {
        self.frame.place_f64(self.mesh.other(), p)
    }

    /// Whether every vertex of the surface is in the primitive.
    pub fn holds_mesh(&self) -> bool {
        let mesh = self.surface.faces();
        mesh.triangles().flat_map(|t| mesh.vertices_of(t)).all(|v| {
            let at = self.frame.place(self.mesh, &mesh.vertex(v));
            inside(&self.primitive, &self.to_local(&at))
        })
    }

    /// How the containment of the mesh in the primitive is called, and that of the primitive in the mesh.
    pub fn containments(&self) -> [Containment; 2] {
        match self.mesh {
            Side::A => [Containment::AInB, Containment::BInA],
            Side::B => [Containment::BInA, Containment::AInB],
        }
    }

    fn leaf_touches(&self, leaf: u32) -> bool {
        self.surface.tree.leaf_triangles(leaf).iter().any(|&t| self.touching_corners(t).is_some())
    }
}

/// Half extents of a box, and a radius around it, that hold a primitive (m): balls and capsules exactly.
fn core(primitive: &Primitive) -> ([f32; 3], f64) {
    match *primitive {
        Primitive::Sphere { radius } => ([0.0; 3], f64::from(radius)),
        Primitive::Capsule { half_height, radius } => ([0.0, 0.0, half_height], f64::from(radius)),
        _ => (primitive.aabb().max, 0.0),
    }
}
