//! What rays hit in a world.

use crate::query::{CheckedRay, QueryScratch, RayHit, ShapeRay, in_order};
use crate::{QueryFilter, ShapeQueries, WorldError};

/// Times of boxes are right to a few units in the last place.
const ROUNDING: f64 = 1e-14;

impl ShapeQueries<'_> {
    /// The first hit of a ray with a collider that the filter accepts; of several at the same time that of the lowest slot,
    /// then subshape and triangle.
    ///
    /// Surfaces of triangles are hit exactly, and watertight: a line through an edge hits one of its triangles, and
    /// entries and exits of a closed surface alternate ([`ShapeQueries::ray_all`]). A ray that begins on a surface
    /// hits it at 0; one that begins inside hits first where it comes out, at the surface's back. The faces that
    /// close a sheet or a terrain are not hit. Spheres, boxes, capsules, cylinders and half-spaces are hit where their
    /// closed forms say; a ray that only grazes one does not hit it.
    ///
    /// ```
    /// use impinge::QueryFilter;
    /// use impinge::query::ShapeRay;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let ball = world.add_collider(Collider::new(ball).position([3.0, 0.0, 0.0]))?;
    ///
    /// let (queries, all) = (world.shape_queries(), QueryFilter::new());
    /// let ray = ShapeRay::new([0.0; 3], [1.0, 0.0, 0.0]);
    /// let hit = queries.ray(&ray, &all)?.ok_or("nothing there")?;
    /// assert_eq!((hit.collider, hit.time, hit.entering), (ball, 2.5, true));
    /// assert_eq!(hit.normal, -Vector3::x());
    /// let times: Vec<f64> = queries.ray_all(&ray, &all)?.iter().map(|hit| hit.time).collect();
    /// assert_eq!(times, [2.5, 3.5]);
    /// assert!(!queries.ray_any(&ray.length(2.0), &all)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Ray`] for a ray that cannot be followed.
    pub fn ray(&self, ray: &ShapeRay, filter: &QueryFilter) -> Result<Option<RayHit>, WorldError> {
        self.ray_with(ray, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::ray`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_with(
        &self,
        ray: &ShapeRay,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<Option<RayHit>, WorldError> {
        let ray = ray.checked()?;
        let mut best: Option<RayHit> = None;
        let mut until = ray.until;
        for near in self.boxes.on_line((ray.origin(), &ray.direction), ray.until, filter)? {
            // Boxes come in the order in which they are entered.
            if near.time * (1.0 - ROUNDING) > until {
                break;
            }
            let Some(held) = self.boxes.held(near.collider) else { continue };
            let found = ray.first(&held.prepared, &held.collider.pose, until, &mut scratch.ray);
            if let Some(found) = found {
                let hit = ray.seen(near.collider, &found);
                let is_before =
                    |best: &RayHit| found.hit.time < until || near.collider.index < best.collider.index;
                if best.as_ref().is_none_or(is_before) {
                    best = Some(hit);
                }
                until = found.hit.time;
            }
        }
        Ok(best)
    }

    /// [`ShapeQueries::ray`] of each of many rays, in their order, on the workers of the world.
    ///
    /// # Errors
    /// [`WorldError::Ray`] for the first ray that cannot be followed.
    pub fn rays(&self, rays: &[ShapeRay], filter: &QueryFilter) -> Result<Vec<Option<RayHit>>, WorldError> {
        self.many(rays, |ray, scratch| self.ray_with(ray, filter, scratch))
    }

    /// Whether a ray hits any collider that the filter accepts. Ends at the first hit that is found.
    ///
    /// # Errors
    /// [`WorldError::Ray`] for a ray that cannot be followed.
    pub fn ray_any(&self, ray: &ShapeRay, filter: &QueryFilter) -> Result<bool, WorldError> {
        self.ray_any_with(ray, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::ray_any`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_any_with(
        &self,
        ray: &ShapeRay,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<bool, WorldError> {
        let ray = ray.checked()?;
        let near = self.boxes.on_line((ray.origin(), &ray.direction), ray.until, filter)?;
        Ok(near
            .iter()
            .filter_map(|near| self.boxes.held(near.collider))
            .any(|held| ray.any(&held.prepared, &held.collider.pose, &mut scratch.ray)))
    }

    /// All hits of a ray with colliders that the filter accepts, by time, then slot, subshape and triangle.
    ///
    /// Along the ray the entries and exits of a closed mesh take turns; the ray's way past a corner or an edge may give
    /// both at one time, of which either may be listed first.
    ///
    /// # Errors
    /// [`WorldError::Ray`] for a ray that cannot be followed.
    pub fn ray_all(&self, ray: &ShapeRay, filter: &QueryFilter) -> Result<Vec<RayHit>, WorldError> {
        self.ray_all_with(ray, filter, &mut QueryScratch::default())
    }

    /// As [`ShapeQueries::ray_all`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn ray_all_with(
        &self,
        ray: &ShapeRay,
        filter: &QueryFilter,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<RayHit>, WorldError> {
        let ray: CheckedRay = ray.checked()?;
        let mut hits = Vec::new();
        for near in self.boxes.on_line((ray.origin(), &ray.direction), ray.until, filter)? {
            let Some(held) = self.boxes.held(near.collider) else { continue };
            ray.all(&held.prepared, &held.collider.pose, &mut scratch.ray, &mut |found| {
                hits.push(ray.seen(near.collider, &found));
            });
        }
        in_order(&mut hits);
        Ok(hits)
    }
}
