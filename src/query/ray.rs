//! Rays against shapes: where do they go in, and where do they come out?

use impinge_exact::ray::{Faces, PartHit, PartRay};
use impinge_geometry::ColliderId;
use impinge_geometry::canonical::checked_pose;
use impinge_midphase::obb_tree::RayScratch;
use impinge_midphase::{DescentCounts, PreparedShape as Prepared, parts_on_ray};
use nalgebra::{Isometry3, Point3, Vector3};

use super::error::{PointError, QueryError, RayError};
use super::{PreparedShape, QueryScratch};

/// A ray: the points `origin + t · direction` for t from 0 to `length`.
///
/// ```
/// use impinge::query::ShapeRay;
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ball = PreparedShape::new(&Shape::sphere(0.5)?);
/// let ray = ShapeRay::new([-2.0, 0.0, 0.0], [0.5, 0.0, 0.0]);
/// let hit = ball.ray(&Isometry3::identity(), &ray)?.ok_or("missed")?;
/// assert_eq!((hit.time, hit.point.x, hit.entering), (3.0, -0.5, true));
/// assert!(ball.ray(&Isometry3::identity(), &ray.length(2.9))?.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeRay {
    /// Where it begins (m, world).
    pub origin: Point3<f64>,
    /// Where it goes (m per unit of t); of any length, which is the unit of times.
    pub direction: Vector3<f64>,
    /// Where it ends, in units of t (default: nowhere).
    pub length: f64,
    /// Which sides of surfaces it hits (default: both).
    pub faces: Faces,
}

impl ShapeRay {
    /// A ray without an end that hits both sides of surfaces. What cannot be followed is refused when it is asked about.
    pub fn new(origin: impl Into<Point3<f64>>, direction: impl Into<Vector3<f64>>) -> ShapeRay {
        let (origin, direction) = (origin.into(), direction.into());
        ShapeRay { origin, direction, length: f64::INFINITY, faces: Faces::Both }
    }

    /// From one point to another (m): times are parts of the way.
    pub fn between(from: impl Into<Point3<f64>>, to: impl Into<Point3<f64>>) -> ShapeRay {
        let (from, to) = (from.into(), to.into());
        ShapeRay::new(from, to - from).length(1.0)
    }

    /// Where it ends, in units of t; may be infinite.
    pub fn length(mut self, length: f64) -> ShapeRay {
        self.length = length;
        self
    }

    /// Hits only the front of surfaces: where it goes in.
    pub fn front_only(mut self) -> ShapeRay {
        self.faces = Faces::Front;
        self
    }

    /// The ray with a direction near unit length.
    pub(crate) fn checked(&self) -> Result<CheckedRay, RayError> {
        PointError::check(&self.origin)?;
        let (length, greatest) = (self.length, self.direction.amax());
        if !self.direction.iter().all(|x| x.is_finite()) || !(SHORTEST..=LONGEST).contains(&greatest) {
            return Err(RayError::Direction { direction: self.direction.into() });
        }
        if length.is_nan() || length < 0.0 {
            return Err(RayError::Length { length });
        }
        // A power of two: nothing is rounded.
        let unit = f64::from_bits(greatest.to_bits() & (0x7ff << 52));
        let direction = self.direction / unit;
        Ok(CheckedRay { ray: *self, direction, unit, until: length * unit })
    }
}

/// Between these, times and lengths of all that can be hit are numbers.
const SHORTEST: f64 = 1e-250;
const LONGEST: f64 = 1e250;

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The collider; 0 where a shape is asked about without a world.
    pub collider: ColliderId,
    /// The child of a composite; 0 of a simple shape.
    pub subshape: u32,
    /// The triangle, of meshes and hulls.
    pub triangle: Option<u32>,
    /// When: the ray's t. Of triangles right to half a unit in the last place.
    pub time: f64,
    /// Where: `origin + time · direction` (m, world).
    pub point: Point3<f64>,
    /// Outward unit normal of the surface (world), also where the ray comes out.
    pub normal: Vector3<f64>,
    /// Whether the ray goes in there: whether it meets the front of the surface.
    pub entering: bool,
}

/// A ray that can be followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedRay {
    ray: ShapeRay,
    /// Its greatest component is of a magnitude from 1 to 2.
    pub direction: Vector3<f64>,
    /// So many units of its own times are one of the caller's.
    unit: f64,
    /// Where it ends, in its own times.
    pub until: f64,
}

/// A hit of a shape, in the ray's own times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeHit {
    pub subshape: u32,
    pub hit: PartHit,
}

/// What rays reuse.
#[derive(Debug, Default)]
pub(crate) struct RayBuffers {
    parts: RayScratch,
    triangles: RayScratch,
    hits: Vec<PartHit>,
    /// Costs.
    counts: DescentCounts,
}

impl CheckedRay {
    pub fn origin(&self) -> &Point3<f64> {
        &self.ray.origin
    }

    /// A hit as the caller sees it.
    pub fn seen(&self, collider: ColliderId, found: &ShapeHit) -> RayHit {
        let ShapeHit { subshape, hit: PartHit { time, triangle, entering, normal } } = *found;
        let point = self.ray.origin + self.direction * time;
        RayHit { collider, subshape, triangle, time: time / self.unit, point, normal, entering }
    }

    fn part<'s>(&self, shape: &'s Prepared, pose: &Isometry3<f64>, subshape: u32, until: f64) -> PartRay<'s> {
        let part = &shape.parts()[subshape as usize];
        PartRay::new(part, &(pose * part.pose), &self.ray.origin, &self.direction, until, self.faces())
    }

    fn faces(&self) -> Faces {
        self.ray.faces
    }

    /// The first hit of a shape at `pose` until then; of several at the same time that of the lowest subshape, then
    /// triangle.
    pub fn first(
        &self,
        shape: &Prepared,
        pose: &Isometry3<f64>,
        until: f64,
        buffers: &mut RayBuffers,
    ) -> Option<ShapeHit> {
        let RayBuffers { parts, triangles, counts, .. } = buffers;
        let (mut best, mut until) = (None::<ShapeHit>, until);
        parts_on_ray(shape, pose, (self.origin(), &self.direction), until, parts, &mut |subshape| {
            if let Some(hit) = self.part(shape, pose, subshape, until).first(triangles, counts) {
                let found = ShapeHit { subshape, hit };
                if best.as_ref().is_none_or(|best| found.is_before(best)) {
                    best = Some(found);
                }
                until = until.min(hit.time);
            }
            until
        });
        best
    }

    /// Whether a shape at `pose` is hit.
    pub fn any(&self, shape: &Prepared, pose: &Isometry3<f64>, buffers: &mut RayBuffers) -> bool {
        let RayBuffers { parts, triangles, counts, .. } = buffers;
        let mut any = false;
        parts_on_ray(shape, pose, (self.origin(), &self.direction), self.until, parts, &mut |subshape| {
            any = any || self.part(shape, pose, subshape, self.until).any(triangles, counts);
            if any { f64::NEG_INFINITY } else { self.until }
        });
        any
    }

    /// Hands over all hits of a shape at `pose`, in no order.
    pub fn all(
        &self,
        shape: &Prepared,
        pose: &Isometry3<f64>,
        buffers: &mut RayBuffers,
        found: &mut impl FnMut(ShapeHit),
    ) {
        let RayBuffers { parts, triangles, counts, hits } = buffers;
        parts_on_ray(shape, pose, (self.origin(), &self.direction), self.until, parts, &mut |subshape| {
            hits.clear();
            self.part(shape, pose, subshape, self.until).all(triangles, counts, hits);
            hits.iter().for_each(|&hit| found(ShapeHit { subshape, hit }));
            self.until
        });
    }
}

impl ShapeHit {
    fn is_before(&self, other: &ShapeHit) -> bool {
        (self.hit.time, self.subshape) < (other.hit.time, other.subshape)
    }
}

/// By time, then collider, subshape and triangle; where all are equal the entry comes first.
pub(crate) fn in_order(hits: &mut [RayHit]) {
    let key = |hit: &RayHit| (hit.collider.index, hit.subshape, hit.triangle, !hit.entering);
    hits.sort_unstable_by(|p, q| p.time.total_cmp(&q.time).then_with(|| key(p).cmp(&key(q))));
}

/// The name of a shape without a world.
pub(super) const ALONE: ColliderId = ColliderId { index: 0, generation: 0 };

impl PreparedShape {
    /// The first hit of a ray with the shape standing at `pose` (world, m), without a world; as
    /// [`ShapeQueries::ray`](crate::ShapeQueries::ray) says it.
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Ray`] for a ray that cannot be followed.
    pub fn ray(&self, pose: &Isometry3<f64>, ray: &ShapeRay) -> Result<Option<RayHit>, QueryError> {
        self.ray_with(pose, ray, &mut QueryScratch::default())
    }

    /// As [`PreparedShape::ray`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_with(
        &self,
        pose: &Isometry3<f64>,
        ray: &ShapeRay,
        scratch: &mut QueryScratch,
    ) -> Result<Option<RayHit>, QueryError> {
        let (pose, ray) = (checked(pose)?, ray.checked().map_err(QueryError::Ray)?);
        let found = ray.first(self.stages(), &pose, ray.until, &mut scratch.ray);
        Ok(found.map(|found| ray.seen(ALONE, &found)))
    }

    /// All hits of a ray with the shape standing at `pose` (world, m), by time, then subshape and triangle.
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Ray`] for a ray that cannot be followed.
    pub fn ray_all(&self, pose: &Isometry3<f64>, ray: &ShapeRay) -> Result<Vec<RayHit>, QueryError> {
        self.ray_all_with(pose, ray, &mut QueryScratch::default())
    }

    /// As [`PreparedShape::ray_all`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_all_with(
        &self,
        pose: &Isometry3<f64>,
        ray: &ShapeRay,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<RayHit>, QueryError> {
        let (pose, ray) = (checked(pose)?, ray.checked().map_err(QueryError::Ray)?);
        let mut hits = Vec::new();
        ray.all(self.stages(), &pose, &mut scratch.ray, &mut |found| hits.push(ray.seen(ALONE, &found)));
        in_order(&mut hits);
        Ok(hits)
    }

    /// Whether a ray hits the shape standing at `pose` (world, m). Ends at the first hit that is found.
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Ray`] for a ray that cannot be followed.
    pub fn ray_any(&self, pose: &Isometry3<f64>, ray: &ShapeRay) -> Result<bool, QueryError> {
        self.ray_any_with(pose, ray, &mut QueryScratch::default())
    }

    /// As [`PreparedShape::ray_any`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_any_with(
        &self,
        pose: &Isometry3<f64>,
        ray: &ShapeRay,
        scratch: &mut QueryScratch,
    ) -> Result<bool, QueryError> {
        let (pose, ray) = (checked(pose)?, ray.checked().map_err(QueryError::Ray)?);
        Ok(ray.any(self.stages(), &pose, &mut scratch.ray))
    }
}

pub(super) fn checked(pose: &Isometry3<f64>) -> Result<Isometry3<f64>, QueryError> {
    checked_pose(pose).map_err(|source| QueryError::Pose { side: 'A', source })
}
