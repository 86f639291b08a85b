//! What is nearest to a point of a world.

use impinge_geometry::{Aabb, ColliderId};
use nalgebra::Point3;

use crate::query::{NearestHit, PointError, nearest_of_shape, nearest_seen, sphere_gap};
use crate::{QueryFilter, ShapeQueries, WorldError};

impl ShapeQueries<'_> {
    /// The point of all colliders that the filter accepts that is nearest to a point (m), if it is no farther than `within`
    /// (m; infinity is no bound, and makes every collider a candidate); of several, that of the lowest slot.
    ///
    /// The distance is that to the surface, and 0 inside closed meshes, hulls and primitives
    /// ([`NearestHit::inside`]). The faces that close a sheet or a terrain are no surface, but bound its inside.
    ///
    /// ```
    /// use impinge::QueryFilter;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let ball = world.add_collider(Collider::new(ball).position([3.0, 0.0, 0.0]))?;
    ///
    /// let (queries, all) = (world.shape_queries(), QueryFilter::new());
    /// let nearest = queries.nearest([0.0; 3], 10.0, &all)?.ok_or("nothing near")?;
    /// assert_eq!((nearest.collider, nearest.distance, nearest.point.x), (ball, 2.5, 2.5));
    /// assert!(queries.nearest([0.0; 3], 2.0, &all)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Point`], or [`WorldError::Bound`] for a bound that is negative or not a number.
    pub fn nearest(
        &self,
        point: impl Into<Point3<f64>>,
        within: f64,
        filter: &QueryFilter,
    ) -> Result<Option<NearestHit>, WorldError> {
        self.nearest_to(&point.into(), within, filter)
    }

    /// [`ShapeQueries::nearest`] of each of many points (m), in their order, on the workers of the world.
    ///
    /// # Errors
    /// As there, for the first point.
    pub fn nearest_many(
        &self,
        points: &[Point3<f64>],
        within: f64,
        filter: &QueryFilter,
    ) -> Result<Vec<Option<NearestHit>>, WorldError> {
        self.many(points, |point, _| self.nearest_to(point, within, filter))
    }

    fn nearest_to(
        &self,
        point: &Point3<f64>,
        within: f64,
        filter: &QueryFilter,
    ) -> Result<Option<NearestHit>, WorldError> {
        PointError::check(point)?;
        if within.is_nan() || within < 0.0 {
            return Err(WorldError::Bound { bound: within });
        }
        // More than the rounding of what is said about distances.
        let reach = within + 1e-12 * (within + point.coords.abs().sum());
        let around = Aabb::outward(
            (point - nalgebra::Vector3::repeat(reach)).into(),
            (point + nalgebra::Vector3::repeat(reach)).into(),
        );
        let mut near: Vec<(f64, ColliderId)> = Vec::new();
        for id in self.boxes.intersect_aabb(&around, filter)? {
            if let Some(held) = self.boxes.held(id) {
                near.push((sphere_gap(&held.collider.pose, held.prepared.sphere(), point), id));
            }
        }
        near.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.index.cmp(&q.1.index)));
        let mut best: Option<NearestHit> = None;
        let mut bound = within;
        for (gap, id) in near {
            if gap > bound {
                break;
            }
            let Some(held) = self.boxes.held(id) else { continue };
            let found = nearest_of_shape(&held.prepared, &held.collider.pose, point, bound);
            if let Some(found) = found.map(|found| nearest_seen(id, point, found))
                && best.as_ref().is_none_or(|best| {
                    (found.distance, found.collider.index) < (best.distance, best.collider.index)
                })
            {
                bound = found.distance;
                best = Some(found);
            }
        }
        Ok(best)
    }
}
