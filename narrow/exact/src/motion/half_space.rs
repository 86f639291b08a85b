//! When does a body first meet a half-space?

use impinge_convex::Placed;
use impinge_geometry::{PairFrame, PairPath, Side};
use impinge_midphase::{Part, Surface};
use nalgebra::{Point3, Vector3};

use super::advance::{Approach, Arrival, NearestPair, Tolerance, advance};
use super::answer::{Arrived, SweepScratch, SweepSettings};
use super::swept_solid::farthest;

/// A half-space whose normal turns by less than this (sine) does not turn.
const STILL: f64 = 1e-12;

/// Rounds at most where the half-space itself turns.
const ROUNDS: u32 = 4096;

/// When the part on the side `body` and a half-space that does not touch it at the start first meet.
pub(super) fn half_space(
    parts: [&Part; 2],
    body: Side,
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<Arrived> {
    let part = parts[body.index()];
    let sphere = &part.sphere;
    let reach = sphere.center.coords.cast::<f64>().norm() + f64::from(sphere.radius);
    let mut reaches = [0.0; 2];
    reaches[body.index()] = reach;
    let tolerance = Tolerance { gap: settings.gap, error: path.rounding(reaches) + path.bend() };
    let radius = farthest(path, body, reach);
    let mut pair = AbovePlane { part, body, path, radius };
    scratch.counts.followed += 1;
    let plane = body.other();
    let (normal, axis) = (pair.normal(&path.at(0.0)), path.axis(plane));
    let found = if normal.cross(&axis).norm() <= STILL {
        advance(&mut pair, [0.0, settings.bound], &tolerance, &mut scratch.counts.gaps)
    } else {
        pair.advance_turning(settings.bound, &tolerance, reach, &mut scratch.counts.gaps)
    }?;
    // It is the only axis that parts anything from a half-space.
    let normal = pair.normal(&path.at(found.time)) * if body == Side::B { 1.0 } else { -1.0 };
    Some(Arrived { time: found.time, normal: Some(normal), triangles: [None; 2] })
}

/// A body above a half-space, in motion.
struct AbovePlane<'s> {
    part: &'s Part,
    body: Side,
    path: &'s PairPath<'s>,
    /// No point of the body is farther from what it turns about (m).
    radius: f64,
}

impl AbovePlane<'_> {
    /// The plane's normal, towards what is free.
    fn normal(&self, frame: &PairFrame) -> Vector3<f64> {
        frame.rotation[self.body.other().index()].column(2).into_owned()
    }

    /// The body's lowest point; the distance is negative where it is below the plane.
    fn lowest(&self, frame: &PairFrame) -> NearestPair {
        let normal = self.normal(frame);
        let lowest = match (&self.part.surface, Placed::new(self.part, frame, self.body)) {
            (_, Some(solid)) => solid.support(&-normal),
            (Some(surface), None) => lowest_vertex(surface, frame, self.body, &normal),
            (None, None) => Point3::origin(),
        };
        let height = normal.dot(&(lowest.coords - frame.offset[self.body.other().index()]));
        let normal = if self.body == Side::B { normal } else { -normal };
        NearestPair { distance: height, normal }
    }

    /// As [`advance`] where the half-space turns: no point above it comes nearer faster than the two move.
    fn advance_turning(
        &mut self,
        end: f64,
        tolerance: &Tolerance,
        reach: f64,
        gaps: &mut u64,
    ) -> Option<Arrival> {
        let (body, plane) = (self.body, self.body.other());
        let apart = |t: f64| (self.path.center(body, t) - self.path.center(plane, t)).norm();
        let arm = (self.path.at(0.0).offset[body.index()] - self.path.center(body, 0.0)).norm();
        let farthest = apart(0.0).max(apart(1.0)) + arm + reach;
        let fastest = self.path.relative_way().norm()
            + self.path.angle(body) * self.radius
            + self.path.angle(plane) * farthest;
        let mut time = 0.0;
        for round in 0..ROUNDS {
            *gaps += 1;
            let found = self.lowest(&self.path.at(time));
            if found.distance <= tolerance.gap || round + 1 == ROUNDS {
                let nearest = (found.distance > 0.0).then_some(found);
                return Some(Arrival { time, nearest });
            }
            // Half of the gap asked for stays between them.
            time += (found.distance - tolerance.error - 0.5 * tolerance.gap) / fastest;
            if time >= end {
                return None;
            }
        }
        None
    }
}

/// The lowest vertex of a surface along a normal (unit, pair frame).
fn lowest_vertex(surface: &Surface, frame: &PairFrame, side: Side, normal: &Vector3<f64>) -> Point3<f64> {
    let (mesh, tree) = (surface.faces(), &surface.tree);
    let local = frame.direction_to_local(side, normal);
    let mut best = (f64::INFINITY, Point3::origin());
    tree.lowest(&local, f64::INFINITY, &mut |leaf| {
        for &t in tree.leaf_triangles(leaf).iter().filter(|&&t| !mesh.is_virtual(t)) {
            for p in mesh.corners(t) {
                let height = local.dot(&p.coords.cast::<f64>());
                if height < best.0 {
                    best = (height, frame.place(side, &p));
                }
            }
        }
        best.0
    });
    best.1
}

impl Approach for AbovePlane<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        Some(self.lowest(&self.path.at(time))).filter(|found| found.distance > 0.0)
    }

    /// Along the plane's normal, which is the only axis that parts anything from a half-space.
    fn separation(&mut self, time: f64, _: &Vector3<f64>) -> f64 {
        self.lowest(&self.path.at(time)).distance
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        self.path.sagitta(self.body, normal, self.radius, span)
    }
}
