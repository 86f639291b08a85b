//! Answers that are carried along between two whole steps.

use impinge_contacts::{PairMotion, refresh};

use super::{Coherence, LastAnswer, moved};
use crate::pair_memory::PairMemory;
use crate::pipeline::PlacedCollider;

/// The part of [`Collider::sweep_beyond`](crate::Collider::sweep_beyond) by which bodies may come nearer to each other before they are
/// asked again: with all of it those that fall get deeper into each other than in whole steps.
const PART: f64 = 0.5;

impl Coherence {
    /// Carries the last full answer along ([`World::substep`](crate::World::substep)), unless the bodies have come too far against
    /// each other for that, or would before the next step if they go on as they did.
    fn carry(&mut self, sides: &[PlacedCollider<'_>; 2], last: &mut LastAnswer<'_>) -> bool {
        let poses = sides.map(|side| side.pose);
        if !self.carriable || !self.has_tolerance_of(sides) || self.travelled(sides) > 0.0 {
            return false;
        }
        let length = moved(&self.poses, &poses, sides);
        let steps = f64::from(self.steps + 1);
        let limit = PART * sides[0].sweep_beyond.min(sides[1].sweep_beyond);
        if length + length / steps > limit {
            return false;
        }
        self.keep_old(last);
        let motion = PairMotion::new(&self.poses, &poses);
        for (old, manifold) in self.old.iter().zip(&mut *last.manifolds) {
            refresh(old, &motion, manifold);
            if self.counts(last.touching, old.depth) != self.counts(last.touching, manifold.depth) {
                return false;
            }
        }
        self.steps += 1;
        self.carried = true;
        last.contacts.store(last.manifolds);
        true
    }
}

impl PairMemory {
    /// Carries the pair's last full answer along, where that is good enough between two whole steps.
    pub(crate) fn carry(&mut self, sides: &[PlacedCollider<'_>; 2]) -> bool {
        if !self.answered || self.answer.sensor || self.only_touches(sides) {
            return false;
        }
        let (coherence, mut last) = self.last_answer();
        coherence.carry(sides, &mut last)
    }

    /// Whether the pair's answer was carried along, and is not what a whole step finds.
    pub(crate) fn is_carried(&self) -> bool {
        self.coherence.carried
    }
}
