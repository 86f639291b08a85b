//! When do two convex solids first meet?

use impinge_convex::{Placed, separating_axis};
use impinge_geometry::{PairPath, Side};
use impinge_midphase::Part;
use nalgebra::Vector3;

use super::advance::{Approach, NearestPair, Tolerance, advance};
use super::answer::{Arrived, SweepScratch, SweepSettings};
use super::swept_solid::farthest;

/// When two convex solids, neither a half-space, that do not touch at the start first meet.
pub(super) fn convex(
    parts: [&Part; 2],
    path: &PairPath,
    settings: &SweepSettings,
    scratch: &mut SweepScratch,
) -> Option<Arrived> {
    let reach = parts.map(|part| {
        let sphere = &part.sphere;
        sphere.center.coords.cast::<f64>().norm() + f64::from(sphere.radius)
    });
    let error = path.rounding(reach) + path.bend();
    let mut pair =
        Solids { parts, path, radii: Side::BOTH.map(|side| farthest(path, side, reach[side.index()])) };
    let tolerance = Tolerance { gap: settings.gap, error };
    scratch.counts.followed += 1;
    let found = advance(&mut pair, [0.0, settings.bound], &tolerance, &mut scratch.counts.gaps)?;
    Some(Arrived {
        time: found.time,
        normal: found.nearest.map(|nearest| nearest.normal),
        triangles: [None; 2],
    })
}

/// Two convex solids in motion.
struct Solids<'s> {
    parts: [&'s Part; 2],
    path: &'s PairPath<'s>,
    radii: [f64; 2],
}

impl Solids<'_> {
    fn placed(&self, time: f64) -> Option<[Placed; 2]> {
        let frame = self.path.at(time);
        let [a, b] = Side::BOTH.map(|side| Placed::new(self.parts[side.index()], &frame, side));
        Some([a?, b?])
    }
}

impl Approach for Solids<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        // No distance is beyond this margin, and it stays a number when multiplied.
        let (normal, distance) = separating_axis(self.parts, &self.path.at(time), f64::MAX / 1e6)?;
        (distance > 0.0).then_some(NearestPair { distance, normal })
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        self.placed(time).map_or(f64::NEG_INFINITY, |[a, b]| -b.reach(&-normal) - a.reach(normal))
    }

    fn sagitta(&self, normal: &Vector3<f64>, span: f64) -> f64 {
        let of = |side: Side| self.path.sagitta(side, normal, self.radii[side.index()], span);
        of(Side::A) + of(Side::B)
    }
}
