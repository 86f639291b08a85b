//! When does a surface that deforms first meet a half-space?

use impinge_geometry::{PairPath, Side};
use nalgebra::Vector3;

use super::advance::{Approach, Arrival, NearestPair, Tolerance, advance};
use super::answer::{FirstContact, FirstMeeting, SweepScratch, SweepSettings};
use super::moving_surface::DeformingSurface;
use crate::distance::Feature;

/// A half-space whose normal turns by less than this (sine) does not turn.
const STILL: f64 = 1e-12;

/// Rounds at most where the half-space turns; what is not done then ends early, not late.
const ROUNDS: u32 = 4096;

/// When a deforming surface on the side `mesh` and a half-space first meet, if before the bound.
pub fn sweep_surface_half_space(
    mesh: Side,
    surface: &DeformingSurface<'_>,
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<FirstContact> {
    let mut reach = [0.0; 2];
    reach[mesh.index()] = surface.tree.reach();
    let error = path.rounding(reach) + path.bend();
    let tolerance = Tolerance { gap: settings.gap.max(16.0 * error), error };
    let mut pair = VerticesAbove { mesh, surface, path };
    if pair.lowest(0.0).0 <= 0.0 {
        return Some(FirstContact::AtStart);
    }
    scratch.counts.followed += 1;
    let gaps = &mut scratch.counts.gaps;
    let plane = mesh.other();
    let turning = path.angle(plane) > 0.0 && pair.normal(0.0).cross(&path.axis(plane)).norm() > STILL;
    let found = if turning {
        pair.advance_turning(settings.bound, &tolerance, gaps)
    } else {
        advance(&mut pair, [0.0, settings.bound], &tolerance, gaps)
    }?;
    (found.time < settings.bound).then(|| FirstContact::Later(pair.meeting(found.time)))
}

/// The vertices of a surface above a half-space.
struct VerticesAbove<'s> {
    mesh: Side,
    surface: &'s DeformingSurface<'s>,
    path: &'s PairPath<'s>,
}

impl VerticesAbove<'_> {
    /// The plane's normal, towards what is free.
    fn normal(&self, time: f64) -> Vector3<f64> {
        self.path.at(time).rotation[self.mesh.other().index()].column(2).into_owned()
    }

    /// The height of the lowest vertex (m), the vertex and a triangle that has it.
    fn lowest(&self, time: f64) -> (f64, u32, u32) {
        let (frame, normal) = (self.path.at(time), self.normal(time));
        let plane = normal.dot(&frame.offset[self.mesh.other().index()]);
        let DeformingSurface { mesh, .. } = self.surface;
        let mut best = (f64::INFINITY, 0, 0);
        for (t, corners) in mesh.triangles().iter().enumerate() {
            if mesh.is_virtual(t as u32) {
                continue;
            }
            for &v in corners {
                let p = frame.place_f64(self.mesh, &self.surface.vertex(v, time));
                let height = normal.dot(&p.coords) - plane;
                if height < best.0 {
                    best = (height, v, t as u32);
                }
            }
        }
        best
    }

    /// As [`advance`] where the half-space turns: no vertex comes nearer faster than both move.
    fn advance_turning(&self, end: f64, tolerance: &Tolerance, gaps: &mut u64) -> Option<Arrival> {
        let plane = self.mesh.other();
        let arm = |at: &[nalgebra::Point3<f32>], time: f64| {
            let (frame, center) = (self.path.at(time), self.path.center(plane, time));
            let arms = at.iter().map(|p| (frame.place(self.mesh, p).coords - center).norm());
            arms.fold(0.0, f64::max)
        };
        let DeformingSurface { from, to, .. } = *self.surface;
        let ways = from.iter().zip(to).map(|(p, q)| (q - p).cast::<f64>().norm());
        let fastest = self.path.relative_way().norm()
            + ways.fold(0.0, f64::max) * (1.0 + 1e-6)
            + self.path.angle(plane) * arm(from, 0.0).max(arm(to, 1.0));
        let mut time = 0.0;
        for round in 0..ROUNDS {
            *gaps += 1;
            let (distance, ..) = self.lowest(time);
            if distance <= tolerance.gap || round + 1 == ROUNDS {
                let nearest = (distance > 0.0).then(|| NearestPair { distance, normal: self.normal(time) });
                return Some(Arrival { time, nearest });
            }
            time += (distance - tolerance.error - 0.5 * tolerance.gap) / fastest;
            if time >= end {
                return None;
            }
        }
        None
    }

    fn meeting(&self, time: f64) -> FirstMeeting {
        let (frame, towards) = (self.path.at(time), self.normal(time));
        let (height, vertex, triangle) = self.lowest(time);
        let on_mesh = frame.place_f64(self.mesh, &self.surface.vertex(vertex, time));
        let (mut points, mut features) = ([on_mesh, on_mesh - towards * height], [Feature::Smooth; 2]);
        if self.mesh == Side::B {
            points.swap(0, 1);
        }
        features[self.mesh.index()] = Feature::Vertex(vertex);
        let mut triangles = [None; 2];
        triangles[self.mesh.index()] = Some(triangle);
        let normal = if self.mesh == Side::A { -towards } else { towards };
        FirstMeeting { time, gap: height.max(0.0), normal, points, features, triangles }
    }
}

impl Approach for VerticesAbove<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let (distance, ..) = self.lowest(time);
        (distance > 0.0).then(|| NearestPair { distance, normal: self.normal(time) })
    }

    /// The least of heights that are linear in time lies above its chord.
    fn separation(&mut self, time: f64, _: &Vector3<f64>) -> f64 {
        self.lowest(time).0
    }

    fn sagitta(&self, _: &Vector3<f64>, _: f64) -> f64 {
        0.0
    }
}
