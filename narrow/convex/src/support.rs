//! Support points of convex solids where they stand.

use std::sync::Arc;

use impinge_geometry::{PairFrame, Primitive, Side, TriMesh};
use impinge_midphase::{Part, Solid};
use nalgebra::{Matrix3, Point3, Vector3};

/// A bounded convex set in its own frame (m).
#[derive(Clone, Debug)]
pub enum ConvexShape {
    /// Any primitive but a half-space, which has no support points.
    Primitive(Primitive),
    /// The hull of a mesh's vertices.
    Hull(Arc<TriMesh>),
    /// A triangle.
    Triangle([Point3<f64>; 3]),
}

/// A bounded convex set where it stands: a *core* grown by a radius. The core of a sphere is its
/// centre, that of a capsule its segment; all others are their own core, with radius 0.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The set in its own frame.
    pub shape: ConvexShape,
    /// Its rotation.
    pub rotation: Matrix3<f64>,
    /// Where its origin stands (m).
    pub offset: Vector3<f64>,
}

impl Placed {
    /// The solid of `part`, which stands on `side` of the pair. `None` for a half-space or a mesh.
    pub fn new(part: &Part, frame: &PairFrame, side: Side) -> Option<Placed> {
        let shape = match part.solid {
            Solid::Primitive(Primitive::HalfSpace) | Solid::Mesh => return None,
            Solid::Primitive(primitive) => ConvexShape::Primitive(primitive),
            Solid::Hull => ConvexShape::Hull(Arc::clone(part.surface.as_ref()?.mesh()?)),
        };
        let k = side.index();
        Some(Placed { shape, rotation: frame.rotation[k], offset: frame.offset[k] })
    }

    /// A primitive in its own frame.
    pub fn at_origin(primitive: Primitive) -> Placed {
        Placed {
            shape: ConvexShape::Primitive(primitive),
            rotation: Matrix3::identity(),
            offset: Vector3::zeros(),
        }
    }

    /// A triangle.
    pub fn triangle(t: &[Point3<f64>; 3]) -> Placed {
        Placed { shape: ConvexShape::Triangle(*t), rotation: Matrix3::identity(), offset: Vector3::zeros() }
    }

    /// By how much the core is grown (m).
    pub fn radius(&self) -> f64 {
        match self.shape {
            ConvexShape::Primitive(Primitive::Sphere { radius } | Primitive::Capsule { radius, .. }) => {
                f64::from(radius)
            }
            _ => 0.0,
        }
    }

    /// The point of the core farthest along `direction` (of any length); the first of equals.
    pub fn core_support(&self, direction: &Vector3<f64>) -> Point3<f64> {
        let d = self.rotation.tr_mul(direction);
        self.place(&self.local_support(&d))
    }

    /// The point of the set farthest along `normal` (unit).
    pub fn support(&self, normal: &Vector3<f64>) -> Point3<f64> {
        self.core_support(normal) + normal * self.radius()
    }

    /// How far the set reaches along `normal` (unit) from the frame's origin (m).
    pub fn reach(&self, normal: &Vector3<f64>) -> f64 {
        self.core_support(normal).coords.dot(normal) + self.radius()
    }

    /// A point of the set's frame where it stands.
    pub fn place(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * p.coords + self.offset)
    }

    /// A point well inside.
    pub fn center(&self) -> Point3<f64> {
        self.place(&match &self.shape {
            ConvexShape::Primitive(_) => Point3::origin(),
            ConvexShape::Hull(mesh) => mesh.aabb().center().cast(),
            ConvexShape::Triangle(t) => Point3::from((t[0].coords + t[1].coords + t[2].coords) / 3.0),
        })
    }

    fn local_support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let along = |x: f64, half: f32| if x >= 0.0 { f64::from(half) } else { -f64::from(half) };
        match &self.shape {
            ConvexShape::Primitive(Primitive::HalfSpace | Primitive::Sphere { .. }) => Point3::origin(),
            ConvexShape::Primitive(Primitive::Cuboid { half }) => {
                Point3::new(along(d.x, half[0]), along(d.y, half[1]), along(d.z, half[2]))
            }
            ConvexShape::Primitive(Primitive::Capsule { half_height, .. }) => {
                Point3::new(0.0, 0.0, along(d.z, *half_height))
            }
            ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
                let flat = (d.x * d.x + d.y * d.y).sqrt();
                let k = if flat > 0.0 { f64::from(*radius) / flat } else { 0.0 };
                Point3::new(d.x * k, d.y * k, along(d.z, *half_height))
            }
            ConvexShape::Hull(mesh) => farthest(mesh.vertices().iter().map(|p| p.cast()), d),
            ConvexShape::Triangle(t) => farthest(t.iter().copied(), d),
        }
    }
}

fn farthest(points: impl Iterator<Item = Point3<f64>>, d: &Vector3<f64>) -> Point3<f64> {
    let mut best = Point3::origin();
    let mut most = f64::NEG_INFINITY;
    for p in points {
        let x = p.x * d.x + p.y * d.y + p.z * d.z;
        if x > most {
            (best, most) = (p, x);
        }
    }
    best
}
