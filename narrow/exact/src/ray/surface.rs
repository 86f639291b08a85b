//! A ray and a surface of triangles.

use impinge_geometry::{PairFrame, Side};
use impinge_midphase::obb_tree::{RayScratch, TreeRay};
use impinge_midphase::{DescentCounts, Surface};
use nalgebra::{Point3, Vector3};

use super::hit::{Faces, PartHit};
use super::triangle::{Line, Passed};

/// A surface, which is A, and a ray in the pair frame.
pub(super) struct SurfaceRay<'a> {
    pub surface: &'a Surface,
    pub frame: &'a PairFrame,
    pub origin: Point3<f64>,
    pub direction: Vector3<f64>,
    pub until: f64,
    pub faces: Faces,
}

/// The best so far.
struct Best {
    triangle: u32,
    passed: Passed,
    /// Once it was asked for.
    time: Option<f64>,
}

impl Best {
    fn time(&mut self) -> f64 {
        let passed = &self.passed;
        *self.time.get_or_insert_with(|| passed.time())
    }

    fn between(&self) -> [f64; 2] {
        self.time.map_or(self.passed.between, |time| [time; 2])
    }

    fn hit(mut self) -> PartHit {
        let (time, Passed { entering, .. }) = (self.time(), self.passed);
        PartHit { time, triangle: Some(self.triangle), entering, normal: self.passed.normal() }
    }
}

impl SurfaceRay<'_> {
    pub fn first(&self, scratch: &mut RayScratch, counts: &mut DescentCounts) -> Option<PartHit> {
        let mut best: Option<Best> = None;
        *counts += self.search(scratch, &mut |triangle| {
            if let Some(found) = self.hits(triangle) {
                best = Some(match best.take() {
                    Some(best) => first_of(best, found),
                    None => found,
                });
            }
            best.as_ref().map_or(self.until, |best| best.between()[1])
        });
        best.map(Best::hit)
    }

    pub fn any(&self, scratch: &mut RayScratch, counts: &mut DescentCounts) -> bool {
        let mut any = false;
        *counts += self.search(scratch, &mut |triangle| {
            any = any || self.hits(triangle).is_some();
            if any { f64::NEG_INFINITY } else { self.until }
        });
        any
    }

    pub fn all(&self, scratch: &mut RayScratch, counts: &mut DescentCounts, out: &mut Vec<PartHit>) {
        let before = out.len();
        *counts += self.search(scratch, &mut |triangle| {
            out.extend(self.hits(triangle).map(Best::hit));
            self.until
        });
        out[before..].sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.triangle.cmp(&b.triangle)));
    }

    fn search(&self, scratch: &mut RayScratch, visit: &mut impl FnMut(u32) -> f64) -> DescentCounts {
        let ray = TreeRay {
            origin: self.frame.to_local(Side::A, &self.origin),
            direction: self.frame.direction_to_local(Side::A, &self.direction),
            from: 0.0,
            until: self.until,
            slack: 0.0,
        };
        self.surface.tree.ray(&ray, scratch, visit)
    }

    /// A triangle that the ray hits.
    #[inline]
    fn hits(&self, triangle: u32) -> Option<Best> {
        let mesh = self.surface.faces();
        if mesh.is_virtual(triangle) {
            return None;
        }
        let corners = mesh.corners(triangle).map(|p| self.frame.place(Side::A, &p));
        let line = Line { origin: self.origin, direction: self.direction };
        let passed = line.passes(&corners)?;
        if !passed.entering && self.faces == Faces::Front {
            return None;
        }
        let mut found = Best { triangle, passed, time: None };
        let [soonest, latest] = found.between();
        if soonest > self.until || (latest > self.until && found.time() > self.until) {
            return None;
        }
        if latest == f64::INFINITY {
            found.time();
        }
        Some(found)
    }
}

/// The first of two; of two at the same time that of the lower triangle.
fn first_of(mut p: Best, mut q: Best) -> Best {
    let (of_p, of_q) = (p.between(), q.between());
    if of_p[1] < of_q[0] {
        return p;
    }
    if of_q[1] < of_p[0] {
        return q;
    }
    if (p.time(), p.triangle) < (q.time(), q.triangle) { p } else { q }
}
