//! The first meeting of all subshapes.

use impinge_exact::motion::{
    FirstContact, FirstMeeting, SweepSettings, first_meeting, sweep, touched_normal,
};
use impinge_geometry::{Motion, PairPath, Side};
use impinge_midphase::{Part, PreparedShape};
use nalgebra::Vector3;

use super::{Impact, PairSweep};
use crate::query::QueryScratch;

/// The gap that is left at an impact, as a part of the smaller shape's radius.
const GAP: f64 = 1e-4;

/// The gap that is left at an impact of two shapes unless another is asked for (m).
pub(crate) fn default_gap(shapes: [&PreparedShape; 2]) -> f64 {
    let radius = shapes.map(|shape| f64::from(shape.sphere().radius));
    let least = radius[0].min(radius[1]);
    if least.is_finite() { (GAP * least).max(f64::MIN_POSITIVE) } else { GAP }
}

/// Two shapes in motion, found to be usable.
#[derive(Clone, Copy)]
pub(crate) struct SweptShapes<'s> {
    pub shapes: [&'s PreparedShape; 2],
    pub motions: [&'s Motion; 2],
    /// Greatest gap at the time reported (m).
    pub gap: f64,
}

/// A pair of subshapes, and when they may meet at the earliest.
struct Candidate {
    earliest: f64,
    subshapes: [u32; 2],
    path: PairPath<'static>,
}

impl SweptShapes<'_> {
    /// How the shapes first meet, if before `bound`.
    pub fn first(&self, bound: f64, scratch: &mut QueryScratch) -> PairSweep {
        self.search(bound, scratch, true)
    }

    /// As [`SweptShapes::first`], of shapes that are known not to touch at the start.
    pub fn first_apart(&self, bound: f64, scratch: &mut QueryScratch) -> PairSweep {
        self.search(bound, scratch, false)
    }

    /// The normal (unit, from A to B) of a face at which two subshapes touch at the start, if they do at a face.
    pub fn touched_normal(&self, subshapes: [u32; 2]) -> Option<Vector3<f64>> {
        let start = self.candidate(subshapes).path.at(0.0);
        touched_normal(self.parts(subshapes), &start)
    }

    /// The pairs of subshapes that may meet before `bound`, those that may first at first.
    fn candidates(&self, bound: f64) -> Vec<Candidate> {
        let counts = self.shapes.map(|shape| shape.parts().len() as u32);
        let mut near: Vec<Candidate> = (0..counts[0])
            .flat_map(|i| (0..counts[1]).map(move |j| [i, j]))
            .map(|subshapes| self.candidate(subshapes))
            .filter(|candidate| candidate.earliest < bound)
            .collect();
        near.sort_by(|p, q| p.earliest.total_cmp(&q.earliest));
        near
    }

    fn search(&self, bound: f64, scratch: &mut QueryScratch, may_touch: bool) -> PairSweep {
        let near = self.candidates(bound);
        let mut best: Option<(FirstMeeting, usize)> = None;
        let mut settings = SweepSettings { gap: self.gap, bound };
        for (k, candidate) in near.iter().enumerate() {
            // What may touch at the start is asked even behind a meeting at once.
            if candidate.earliest >= settings.bound.max(f64::MIN_POSITIVE) {
                break;
            }
            let parts = self.parts(candidate.subshapes);
            let found = if may_touch && candidate.earliest <= 0.0 {
                sweep(parts, &candidate.path, &settings, &mut scratch.sweep)
            } else {
                let found = first_meeting(parts, &candidate.path, &settings, &mut scratch.sweep);
                found.map(FirstContact::Later)
            };
            match found {
                None => {}
                Some(FirstContact::AtStart) => {
                    return PairSweep::AtStart { subshapes: candidate.subshapes };
                }
                Some(FirstContact::Later(meeting)) => {
                    settings.bound = meeting.time;
                    best = Some((meeting, k));
                }
            }
        }
        best.map_or(PairSweep::Free, |(meeting, k)| PairSweep::Impact(self.impact(&meeting, &near[k])))
    }

    fn parts(&self, subshapes: [u32; 2]) -> [&Part; 2] {
        [0, 1].map(|k| &self.shapes[k].parts()[subshapes[k] as usize])
    }

    /// Two subshapes cannot meet before their bounding spheres can; at 0 or before, these do at the start.
    fn candidate(&self, subshapes: [u32; 2]) -> Candidate {
        let parts = self.parts(subshapes);
        let motions = [0, 1].map(|k| self.motions[k].of_child(&parts[k].pose));
        let path = PairPath::new(motions.each_ref());
        let start = path.at(0.0);
        let centers = Side::BOTH.map(|side| {
            let center = parts[side.index()].sphere.center.cast::<f64>();
            start.place_f64(side, &center).coords
        });
        let radii: f64 = parts.iter().map(|part| f64::from(part.sphere.radius)).sum();
        let turning = |side: Side| path.speed(side, path.arm_of(side, &centers[side.index()], 0.0));
        let fastest = path.relative_way().norm() + turning(Side::A) + turning(Side::B);
        let gap = (centers[1] - centers[0]).norm() - radii - path.bend();
        // What touches at the start must not be lost in rounding.
        let slack = 1e-12 * (radii + centers[0].norm() + centers[1].norm());
        let earliest = if gap > slack { (gap - slack) / fastest } else { 0.0 };
        // Spheres without bounds are everywhere.
        let earliest = if earliest.is_nan() { 0.0 } else { earliest };
        Candidate { earliest, subshapes, path }
    }

    fn impact(&self, meeting: &FirstMeeting, candidate: &Candidate) -> Impact {
        let parts = self.parts(candidate.subshapes);
        Impact::new(meeting, &candidate.path.at(meeting.time), parts, candidate.subshapes)
    }
}
