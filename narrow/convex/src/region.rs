//! What two convex solids answer: whether they touch, and the one region in which they do.

use impinge_geometry::Containment;
use nalgebra::{Point3, Vector3};

/// A candidate for a contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexPoint {
    /// The point on A's surface (m, pair frame).
    pub on_a: Point3<f64>,
    /// The point on B's surface (m, pair frame).
    pub on_b: Point3<f64>,
    /// `(on_a − on_b) · normal` (m): positive where the solids overlap, negative where they are apart.
    pub depth: f64,
    /// The area it stands for, seen along the normal (m²).
    pub weight: f64,
    /// Names the same features in the next step.
    pub key: u64,
}

/// The region in which two convex solids overlap, touch, or come within the margin. Lengths in metres, in the
/// pair frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexRegion {
    /// Unit normal from A to B: moving B along it separates them.
    pub normal: Vector3<f64>,
    /// How far B has to move along the normal to separate them (m); negative: their distance.
    pub depth: f64,
    /// Volume of the intersection (m³), estimated where [`ConvexContact::volume`] is `None`.
    pub volume: f64,
    /// Area · normal (m²).
    pub gradient: Vector3<f64>,
    /// `pressure_center × gradient` (m³), about the pair frame's origin.
    pub torque: Vector3<f64>,
    /// Centroid of the intersection (m).
    pub centroid: Point3<f64>,
    /// Center of pressure (m).
    pub pressure_center: Point3<f64>,
    /// Greatest distance of a point from the centroid (m).
    pub radius: f64,
    /// Candidates for contact points, never empty.
    pub points: Vec<ConvexPoint>,
}

/// How two convex solids stand to each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvexContact {
    /// Whether they touch.
    pub touching: bool,
    /// Whether one is wholly inside the other.
    pub containment: Containment,
    /// Volume of the intersection (m³), where it is known exactly.
    pub volume: Option<f64>,
    /// Where they touch, or come within the margin.
    pub region: Option<ConvexRegion>,
}
