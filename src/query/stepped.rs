//! One pair as a simulator's steps follow it.

use impinge_contacts::{Manifold, PairMotion};
use impinge_geometry::Motion;
use nalgebra::{Isometry3, Point3, center};

use super::motion::{PairSweep, SweptShapes, checked, default_gap};
use super::subshapes::Poses;
use super::tracker::FollowedContacts;
use super::{PairQuery, PreparedShape, QueryError, QueryScratch, check_margin};
use crate::BuildError;
use crate::coherence::{COHERENCE, Coherence, LastAnswer, check_coherence};
use crate::pipeline::PlacedCollider;

/// What is apart is searched as far as it would get in so many steps,
const STEPS_AHEAD: f64 = 8.0;
/// … but no farther than this part of the smaller shape's radius: a wider search costs more.
const MOST_AHEAD: f64 = 0.25;
/// … nor for less than this part.
const LEAST_AHEAD: f64 = 1e-3;
/// Steps after which a pair that was too near for that is tried again.
const RETRY: u32 = 8;
/// A body on its way may stray from it by this part of how far it has moved: a wider one has more pairs searched for points than meet.
const STRAY: f64 = 0.1;
/// Where two bodies meet on their ways, surfaces nearer than this part of how far they have moved have points: other places
/// that meet in the same step, as the first one turns the bodies. More than the gap of a sweep with such a stray, four times that.
const AROUND: f64 = 0.5;
/// How much the bound of a motion is off by rounding, at most (part of it).
const ROUNDING: f64 = 1e-9;
/// Of the distance to look ahead: a pair that moves by less from step to step (1 mm of 20) is slow.
const SLOW: f64 = 0.05;

/// Contacts of one pair from step to step, for simulators that ask a narrow phase pair by pair and want to stop bodies where they
/// meet. Points keep their keys as in a [`PairTracker`](crate::PairTracker).
///
/// A pair in touch is asked about its overlap alone: a margin would be dear, and the four points of a manifold would be shared out
/// to what does not touch yet. A pair apart that would meet if it went on as it came is asked where it first would, as far around
/// as half of what it has moved since it was last asked about; the points, carried back to where the bodies are, have negative depths that say how far they
/// still have to go. A new pair is asked as far as [`Lookahead::distance`].
///
/// What touches and has hardly moved is not answered in full again ([`SteppedPair::with_coherence`]).
///
/// The answers depend on this pair's own past alone.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::query::{Lookahead, QueryError, QueryScratch, SteppedPair};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
/// let mut pair = SteppedPair::new(&PairQuery::between(&cube, &cube));
/// let mut scratch = QueryScratch::default();
/// let mut step = |z: f64| -> Result<usize, QueryError> {
///     let [a, b] = [0.0, z].map(|z| Isometry3::translation(0.0, 0.0, z));
///     Ok(pair.contacts(&a, &b, Lookahead::new(0.02), &mut scratch)?.len())
/// };
/// // It comes down by 0.1 m a step: stopped ahead in the step before it would touch.
/// assert_eq!([step(1.25)?, step(1.15)?, step(1.05)?], [0, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SteppedPair {
    query: PairQuery,
    /// How far the shapes reach (m).
    reaches: [f64; 2],
    contacts: FollowedContacts,
    manifolds: Vec<Manifold>,
    /// Where both stood when contacts were last asked for.
    last: Option<[Isometry3<f64>; 2]>,
    /// Where both stood when nothing was found within so far (m).
    clear: Option<([Isometry3<f64>; 2], f64)>,
    /// Steps before a wider search is tried.
    wait: u32,
    /// The margin of the last full answer (m).
    margin: f64,
    /// What the last full answer is good for, if the two touched in it.
    coherence: Coherence,
    /// By which part of itself a depth may be wrong.
    part: f64,
}

/// How far pairs that are apart are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookahead {
    /// For pairs that are asked about for the first time (m). Pairs that move by less than a twentieth of it from step to step
    /// are let touch before they have contacts.
    pub distance: f64,
    /// For all pairs, in touch or not, as skins of bodies ask for (m).
    pub skin: f64,
}

impl Lookahead {
    /// Without a skin.
    pub fn new(distance: f64) -> Lookahead {
        Lookahead { distance, skin: 0.0 }
    }

    /// With a skin (m).
    pub fn skin(self, skin: f64) -> Lookahead {
        Lookahead { skin, ..self }
    }
}

impl SteppedPair {
    /// Begins to follow a pair. A margin in the query's settings is not used: each call has its own.
    pub fn new(query: &PairQuery) -> SteppedPair {
        SteppedPair {
            query: query.clone(),
            reaches: query.prepared().map(reach),
            contacts: FollowedContacts::default(),
            manifolds: Vec::new(),
            last: None,
            clear: None,
            wait: 0,
            margin: 0.0,
            coherence: Coherence::default(),
            part: COHERENCE,
        }
    }

    /// With another part of their depth by which points of a contact may drift before it is found again, see
    /// [`WorldBuilder::coherence`](crate::WorldBuilder::coherence) (default 0.02; 0: they never do).
    ///
    /// # Errors
    /// [`BuildError::Setting`] for a part that is not from 0 to 0.1.
    pub fn with_coherence(self, part: f64) -> Result<SteppedPair, BuildError> {
        check_coherence(part)?;
        Ok(SteppedPair { part, ..self })
    }

    /// The pair that is followed.
    pub fn query(&self) -> &PairQuery {
        &self.query
    }

    /// The same pair before it was first asked about, but for where it stood last.
    #[must_use]
    pub fn begun_again(&self) -> SteppedPair {
        SteppedPair { last: self.last, part: self.part, ..SteppedPair::new(&self.query) }
    }

    /// The manifolds with A at `a` and B at `b` (m); collider 0 is A, collider 1 is B.
    ///
    /// # Errors
    /// [`QueryError::Pose`], and [`QueryError::Margin`] for a lookahead that is not from 0 to 1e30 m. Nothing has changed then.
    pub fn contacts(
        &mut self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        ahead: Lookahead,
        scratch: &mut QueryScratch,
    ) -> Result<&[Manifold], QueryError> {
        let poses = Poses::new(a, b)?;
        let (distance, skin) = (check_margin(ahead.distance)?, check_margin(ahead.skin)?);
        let to = [*a, *b];
        let last = self.last.replace(to);
        let moved = last.map_or(distance, |last| self.displacement(&last, &to));
        if last.is_some() && self.manifolds.is_empty() && self.is_clear(&poses, &to, moved, skin, scratch) {
            return Ok(&[]);
        }
        if self.refresh(&to, skin, scratch) {
            return Ok(&self.manifolds);
        }
        self.coherence.begin(&placed(self.query.shapes(), &to), self.part, false);
        let touching = self.ask(&poses, skin, scratch);
        if touching {
            let SteppedPair { query, contacts, manifolds, coherence, .. } = self;
            coherence.end(&placed(query.shapes(), &to), self.part, &last_answer(contacts, manifolds, skin));
        }
        // What goes on as slowly as this is not stopped ahead: it sinks in by no more.
        let slow = skin.max(SLOW * distance);
        let near = !self.manifolds.is_empty() || moved <= slow;
        match last {
            _ if near => {}
            None => {
                self.ask(&poses, moved, scratch);
            }
            Some(last) => self.ask_ahead(&last, &to, moved, scratch)?,
        }
        Ok(&self.manifolds)
    }

    /// Whether the two, which were apart, are so far apart that they cannot meet in the next step, and are no nearer than a skin (m). One search
    /// proves it for several steps: until one has moved as far as nothing was found.
    fn is_clear(
        &mut self,
        poses: &Poses,
        to: &[Isometry3<f64>; 2],
        moved: f64,
        skin: f64,
        scratch: &mut QueryScratch,
    ) -> bool {
        let needed = skin.max((1.0 + AROUND) * moved);
        if let Some((from, within)) = &self.clear
            && self.drift(from, to) + needed <= within * (1.0 - ROUNDING)
        {
            return true;
        }
        let radii = self.query.shapes().map(|shape| f64::from(shape.sphere().radius));
        let radius = radii[0].min(radii[1]);
        let ahead = (STEPS_AHEAD * moved).min(MOST_AHEAD * radius).max(LEAST_AHEAD * radius);
        let wide = self.wait == 0 && ahead > needed && ahead.is_finite();
        let within = if wide { ahead } else { needed };
        self.wait = if wide { RETRY } else { self.wait.saturating_sub(1) };
        let mut batch = scratch.batch();
        self.query.find_within(0, poses, within, &mut batch);
        let found = !batch.jobs.is_empty();
        scratch.keep(batch);
        self.clear = (!found).then_some((*to, within));
        if !found {
            self.contacts = FollowedContacts::default();
            self.wait = 0;
        }
        !found
    }

    /// Refreshes the last full answer, if the two touched in it and have hardly moved since.
    fn refresh(&mut self, to: &[Isometry3<f64>; 2], skin: f64, scratch: &mut QueryScratch) -> bool {
        let SteppedPair { query, contacts, manifolds, coherence, margin, .. } = self;
        let last = &mut last_answer(contacts, manifolds, skin);
        *margin == skin && coherence.refresh(&placed(query.shapes(), to), last, &mut scratch.narrow)
    }

    /// Finds the contacts; whether the two touch.
    fn ask(&mut self, poses: &Poses, margin: f64, scratch: &mut QueryScratch) -> bool {
        scratch.take_back(&mut self.manifolds);
        let answer = self.query.answer(poses, margin, scratch, Some(&mut self.contacts));
        self.manifolds = answer.manifolds;
        self.contacts.points.match_points(&mut self.manifolds, &mut scratch.contacts);
        self.margin = margin;
        answer.touching
    }

    /// Points where the two will meet if they go on as they came.
    fn ask_ahead(
        &mut self,
        from: &[Isometry3<f64>; 2],
        to: &[Isometry3<f64>; 2],
        moved: f64,
        scratch: &mut QueryScratch,
    ) -> Result<(), QueryError> {
        let Some(there) = self.meeting_place(from, to, moved, scratch) else { return Ok(()) };
        let met = [to[0], to[0] * there];
        self.ask(&Poses::new(&met[0], &met[1])?, AROUND * moved, scratch);
        self.manifolds.retain_mut(|manifold| {
            carry_back(manifold, &met, to);
            !manifold.points.is_empty()
        });
        Ok(())
    }

    /// Where B stands in A's frame when the two first meet, if they do so in the next step: as they came, or straying from that by a
    /// part of how far they `moved` (m).
    fn meeting_place(
        &self,
        from: &[Isometry3<f64>; 2],
        to: &[Isometry3<f64>; 2],
        moved: f64,
        scratch: &mut QueryScratch,
    ) -> Option<Isometry3<f64>> {
        let [from, to] = [from, to].map(|[a, b]| a.inverse() * b);
        let next = to * (from.inverse() * to);
        let Ok(motion) = checked('B', &Motion::between(to, next).bend(STRAY * moved)) else {
            return Some(to);
        };
        let still = Motion::still(Isometry3::identity());
        let swept = SweptShapes {
            shapes: self.query.shapes(),
            motions: [&still, &motion],
            gap: default_gap(self.query.shapes()),
        };
        match swept.first_apart(1.0, scratch) {
            PairSweep::Free => None,
            PairSweep::AtStart { .. } => Some(to),
            PairSweep::Impact(impact) => Some(motion.pose(impact.time)),
        }
    }

    /// A bound of how much nearer the two can have come (m).
    fn drift(&self, from: &[Isometry3<f64>; 2], to: &[Isometry3<f64>; 2]) -> f64 {
        let motion = PairMotion::new(from, to);
        let shapes = self.query.shapes();
        let bounds = [0, 1].map(|side| {
            let sphere = shapes[side].sphere();
            motion.reach(side, &sphere.center.cast(), f64::from(sphere.radius))
        });
        bounds[0].min(bounds[1])
    }

    /// A bound of how far points of one shape that are near the other have moved against it (m), at most as far as the smaller
    /// shape reaches.
    fn displacement(&self, from: &[Isometry3<f64>; 2], to: &[Isometry3<f64>; 2]) -> f64 {
        let motion = PairMotion::new(from, to);
        // Points where the two could meet belong to both: the lesser bound holds.
        let reaches = self.reaches;
        let bounds = [0, 1].map(|side| motion.reach(side, &Point3::origin(), reaches[side]));
        bounds.into_iter().chain(reaches).fold(f64::INFINITY, f64::min)
    }
}

/// What [`Coherence`] asks of an answer in which the two touched.
fn last_answer<'a>(
    contacts: &'a mut FollowedContacts,
    manifolds: &'a mut Vec<Manifold>,
    margin: f64,
) -> LastAnswer<'a> {
    let FollowedContacts { narrow, points } = contacts;
    LastAnswer { manifolds, contacts: points, narrow, touching: true, tolerated: false, margin }
}

/// The two as bodies that nothing else is known of.
fn placed<'s>(
    shapes: [&'s impinge_midphase::PreparedShape; 2],
    poses: &[Isometry3<f64>; 2],
) -> [PlacedCollider<'s>; 2] {
    [0, 1].map(|side| PlacedCollider::alone(shapes[side], poses[side]))
}

/// Contacts found with A and B at `met` are those of the same places of both with the two at `to`, as far as these are apart there.
fn carry_back(manifold: &mut Manifold, met: &[Isometry3<f64>; 2], to: &[Isometry3<f64>; 2]) {
    let normal = manifold.normal;
    for point in &mut manifold.points {
        let [on_a, on_b] = [to[0] * point.local_a.cast(), to[1] * point.local_b.cast()];
        point.position = center(&on_a, &on_b);
        point.depth = normal.dot(&(on_a - on_b));
    }
    // What goes apart until the two meet does not stop them.
    manifold.points.retain(|point| point.depth < 0.0);
    let [of_a, of_b] = [0, 1].map(|side| to[side] * (met[side].inverse() * manifold.centroid));
    manifold.centroid = center(&of_a, &of_b);
    manifold.points.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    manifold.depth = manifold.points.first().map_or(manifold.depth, |deepest| deepest.depth);
}

/// How far the corners of a shape's box are from its frame's origin (m). Bodies speed up as they fall, and a bound that is no closer than
/// this leaves them room for it: with the bounding sphere's, a bin's bodies sank in by 32 mm as they landed, not by 13.
fn reach(shape: &PreparedShape) -> f64 {
    let aabb = shape.aabb_at(&Isometry3::identity());
    let square = |axis: usize| f64::from(aabb.min[axis].abs().max(aabb.max[axis].abs())).powi(2);
    (0..3).map(square).sum::<f64>().sqrt()
}
