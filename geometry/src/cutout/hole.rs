//! A hole: a sphere, cylinder or box that is taken away.

use nalgebra::{Isometry3, Vector3};

use super::polyhedron::Polyhedron;
use crate::{Primitive, ShapeError, TriMesh};

/// A hole that [`Shape::cut`](crate::Shape::cut) takes out of shapes: a sphere, a cylinder along z or a box, any flat side of which may
/// be open. There the hole goes on without end, so that one that leads out of a body leaves no skin at its surface.
///
/// Round holes have flat facets that touch the round surface from outside: nowhere is the hole narrower than it was asked to be, and at
/// its corners wider by its radius / cos(180° / facets), 0.05 % with the 96 facets around that there are unless
/// [`Cutout::facets`] says otherwise. (A sphere's corners are 0.2 % out.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cutout {
    primitive: Primitive,
    /// By axis, the low and the high side.
    open: [[bool; 2]; 3],
    facets: u32,
}

/// Facets around a round hole, unless others are asked for.
const FACETS: u32 = 96;

impl Cutout {
    /// A hole of the size of a primitive, closed on all sides.
    ///
    /// # Errors
    /// [`ShapeError::Size`] as the primitive's constructor, and [`ShapeError::NoHole`] for a primitive that is no sphere, cylinder or
    /// cuboid.
    pub fn new(primitive: Primitive) -> Result<Cutout, ShapeError> {
        let primitive = primitive.checked()?;
        match primitive {
            Primitive::Sphere { .. } | Primitive::Cylinder { .. } | Primitive::Cuboid { .. } => {
                Ok(Cutout { primitive, open: [[false; 2]; 3], facets: FACETS })
            }
            Primitive::HalfSpace => Err(ShapeError::NoHole { shape: "half-space" }),
            Primitive::Capsule { .. } => Err(ShapeError::NoHole { shape: "capsule" }),
        }
    }

    /// Opens a side: that along `axis` (0 is x, 2 is z) at its high or low end.
    ///
    /// # Errors
    /// [`ShapeError::NoSide`] for a side that the hole does not have: a cylinder has those along z, a sphere none.
    pub fn open(mut self, axis: usize, high: bool) -> Result<Cutout, ShapeError> {
        let (has, shape) = match self.primitive {
            Primitive::Cuboid { .. } => (axis < 3, "cuboid"),
            Primitive::Cylinder { .. } => (axis == 2, "cylinder"),
            _ => (false, "sphere"),
        };
        if !has {
            return Err(ShapeError::NoSide { shape, axis });
        }
        self.open[axis][usize::from(high)] = true;
        Ok(self)
    }

    /// How many facets there are around a round hole.
    ///
    /// # Errors
    /// [`ShapeError::Facets`] unless there are 8 to 512, in fours.
    pub fn facets(mut self, facets: u32) -> Result<Cutout, ShapeError> {
        if !(8..=512).contains(&facets) || !facets.is_multiple_of(4) {
            return Err(ShapeError::Facets { facets });
        }
        self.facets = facets;
        Ok(self)
    }

    pub(super) fn has_open_sides(&self) -> bool {
        self.open.iter().flatten().any(|&open| open)
    }

    /// What is taken away.
    pub fn primitive(&self) -> Primitive {
        self.primitive
    }

    /// The polyhedron of a hole at `pose` (the mesh's frame), larger by a part of its size; open sides go on beyond the mesh.
    pub(super) fn polyhedron(&self, pose: &Isometry3<f64>, mesh: &TriMesh, growth: f64) -> Polyhedron {
        let sphere = mesh.bounding_sphere();
        let center = pose.inverse_transform_point(&sphere.center.cast());
        let beyond = 2.0 * (center.coords.norm() + f64::from(sphere.radius));
        let larger = 1.0 + growth;
        let ends = |axis: usize, half: f32| {
            let half = f64::from(half) * larger;
            let end = |high: usize| if self.open[axis][high] { half + beyond } else { half };
            [-end(0), end(1)]
        };
        let rim = 1.0 / libm::cos(std::f64::consts::PI / f64::from(self.facets));
        let own = match self.primitive {
            Primitive::Cuboid { half } => {
                let [x, y, z] = std::array::from_fn(|axis| ends(axis, half[axis]));
                Polyhedron::cuboid([x[0], y[0], z[0]], [x[1], y[1], z[1]])
            }
            Primitive::Cylinder { half_height, radius } => {
                Polyhedron::cylinder(ends(2, half_height), f64::from(radius) * larger * rim, self.facets)
            }
            Primitive::Sphere { radius } | Primitive::Capsule { radius, .. } => {
                let unit = Polyhedron::capsule(0.0, 1.0, self.facets).inner_radius();
                Polyhedron::capsule(0.0, f64::from(radius) * larger / unit, self.facets)
            }
            Primitive::HalfSpace => Polyhedron::cuboid([0.0; 3], [0.0; 3]),
        };
        // Where growing does not tell who lies where, a step aside may.
        let aside = Vector3::new(0.31, 0.17, 0.23) * (growth * f64::from(sphere.radius));
        let mut pose = *pose;
        pose.translation.vector += aside;
        own.at(&pose)
    }
}
