//! Shapes that are cut.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use super::polyhedron::Polyhedron;
use super::{Cutout, Uncut, cut};
use crate::{Composite, Primitive, Shape, ShapeError, TriMesh};

/// Facets around a round primitive that becomes a mesh.
const FACETS: u32 = 96;

impl Shape {
    /// The shape without what lies in holes, each at its pose in the shape's frame. What a hole reaches becomes a closed mesh, in a composite each child of its
    /// own, under its name; the rest stays as it is. Round primitives that are cut have facets from then on, 96 around, with corners on their
    /// surface.
    ///
    /// Holes may overlap, and lead out of the body: let these sides be [open](Cutout::open).
    ///
    /// ```
    /// use impinge_geometry::{Cutout, Primitive, Shape};
    /// use nalgebra::Isometry3;
    ///
    /// let block = Shape::cuboid([1.0, 1.0, 0.5])?;
    /// let bore = Cutout::new(Primitive::Cylinder { half_height: 0.5, radius: 0.25 })?;
    /// let drilled = block.cut(&[(Isometry3::identity(), bore.open(2, false)?.open(2, true)?)])?;
    /// let taken = 4.0 - drilled.mass_properties()?.volume;
    /// assert!((taken / (0.0625 * std::f64::consts::PI) - 1.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::Uncuttable`] where a hole reaches an open mesh, half-space, height field, level set or particles; [`ShapeError::HolePose`];
    /// [`ShapeError::Swallowed`] where nothing is left of a child; and [`ShapeError::Uncut`] where it could not be told who lies where.
    pub fn cut(&self, holes: &[(Isometry3<f64>, Cutout)]) -> Result<Shape, ShapeError> {
        for (hole, (pose, _)) in holes.iter().enumerate() {
            crate::canonical::checked_pose(pose).map_err(|source| ShapeError::HolePose { hole, source })?;
        }
        let Shape::Composite(composite) = self else {
            return without(self, 0, &Isometry3::identity(), holes);
        };
        let named = composite.children().iter().zip(composite.names()).enumerate();
        let children = named.map(|(child, ((pose, shape), name))| {
            Ok((name.clone(), *pose, without(shape, child, pose, holes)?))
        });
        Ok(Composite::named(children.collect::<Result<_, ShapeError>>()?)?.into())
    }
}

/// A simple shape at `pose` without what lies in holes.
fn without(
    shape: &Shape,
    child: usize,
    pose: &Isometry3<f64>,
    holes: &[(Isometry3<f64>, Cutout)],
) -> Result<Shape, ShapeError> {
    let mut shape = shape.clone();
    for (hole, (at, cutout)) in holes.iter().enumerate() {
        let at = pose.inverse() * at;
        let mesh = match closed_mesh(&shape) {
            Some(mesh) => mesh,
            None if misses(&shape, &at, cutout) => continue,
            None => return Err(ShapeError::Uncuttable { child, hole }),
        };
        match cut(&mesh, cutout, &at) {
            Ok(Some(left)) => shape = left.into(),
            Ok(None) => {}
            Err(Uncut::Swallowed) => return Err(ShapeError::Swallowed { child, hole }),
            Err(Uncut::Unclear) => return Err(ShapeError::Uncut { child, hole }),
        }
    }
    Ok(shape)
}

/// Whether a hole keeps clear of a shape, by their boxes. An open side goes on without end.
fn misses(shape: &Shape, at: &Isometry3<f64>, cutout: &Cutout) -> bool {
    if cutout.has_open_sides() {
        return false;
    }
    let [own, hole] = [shape.aabb(), Shape::Primitive(cutout.primitive()).aabb_at(at)];
    match shape {
        // Its box has no end to the sides.
        Shape::Primitive(Primitive::HalfSpace) => hole.min[2] > 0.0,
        _ => !own.overlaps(&hole),
    }
}

/// The surface of a shape as a closed mesh without virtual faces; `None` where it has none.
pub(super) fn closed_mesh(shape: &Shape) -> Option<Arc<TriMesh>> {
    let of = |polyhedron: Polyhedron| {
        let vertices: Vec<Point3<f32>> = polyhedron.vertices.iter().map(|p| p.cast()).collect();
        TriMesh::new(vertices, polyhedron.triangles()).ok().map(Arc::new)
    };
    let mesh = match shape {
        Shape::Mesh(mesh) => Some(Arc::clone(mesh)),
        Shape::Hull(hull) => Some(Arc::clone(hull.mesh())),
        Shape::Primitive(primitive) => match *primitive {
            Primitive::HalfSpace => None,
            Primitive::Cuboid { .. } => primitive.surface().map(Arc::new),
            Primitive::Sphere { radius } => of(Polyhedron::capsule(0.0, f64::from(radius), FACETS)),
            Primitive::Capsule { half_height, radius } => {
                of(Polyhedron::capsule(f64::from(half_height), f64::from(radius), FACETS))
            }
            Primitive::Cylinder { half_height, radius } => {
                let half = f64::from(half_height);
                of(Polyhedron::cylinder([-half, half], f64::from(radius), FACETS))
            }
        },
        Shape::Field(_) | Shape::Levels(_) | Shape::Particles(_) | Shape::Composite(_) => None,
    };
    mesh.filter(|mesh| mesh.is_closed() && !mesh.has_virtual_faces())
}
