//! The nearest point of a shape.

use impinge_exact::nearest_point::{NearestPoint, nearest_point};
use impinge_geometry::ColliderId;
use impinge_midphase::PreparedShape as Prepared;
use nalgebra::{Isometry3, Point3, Vector3};

use super::PreparedShape;
use super::error::{PointError, QueryError};
use super::ray::{ALONE, checked};

/// The nearest point of a collider, or of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestHit {
    /// The collider; 0 where a shape is asked about without a world.
    pub collider: ColliderId,
    /// The child of a composite; 0 of a simple shape.
    pub subshape: u32,
    /// The triangle, of meshes and hulls; `None` inside, too.
    pub triangle: Option<u32>,
    /// The distance (m): 0 inside a solid.
    pub distance: f64,
    /// The nearest point (m, world); inside, the point itself.
    pub point: Point3<f64>,
    /// Unit, from the nearest point to the point that was asked about (world); the surface's where that is on a triangle,
    /// zero where it is inside.
    pub normal: Vector3<f64>,
    /// Whether the point is in the solid, its surface included: exact for closed meshes and hulls.
    pub inside: bool,
}

/// The subshape of a shape standing at `pose` that is nearest to a point (m, world), if no farther than `bound` (m); of
/// several the lowest.
pub(crate) fn nearest_of_shape(
    shape: &Prepared,
    pose: &Isometry3<f64>,
    point: &Point3<f64>,
    bound: f64,
) -> Option<(u32, NearestPoint)> {
    let mut best: Option<(u32, NearestPoint)> = None;
    let mut bound = bound;
    for (subshape, part) in (0..).zip(shape.parts()) {
        let pose = pose * part.pose;
        if sphere_gap(&pose, &part.sphere, point) > bound {
            continue;
        }
        let found = nearest_point(part, &pose, point, bound);
        if let Some(found) = found.filter(|found| best.is_none_or(|(_, best)| found.distance < best.distance))
        {
            (best, bound) = (Some((subshape, found)), found.distance);
        }
        if bound == 0.0 && best.is_some() {
            break;
        }
    }
    best
}

/// A point is not nearer to what a sphere holds than this (m).
pub(crate) fn sphere_gap(
    pose: &Isometry3<f64>,
    sphere: &impinge_geometry::BoundingSphere,
    point: &Point3<f64>,
) -> f64 {
    let center = pose * sphere.center.cast::<f64>();
    let size =
        [center.coords, pose.translation.vector, point.coords].map(|v| v.abs().sum()).iter().sum::<f64>();
    let gap = (point - center).norm() * (1.0 - 1e-12) - f64::from(sphere.radius) - 1e-14 * size;
    // What overflows is not far away for that.
    if gap.is_nan() { f64::NEG_INFINITY } else { gap }
}

/// What was found as the caller sees it.
pub(crate) fn seen(
    collider: ColliderId,
    point: &Point3<f64>,
    (subshape, found): (u32, NearestPoint),
) -> NearestHit {
    let NearestPoint { distance, to, normal, triangle, inside } = found;
    NearestHit { collider, subshape, triangle, distance, point: point + to, normal, inside }
}

impl PreparedShape {
    /// The point of the shape standing at `pose` that is nearest to `point` (m, world), if it is no farther than `within` (m,
    /// may be infinite), without a world; as [`ShapeQueries::nearest`](crate::ShapeQueries::nearest) says it.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
    /// let here = Isometry3::identity();
    /// let nearest = cube.nearest(&here, [2.0, 0.25, 0.0], 5.0)?.ok_or("too far")?;
    /// assert_eq!((nearest.distance, nearest.point), (1.5, Point3::new(0.5, 0.25, 0.0)));
    /// assert!(cube.nearest(&here, [2.0, 0.25, 0.0], 1.0)?.is_none());
    /// assert!(cube.nearest(&here, [0.1, 0.25, 0.0], 1.0)?.is_some_and(|nearest| nearest.inside));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], [`QueryError::Point`], or [`QueryError::Bound`] for a bound that is negative or not a number.
    pub fn nearest(
        &self,
        pose: &Isometry3<f64>,
        point: impl Into<Point3<f64>>,
        within: f64,
    ) -> Result<Option<NearestHit>, QueryError> {
        let (pose, point) = (checked(pose)?, point.into());
        PointError::check(&point).map_err(QueryError::Point)?;
        if within.is_nan() || within < 0.0 {
            return Err(QueryError::Bound { bound: within });
        }
        let found = nearest_of_shape(self.stages(), &pose, &point, within);
        Ok(found.map(|found| seen(ALONE, &point, found)))
    }
}
