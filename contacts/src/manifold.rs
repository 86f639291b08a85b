//! Contact manifolds.

use std::sync::Arc;

use impinge_geometry::ColliderId;
use impinge_pair::{ContactPatch, PatchOrigin};
use nalgebra::{Point3, Vector3};

use crate::{PairMaterial, tangents};

/// One point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Where it is in the world: halfway between the two surfaces (m).
    pub position: Point3<f64>,
    /// The point on A's surface, in the frame of collider A (m).
    pub local_a: Point3<f32>,
    /// The point on B's surface, in the frame of collider B (m).
    pub local_b: Point3<f32>,
    /// Overlap along the normal (m); negative for a gap.
    pub depth: f64,
    /// The share of the patch's area that the point stands for (m²): the weights of a manifold's
    /// points, times their normals, add up to its `force`.
    pub weight: f64,
    /// What the point's normal has beside the manifold's, across it; zero where the region has no moment about
    /// its normal. [`Manifold::normal_at`] is the point's normal.
    pub tilt: Vector3<f64>,
    /// Names the point from step to step: the same contact keeps its key for as long as it lasts, and no
    /// two points of a pair of subshapes share one.
    pub key: u64,
    /// Names the place where the narrow phase found it (a cell of a lattice, a feature); may change while
    /// the contact lasts.
    pub feature: u64,
    /// The impulse that a solver found for this point in the last step, for warm starting.
    pub impulse: Impulse,
}

impl ContactPoint {
    /// The point's unit normal where its manifold has this one.
    pub fn tilted(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        if self.tilt == Vector3::zeros() { *normal } else { (normal + self.tilt).normalize() }
    }
}

/// Impulses along the normal and the two tangents (N·s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// Along the normal, from A to B; not negative.
    pub normal: f64,
    /// Along the two tangents of the row.
    pub tangent: [f64; 2],
}

impl Impulse {
    /// The same impulse where the contact's normal was `from` and is `to` (unit): its part along the normal
    /// stays that, and its tangential part stays the same vector of the world, as far as it is across the
    /// new normal.
    pub fn turned(&self, from: &Vector3<f64>, to: &Vector3<f64>) -> Impulse {
        if from == to {
            return *self;
        }
        let [t, u] = tangents(from);
        let friction = t * self.tangent[0] + u * self.tangent[1];
        let [t, u] = tangents(to);
        Impulse { normal: self.normal, tangent: [friction.dot(&t), friction.dot(&u)] }
    }
}

/// A contact region of two colliders with at most four points.
#[derive(Debug, PartialEq)]
pub struct Manifold {
    /// The colliders A and B; A has the lower index.
    pub colliders: [ColliderId; 2],
    /// The touching children of the colliders' shapes; 0 of a shape that is no composite.
    pub subshapes: [u32; 2],
    /// Unit normal from A to B (world).
    pub normal: Vector3<f64>,
    /// How far B has to move along the normal to free the region (m); negative for a gap.
    pub depth: f64,
    /// Volume of the overlap (m³).
    pub volume: f64,
    /// Area of the region seen along the normal, |G| (m²).
    pub area: f64,
    /// G, the force on B per unit of pressure (m², world axes). Of closed bodies, the derivative of the overlap's volume when
    /// A is moved; along the normal, with the volume over the depth for its size, where a translation that separates the bodies is
    /// the normal; and that of both floors together at a seam. Of a gap, the area that faces the other body.
    pub force: Vector3<f64>,
    /// The moment on B about the centroid per unit of pressure (m³, world axes). Of closed bodies, the derivative of the
    /// overlap's volume when A is turned about it, where `force` is that when A is moved. [`Manifold::moment_about`] has it about other places.
    pub moment: Vector3<f64>,
    /// Centroid of the overlap (m, world).
    pub centroid: Point3<f64>,
    /// The points, one to four, deepest first.
    pub points: Vec<ContactPoint>,
    /// How the region was found.
    pub origin: PatchOrigin,
    /// Coefficients that take the place of those of the two colliders' materials; `None` where the materials
    /// decide.
    pub material: Option<PairMaterial>,
    /// The region's outline and samples, where the settings ask for them and both bodies are solid; `None` of a gap.
    pub patch: Option<Arc<ContactPatch>>,
}

impl Manifold {
    /// The unit normal at a point (world): the manifold's own, tilted where the region has a moment about it, as on a
    /// thread. Forces `weight · normal` at two points or more have the force of the manifold, and its moment
    /// as far as its points can: not where they would have to tilt by a slope of more than ½, nor where the centre of
    /// pressure is beside them.
    pub fn normal_at(&self, point: &ContactPoint) -> Vector3<f64> {
        point.tilted(&self.normal)
    }

    /// The sum of the points' normal impulses (N·s): those of the last solve, or, before the step is solved, those
    /// that its points start from.
    pub fn impulse(&self) -> f64 {
        self.points.iter().map(|point| point.impulse.normal).sum()
    }

    /// The moment on B about a place (m, world) per unit of pressure (m³).
    pub fn moment_about(&self, place: &Point3<f64>) -> Vector3<f64> {
        self.moment + (self.centroid - place).cross(&self.force)
    }
}

impl Clone for Manifold {
    fn clone(&self) -> Manifold {
        Manifold { points: self.points.clone(), patch: self.patch.clone(), ..*self }
    }

    /// Takes no memory where the points have room already.
    fn clone_from(&mut self, other: &Manifold) {
        let mut points = std::mem::take(&mut self.points);
        points.clone_from(&other.points);
        *self = Manifold { points, patch: other.patch.clone(), ..*other };
    }
}
