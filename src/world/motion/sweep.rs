//! How two colliders first meet, past what only grazes.

use impinge_contacts::Manifold;
use impinge_geometry::Motion;
use impinge_midphase::PreparedShape;
use nalgebra::Point3;

use super::lift::{displaced, lifted};
use super::movers::{Mover, SweptPair};
use super::{ColliderImpact, ImpactState};
use crate::query::{Impact, PairPoses, PairSweep, QueryScratch, SweptShapes, default_gap, shapes_touch};
use crate::world::{StepState, id_at};

/// What grazes is followed past this many places in a motion.
const GRAZES: u32 = 6;

/// Past a place that grazes, a motion is swept again with this part of the gap that was found there.
const NEARER: f64 = 0.25;

/// … as long as that is no less than this part of the gap that is usual: less is not told from rounding.
const LEAST_GAP: f64 = 1e-3;

/// Where it is less, B is displaced by twice as much, and by this many times as far at the next such place.
const FARTHER: f64 = 4.0;

/// What approaches more slowly than this part of the fastest motion grazes.
const STILL: f64 = 1e-9;

/// What comes very near is taken to do so at no less than this part of the fastest motion.
const SLOWEST: f64 = 0.01;

/// Times tried between a place that grazes and one that touches.
const HALVINGS: u32 = 16;

/// A pair on its way.
struct PairMotion<'s> {
    shapes: [&'s PreparedShape; 2],
    motions: [Motion; 2],
    /// As fast as any point comes nearer to another, at most (m per motion).
    fastest: f64,
    /// The usual gap (m).
    gap: f64,
}

/// How a pair first meets.
pub(super) fn sweep_pair(
    state: &StepState,
    movers: &[Mover],
    pair: &SweptPair,
    scratch: &mut QueryScratch,
) -> Option<ColliderImpact> {
    let held = [0, 1].map(|k| state.colliders.at(pair.slots[k]));
    let [Some(a), Some(b)] = held else { return None };
    let still = [a, b].map(|held| Motion::still(held.collider.pose));
    let motions = [0, 1].map(|k| pair.movers[k].map_or(still[k], |mover| movers[mover].motion));
    let shapes = [&*a.prepared, &*b.prepared];
    let fastest = fastest(&motions, shapes);
    let unswept = a.collider.sweep_beyond.min(b.collider.sweep_beyond);
    if unswept > 0.0 && fastest <= unswept {
        return None;
    }
    let sensor = a.collider.sensor || b.collider.sensor;
    let colliders = pair.slots.map(|slot| id_at(&state.colliders, slot));
    let tolerance = default_gap(shapes);
    let answer = |(impact, speed, state): (Impact, f64, ImpactState)| ColliderImpact {
        colliders,
        impact,
        speed,
        tolerance,
        state,
        sensor,
    };
    let way = PairMotion { shapes, motions, fastest, gap: tolerance };
    let contacts = manifolds_of(&state.manifolds, pair.slots);
    // Contacts hold what is near or touching: only what goes deeper is an impact.
    if !sensor
        && !contacts.is_empty()
        && let Some(lifted) = lifted(contacts, None, shapes, &motions, tolerance, scratch)
    {
        let found = way.swept_apart(&lifted, tolerance, scratch);
        return way.past_grazes(lifted, found, ImpactState::Displaced, scratch).map(answer);
    }
    match way.first(&way.motions[1], way.gap, scratch) {
        PairSweep::AtStart { subshapes } => {
            let wedged = (Impact::wedged(&motions, subshapes), 0.0, ImpactState::Wedged);
            // A sensor has no contacts that could lift it; that it touches is known.
            if sensor || !contacts.is_empty() {
                return Some(answer(wedged));
            }
            let face = way.swept(&motions[1], way.gap).touched_normal(subshapes);
            let Some(lifted) = lifted(contacts, face, shapes, &motions, way.gap, scratch) else {
                return Some(answer(wedged));
            };
            let found = way.swept_apart(&lifted, way.gap, scratch);
            way.past_grazes(lifted, found, ImpactState::Displaced, scratch).map(answer)
        }
        found => way.past_grazes(motions[1], found, ImpactState::Meeting, scratch).map(answer),
    }
}

impl PairMotion<'_> {
    fn swept<'m>(&'m self, b: &'m Motion, gap: f64) -> SweptShapes<'m> {
        SweptShapes { shapes: self.shapes, motions: [&self.motions[0], b], gap }
    }

    fn first(&self, b: &Motion, gap: f64, scratch: &mut QueryScratch) -> PairSweep {
        self.swept(b, gap).first(1.0, scratch)
    }

    fn swept_apart(&self, b: &Motion, gap: f64, scratch: &mut QueryScratch) -> PairSweep {
        self.swept(b, gap).first_apart(1.0, scratch)
    }

    /// The first place where the two approach each other: first with smaller gaps, then with B displaced a little farther.
    /// `b`: B's motion, from where it is free of A; `found`: how it first meets A.
    fn past_grazes(
        &self,
        mut b: Motion,
        mut found: PairSweep,
        state: ImpactState,
        scratch: &mut QueryScratch,
    ) -> Option<(Impact, f64, ImpactState)> {
        let mut gap = self.gap;
        let mut grazed: Option<(Impact, f64, ImpactState)> = None;
        let mut aside = 0.0;
        for graze in 0..=GRAZES {
            let stopped = match found {
                PairSweep::Impact(impact) => self.apart(impact, &b, gap),
                // Another place of B's has come to A by being displaced.
                PairSweep::AtStart { .. } => return grazed.map(|(at, speed, _)| (at, speed, state)),
                PairSweep::Free => {
                    let (first, speed, _) = grazed?;
                    if aside == 0.0 || !self.touching(1.0, scratch) {
                        return Some((first, speed, ImpactState::Grazing));
                    }
                    let time = self.last_free(first.time, 1.0, scratch);
                    return Some((Impact { time, ..first }, speed, state));
                }
            };
            let speed = closing_speed([&self.motions[0], &b], &stopped);
            if speed > STILL * self.fastest || graze == GRAZES {
                let from = grazed.filter(|_| aside > 0.0).map(|(first, ..)| first.time);
                let stopped = match from {
                    Some(from) if state == ImpactState::Meeting => {
                        Impact { time: self.last_free(from, stopped.time, scratch), ..stopped }
                    }
                    _ => stopped,
                };
                return Some((stopped, speed, state));
            }
            grazed = grazed.or(Some((stopped, speed, state)));
            if NEARER * stopped.gap >= LEAST_GAP * self.gap {
                gap = NEARER * stopped.gap;
                found = self.swept_apart(&b, gap, scratch);
            } else {
                aside = if aside > 0.0 { FARTHER * aside } else { 2.0 * LEAST_GAP * self.gap };
                gap = 0.5 * aside;
                b = displaced(&b, &(stopped.normal * aside));
                found = self.first(&b, gap, scratch);
            }
        }
        grazed
    }

    /// The next motion is to begin apart: an impact that is very near is taken a little earlier.
    fn apart(&self, impact: Impact, b: &Motion, gap: f64) -> Impact {
        if impact.gap >= 0.25 * gap {
            return impact;
        }
        let speed = closing_speed([&self.motions[0], b], &impact).max(SLOWEST * self.fastest);
        let time = impact.time - 0.5 * gap / speed;
        // Of no motion at all.
        Impact { time: if time > 0.0 { time } else { 0.0 }, ..impact }
    }

    fn touching(&self, time: f64, scratch: &mut QueryScratch) -> bool {
        let [a, b] = [0, 1].map(|k| self.motions[k].pose(time));
        shapes_touch(self.shapes, &PairPoses::checked(a, b), scratch, None)
    }

    /// The latest of some times between two, of which the two are apart at the first, at which they are.
    fn last_free(&self, from: f64, to: f64, scratch: &mut QueryScratch) -> f64 {
        let (mut free, mut touching) = (from, to);
        if !self.touching(to, scratch) {
            return to;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + touching);
            if self.touching(middle, scratch) {
                touching = middle;
            } else {
                free = middle;
            }
        }
        free
    }
}

/// The manifolds of two slots, the lower first; all are sorted by them.
fn manifolds_of(all: &[Manifold], slots: [u32; 2]) -> &[Manifold] {
    let slots_of = |m: &Manifold| m.colliders.map(|id| id.index);
    let from = all.partition_point(|m| slots_of(m) < slots);
    let to = from + all[from..].partition_point(|m| slots_of(m) == slots);
    &all[from..to]
}

/// No point of one shape comes nearer to one of the other faster (m per motion).
fn fastest(motions: &[Motion; 2], shapes: [&PreparedShape; 2]) -> f64 {
    let turning = |k: usize| {
        let sphere = shapes[k].sphere();
        let arm = (sphere.center.cast::<f64>() - motions[k].center()).norm() + f64::from(sphere.radius);
        let angle = motions[k].rotation_vector().norm();
        if angle > 0.0 { angle * arm } else { 0.0 }
    };
    (motions[1].way() - motions[0].way()).norm() + turning(0) + turning(1)
}

/// How fast two bodies approach each other where they meet (m per motion).
fn closing_speed(motions: [&Motion; 2], impact: &Impact) -> f64 {
    let velocity = |k: usize, at: &Point3<f64>| {
        let motion = motions[k];
        let center = motion.pose(impact.time) * motion.center();
        motion.way() + motion.rotation_vector().cross(&(at - center))
    };
    impact.normal.dot(&(velocity(0, &impact.on_a) - velocity(1, &impact.on_b)))
}
