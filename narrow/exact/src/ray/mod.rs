//! Where a ray meets the surface of a part.
//!
//! **Surfaces of triangles** (meshes and hulls) are exact and watertight. The line passes a triangle if it passes its
//! edges on the same side, each the sign of a triple product ([`orient_along`](impinge_geometry::predicate::orient_along)) of
//! canonical points; where it meets an edge or a corner, it counts as if the ray had begun an infinitesimal step towards
//! +x (then +y, then +z) from where it does, as in [`crate::containment::point_inside`]. So a line through an edge of two
//! triangles belongs to one of them or, where it only touches the edge from outside, to both or none, and along any line
//! the entries and exits of a closed surface alternate. Whether the ray begins before the triangle is exact, too; on it
//! counts. Virtual faces are not hit.
//!
//! **Primitives** are hit where closed forms say; a line that only grazes one, or runs within its surface, does not hit it.

mod hit;
mod solid;
mod surface;
mod triangle;

#[cfg(test)]
mod tests;

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::obb_tree::RayScratch;
use impinge_midphase::{DescentCounts, Part, Solid};
use nalgebra::{Isometry3, Point3, Vector3};

pub use hit::{Faces, PartHit};

use solid::SolidRay;
use surface::SurfaceRay;

/// A part and a ray in the frame of both.
#[derive(Clone, Copy, Debug)]
pub struct PartRay<'a> {
    part: &'a Part,
    /// The part is A; B's origin is that of the ray.
    frame: PairFrame,
    direction: Vector3<f64>,
    until: f64,
    faces: Faces,
}

impl<'a> PartRay<'a> {
    /// The ray `origin + t · direction` (m, world), t from 0 to `until`, and a part that stands at `pose` (world). The
    /// greatest component of the direction has to be of a magnitude from 1 to 2, and those below 2⁻¹⁵⁶ count as zero:
    /// they move no point by as much as coordinates differ.
    pub fn new(
        part: &'a Part,
        pose: &Isometry3<f64>,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        until: f64,
        faces: Faces,
    ) -> PartRay<'a> {
        let direction = direction.map(|x| if x.abs() < LEAST { 0.0 } else { x });
        PartRay { part, frame: PairFrame::with_point(pose, origin), direction, until, faces }
    }

    /// Ends the ray where that is sooner.
    pub fn end_at(&mut self, until: f64) {
        self.until = self.until.min(until);
    }

    /// The first hit; of several at the same time that of the lowest triangle.
    pub fn first(&self, scratch: &mut RayScratch, counts: &mut DescentCounts) -> Option<PartHit> {
        match self.surface() {
            Some(ray) => ray.first(scratch, counts),
            None => self.solid().and_then(|solid| solid.hits().into_iter().flatten().next()),
        }
    }

    /// Whether anything is hit.
    pub fn any(&self, scratch: &mut RayScratch, counts: &mut DescentCounts) -> bool {
        match self.surface() {
            Some(ray) => ray.any(scratch, counts),
            None => self.solid().is_some_and(|solid| solid.hits().iter().any(Option::is_some)),
        }
    }

    /// Adds all hits, by time, then triangle.
    pub fn all(&self, scratch: &mut RayScratch, counts: &mut DescentCounts, out: &mut Vec<PartHit>) {
        match self.surface() {
            Some(ray) => ray.all(scratch, counts, out),
            None => out.extend(self.solid().iter().flat_map(|solid| solid.hits()).flatten()),
        }
    }

    fn origin(&self) -> Point3<f64> {
        Point3::from(self.frame.offset[Side::B.index()])
    }

    fn surface(&self) -> Option<SurfaceRay<'_>> {
        let surface = match self.part.solid {
            Solid::Primitive(_) => return None,
            Solid::Hull | Solid::Mesh => self.part.surface.as_ref()?,
        };
        let (frame, origin) = (&self.frame, self.origin());
        Some(SurfaceRay {
            surface,
            frame,
            origin,
            direction: self.direction,
            until: self.until,
            faces: self.faces,
        })
    }

    fn solid(&self) -> Option<SolidRay> {
        SolidRay::new(self.part, &self.frame, (self.origin(), self.direction), self.until, self.faces)
    }
}

/// 2⁻¹⁵⁶.
const LEAST: f64 = f64::from_bits((1023 - 156) << 52);
