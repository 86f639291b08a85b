//! Temporal coherence: a pair whose bodies have hardly moved against each other since its last full answer is not answered in
//! full again.
//!
//! Let *d* bound how far any point of the smaller body has moved against the other one. The least translation that
//! parts two bodies changes by no more than *d*, and so does the distance of two that are apart. Where all of a contact moves along its
//! normal, its depth changes by just that; only what its points drift besides ([`PairMotion::drift`]) makes a depth that follows
//! the motion wrong. So a contact's points are carried along ([`impinge_contacts::refresh`]) while they drift by a small part of its
//! depth and *d*, which bounds how deep bodies may come to touch elsewhere, is a larger one, if an exact test finds that the
//! bodies still touch. Where they drift by more, the first free shift along the contact's normal is asked: if it is as long as the depth that has followed
//! the motion, but for what may be wrong with it, the contact is carried along, too. Bodies that are farther apart than *d* do not touch: leaves are searched for first, and
//! where some come as close, the distance. The vertices of a mesh that deforms add to *d* what
//! they have moved in its frame; what touches such a mesh is answered in full whenever it has changed.

mod carried;

use impinge_contacts::{ContactMemory, Manifold, PairMotion, refresh};
use impinge_exact::intersect::LastHit;
use impinge_geometry::PairFrame;
use impinge_midphase::Part;
use impinge_pair::NarrowScratch;
use nalgebra::Isometry3;

use crate::BuildError;
use crate::config::Config;
use crate::pair_memory::{PairMemory, SubshapeMemories};
use crate::pipeline::PlacedCollider;

/// The part of its depth by which the points of a contact may drift, unless another is set.
pub(crate) const COHERENCE: f64 = 0.02;
/// A motion this small counts for none (part of the smaller body's radius).
const LEAST_MOTION: f64 = 1e-6;
/// Contacts deeper than this (part of the smaller body's radius) are always found again: their translations come from a search, which
/// may do better in the next step.
const MOST_DEPTH: f64 = 0.0125;
/// Any point of a body that touches may move so many times as far as the contact's own points may drift: a body that rests rocks
/// about its contacts. Larger, and other places touch by so much more before they have contacts of their own.
const BESIDE_CONTACT: f64 = 10.0;
/// … but no farther than this part of the depth.
const MOST_MOTION: f64 = 0.25;
/// Where a depth has been found to hold, its contact's points may drift by so much of that again before it is measured again: what it was
/// off by there, and twice this, is what it may be off by.
const SINCE_PROVED: f64 = 0.5;
/// Bodies that are apart are asked for so many steps at once, if they go on as they do,
const STEPS_AHEAD: f64 = 16.0;
/// … but for no motion longer than this part of the smaller body's radius: a wider search costs more.
const MOST_AHEAD: f64 = 0.1;
/// … nor for shorter ones than this part.
const LEAST_AHEAD: f64 = 1e-4;
/// A search that is not good for so many steps is not made again soon.
const LEAST_STEPS: f64 = 2.0;
/// Steps after which a pair that was too near for that is tried again.
const RETRY: u32 = 8;
/// How much the bound of a motion is off by rounding, at most (part of it).
const ROUNDING: f64 = 1e-9;

/// Refuses a part of a depth by which nothing can be wrong.
///
/// # Errors
/// [`BuildError::Setting`] for a part that is not from 0 to 0.1.
pub(crate) fn check_coherence(part: f64) -> Result<(), BuildError> {
    if (0.0..=0.1).contains(&part) {
        return Ok(());
    }
    let remedy = "it must be from 0 to 0.1";
    Err(BuildError::Setting { setting: "coherence", value: part.to_string(), remedy })
}

/// The last full answer of a pair: where its bodies stood, and how far they may have moved since.
#[derive(Debug)]
pub(crate) struct Coherence {
    poses: [Isometry3<f64>; 2],
    /// How far vertices had moved in the colliders' frames (m).
    travel: [f64; 2],
    /// Sum of the colliders' tolerances.
    tolerance: f64,
    /// How far the bodies may move against each other (m).
    allowed: f64,
    /// How far the points of contacts may drift besides (m).
    drift: f64,
    /// Steps since then, this one included.
    steps: u32,
    /// Steps before a wider search is tried.
    wait: u32,
    /// Full answers before it is asked again whether depths that drift hold: they did not.
    unproved: u32,
    /// The motion after which depths that had drifted were last found to hold.
    proved: Option<PairMotion>,
    last_hit: LastHit,
    /// The manifolds as they were then, from when they are first refreshed.
    old: Vec<Manifold>,
    refreshed: bool,
    /// Whether it may be carried along between two whole steps,
    carriable: bool,
    /// … and has been.
    carried: bool,
}

impl Default for Coherence {
    fn default() -> Coherence {
        Coherence {
            poses: [Isometry3::identity(); 2],
            travel: [0.0; 2],
            tolerance: f64::NAN,
            allowed: 0.0,
            drift: 0.0,
            steps: 0,
            wait: 0,
            unproved: 0,
            proved: None,
            last_hit: LastHit::default(),
            old: Vec::new(),
            refreshed: false,
            carriable: false,
            carried: false,
        }
    }
}

impl Coherence {
    /// Begins a full answer, if refreshed ones may be wrong by this `part` of their depth. Gives how far beyond their margin the bodies are to be searched for (m): where nothing is found, they need
    /// not be asked again before one has moved as far.
    pub fn begin(&mut self, sides: &[PlacedCollider<'_>; 2], part: f64, apart: bool) -> f64 {
        let poses = sides.map(|side| side.pose);
        let known = !self.tolerance.is_nan();
        let moved =
            if known { moved(&self.poses, &poses, sides) + self.travelled(sides) } else { f64::INFINITY };
        let pace = moved / f64::from(self.steps.max(1));
        self.poses = poses;
        self.travel = sides.map(|side| side.travel);
        self.tolerance = sides[0].tolerance + sides[1].tolerance;
        self.allowed = 0.0;
        self.steps = 0;
        self.unproved = self.unproved.saturating_sub(1);
        self.proved = None;
        self.refreshed = false;
        self.carriable = false;
        self.carried = false;
        let radius = radius(sides);
        let ahead = (STEPS_AHEAD * pace).max(LEAST_AHEAD * radius);
        self.wait = self.wait.saturating_sub(1);
        let possible = part > 0.0 && apart && radius.is_finite();
        if possible && self.wait == 0 && ahead <= MOST_AHEAD * radius { ahead } else { 0.0 }
    }

    /// How far the bodies may move against each other before they are asked again (m).
    pub fn allowed(&self) -> f64 {
        self.allowed
    }

    /// Has the next answer be a full one, wherever the bodies are.
    pub fn forbid(&mut self) {
        self.allowed = 0.0;
        self.carriable = false;
    }

    /// Notes how far (m) a search `ahead` (m) has found the bodies to be apart beyond their margin.
    pub fn note_search(&mut self, ahead: f64, room: f64) {
        self.allowed = room;
        if room * STEPS_AHEAD < LEAST_STEPS * ahead {
            self.wait = RETRY;
        }
    }

    /// How far vertices have moved in the colliders' frames since the last full answer, at most (m).
    fn travelled(&self, sides: &[PlacedCollider<'_>; 2]) -> f64 {
        let since = |k: usize| {
            let (then, now) = (self.travel[k], sides[k].travel);
            // Sums are off by what they were rounded by.
            if then == now { 0.0 } else { now - then + ROUNDING * now }
        };
        since(0) + since(1)
    }

    fn has_tolerance_of(&self, sides: &[PlacedCollider<'_>; 2]) -> bool {
        self.tolerance == sides[0].tolerance + sides[1].tolerance
    }

    /// Keeps the manifolds as they are in the last full answer.
    fn keep_old(&mut self, last: &LastAnswer<'_>) {
        if !self.refreshed {
            self.old.clone_from(last.manifolds);
            self.refreshed = true;
        }
    }

    /// Whether a manifold of some depth (m) counts as one of a pair that touches, or does not.
    fn counts(&self, touching: bool, depth: f64) -> bool {
        if touching && self.tolerance == 0.0 { depth >= 0.0 } else { depth > self.tolerance }
    }

    /// How far the bodies may have moved since the last full answer (m), if that is known.
    fn within(&mut self, sides: &[PlacedCollider<'_>; 2]) -> Option<[Isometry3<f64>; 2]> {
        let poses = sides.map(|side| side.pose);
        self.steps += 1;
        if !self.has_tolerance_of(sides) || self.allowed <= 0.0 {
            return None;
        }
        let off = placing_error(sides, &self.poses) + placing_error(sides, &poses) + self.travelled(sides);
        (moved(&self.poses, &poses, sides) + off <= self.allowed * (1.0 - ROUNDING)).then_some(poses)
    }
}

/// A pair's last full answer as a refresh needs it.
#[derive(Debug)]
pub(crate) struct LastAnswer<'a> {
    pub manifolds: &'a mut Vec<Manifold>,
    pub contacts: &'a mut ContactMemory,
    pub narrow: &'a SubshapeMemories,
    pub touching: bool,
    /// Whether it had manifolds that were no deeper than the tolerance.
    pub tolerated: bool,
    /// From how far apart it had contacts (m).
    pub margin: f64,
}

impl Coherence {
    /// Ends a full answer: says how far the bodies may move before the next one, if its depth may be wrong by this `part` of it.
    pub fn end(&mut self, sides: &[PlacedCollider<'_>; 2], part: f64, last: &LastAnswer<'_>) {
        let LastAnswer { manifolds, narrow, touching, .. } = last;
        let named = |parts: [u32; 2]| manifolds.iter().any(|manifold| manifold.subshapes == parts);
        let convex = sides.iter().all(|side| side.shape.parts().iter().all(|part| part.solid.is_convex()));
        let clamped = narrow.iter().any(|(parts, memory)| memory.is_clamped() && named(*parts));
        let sampled = manifolds.iter().any(|manifold| manifold.patch.is_some());
        // Of composites that are apart, any parts may be the first to touch.
        let unnamed = !touching && sides.iter().any(|side| side.shape.parts().len() > 1);
        // What is cheap, or judged by more than how far it moves, is always answered in full.
        self.carriable = !convex && !sampled && !last.tolerated;
        let fresh = !self.carriable || clamped || unnamed;
        let (Some(deepest), false) = (deepest(manifolds), part == 0.0 || fresh) else { return };
        let radius = radius(sides);
        // The least distance of a gap is known no better than its manifold has it.
        let length = if *touching { deepest.depth } else { last.margin.min(-deepest.depth) };
        if !(0.0..=MOST_DEPTH * radius).contains(&length) {
            return;
        }
        let part = part * length;
        let bound = |motion: f64| match self.tolerance > 0.0 {
            true => motion.min(length - self.tolerance),
            false => motion.max(LEAST_MOTION * radius),
        };
        (self.allowed, self.drift) = match touching {
            true => (bound((BESIDE_CONTACT * part).min(MOST_MOTION * length)), bound(part)),
            false => (part, f64::INFINITY),
        };
    }

    /// Refreshes the last full answer, where that still stands.
    pub fn refresh(
        &mut self,
        sides: &[PlacedCollider<'_>; 2],
        last: &mut LastAnswer<'_>,
        scratch: &mut NarrowScratch,
    ) -> bool {
        let Some(poses) = self.within(sides) else { return false };
        let touching = last.touching;
        if last.manifolds.is_empty() {
            return !touching;
        }
        // Points are carried along with a body, not with a surface that changes.
        if self.travelled(sides) > 0.0 {
            return false;
        }
        self.keep_old(last);
        let motion = PairMotion::new(&self.poses, &poses);
        let most = self.drift;
        let drifts = |old: &Manifold| motion.drift(old) > most;
        // What held is good for half as far as what was found.
        let holds = |old: &Manifold, proved: &PairMotion| {
            proved.drift(old) > most && motion.drift_since(proved, old) <= SINCE_PROVED * most
        };
        let proved = self.proved;
        let stays = |old: &Manifold| !drifts(old) || proved.is_some_and(|proved| holds(old, &proved));
        let measure = !self.old.iter().all(stays);
        if measure && self.unproved > 0 {
            return false;
        }
        // What costs most comes last: a pair that slides along is seen to before.
        if self.deepest_touch(sides, &poses, last.manifolds, scratch) != Some(touching) {
            return false;
        }
        for (old, manifold) in self.old.iter().zip(&mut *last.manifolds) {
            refresh(old, &motion, manifold);
            // What has come apart, or is no deeper than the tolerance, is no contact any more; and a gap no longer one.
            let counts = |depth: f64| self.counts(touching, depth);
            let overlaps = |manifold: &Manifold| manifold.points.iter().all(|p| p.depth > 0.0);
            if counts(old.depth) != counts(manifold.depth) || overlaps(old) && !overlaps(manifold) {
                return false;
            }
            if measure && drifts(old) && !depth_holds(sides, &poses, manifold, most, scratch) {
                self.unproved = RETRY;
                return false;
            }
        }
        if measure {
            self.proved = Some(motion);
        }
        self.carried = false;
        last.contacts.store(last.manifolds);
        true
    }

    /// Whether the subshapes of the deepest manifold touch; `None` where there are none.
    fn deepest_touch(
        &mut self,
        sides: &[PlacedCollider<'_>; 2],
        poses: &[Isometry3<f64>; 2],
        manifolds: &[Manifold],
        scratch: &mut NarrowScratch,
    ) -> Option<bool> {
        let (parts, frame) = placed_parts(sides, poses, deepest(manifolds)?)?;
        Some(impinge_pair::parts_touch(parts, &frame, &mut self.last_hit, scratch))
    }
}

impl PairMemory {
    /// Ends a full answer: says how far the bodies may move before the next one.
    pub(crate) fn end_answer(&mut self, sides: &[PlacedCollider<'_>; 2], config: &Config) {
        let (coherence, last) = self.last_answer();
        coherence.end(sides, config.coherence, &last);
    }

    /// Refreshes the pair's last full answer, where that still stands.
    pub(crate) fn refresh(&mut self, sides: &[PlacedCollider<'_>; 2], scratch: &mut NarrowScratch) -> bool {
        if !self.answered || self.answer.sensor != self.only_touches(sides) {
            return false;
        }
        let (coherence, mut last) = self.last_answer();
        coherence.refresh(sides, &mut last, scratch)
    }

    fn last_answer(&mut self) -> (&mut Coherence, LastAnswer<'_>) {
        let PairMemory { manifolds, contacts, narrow, answer, margin, coherence, .. } = self;
        let (touching, tolerated, margin) = (answer.touching, answer.tolerated > 0, *margin);
        (coherence, LastAnswer { manifolds, contacts, narrow, touching, tolerated, margin })
    }
}

/// The parts that a manifold is of, and where they stand.
fn placed_parts<'s>(
    sides: &[PlacedCollider<'s>; 2],
    poses: &[Isometry3<f64>; 2],
    manifold: &Manifold,
) -> Option<([&'s Part; 2], PairFrame)> {
    let part = |k: usize| sides[k].shape.parts().get(manifold.subshapes[k] as usize);
    let parts = [part(0)?, part(1)?];
    Some((parts, PairFrame::new(&(poses[0] * parts[0].pose), &(poses[1] * parts[1].pose))))
}

/// Whether a manifold that has followed a motion has the depth of the first free shift along its normal, but for `error` (m).
fn depth_holds(
    sides: &[PlacedCollider<'_>; 2],
    poses: &[Isometry3<f64>; 2],
    manifold: &Manifold,
    error: f64,
    scratch: &mut NarrowScratch,
) -> bool {
    let range = [manifold.depth - error, manifold.depth + error];
    let Some((parts, frame)) = placed_parts(sides, poses, manifold).filter(|_| range[0] > 0.0) else {
        return false;
    };
    impinge_pair::is_as_deep(parts, &frame, &manifold.normal, range, scratch)
}

fn deepest(manifolds: &[Manifold]) -> Option<&Manifold> {
    manifolds.iter().reduce(|p, q| if q.depth > p.depth { q } else { p })
}

/// How far parts of composites may stand beside where their collider's pose has them (m): positions are rounded to the world's
/// scale.
fn placing_error(sides: &[PlacedCollider<'_>; 2], poses: &[Isometry3<f64>; 2]) -> f64 {
    if sides.iter().all(|side| side.shape.parts().len() == 1) {
        return 0.0;
    }
    1e-14 * poses.iter().map(|pose| pose.translation.vector.abs().sum()).sum::<f64>()
}

/// A bound of how far a point of the smaller body has moved against the other one (m).
fn moved(from: &[Isometry3<f64>; 2], to: &[Isometry3<f64>; 2], sides: &[PlacedCollider<'_>; 2]) -> f64 {
    let smaller = usize::from(sides[1].shape.sphere().radius < sides[0].shape.sphere().radius);
    let sphere = sides[smaller].shape.sphere();
    PairMotion::new(from, to).reach(smaller, &sphere.center.cast(), f64::from(sphere.radius))
}

/// The radius of the smaller body (m).
fn radius(sides: &[PlacedCollider<'_>; 2]) -> f64 {
    let [a, b] = sides.map(|side| f64::from(side.shape.sphere().radius));
    a.min(b)
}
