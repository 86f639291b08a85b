//! What is remembered of a pair, in rapier's workspace: it goes when the pair goes.

use std::sync::Arc;

use impinge::parry::from_pose;
use impinge::{Manifold, Motion, PairQuery, PairSweep, PairTracker};
use nalgebra::Isometry3;
use rapier3d::geometry::Shape;
use rapier3d::math::{Pose, Real};
use rapier3d::parry::query::details::{TypedWorkspaceData, WorkspaceData};

use crate::scratch::with_scratch;
use crate::shapes::KnownShape;

/// Of the prediction distance: a pair that moves by less from step to step (1 mm unless it is set) is slow.
const SLOW: Real = 0.05;

/// One pair, followed from step to step.
#[derive(Debug)]
pub(crate) struct FollowedPair {
    shapes: [Arc<KnownShape>; 2],
    tracker: PairTracker,
    /// Where B stood in A's frame when contacts were last asked for.
    last: Option<Pose>,
}

impl FollowedPair {
    pub fn new(shapes: [Arc<KnownShape>; 2], query: &PairQuery) -> FollowedPair {
        FollowedPair { shapes, tracker: query.tracker(), last: None }
    }

    /// Whether the shapes are those that the pair was made of.
    pub fn is_of(&self, g1: &dyn Shape, g2: &dyn Shape) -> bool {
        self.shapes[0].is_still(g1) && self.shapes[1].is_still(g2)
    }

    /// Hands `write` the manifolds with B at `pos12` in A's frame (m), none where it cannot stand there.
    ///
    /// Pairs that overlap are asked without a margin: it would be dear, and the four points of a manifold would be shared out to
    /// what does not touch yet. Pairs apart that would meet if they went on as they came are asked as far as they have moved since
    /// they were last asked about, so that what is about to meet is stopped where it meets; new ones as far as `prediction` (m).
    /// `sure` (m) is a margin for all, as skins of the colliders ask for.
    pub fn contacts(&mut self, pos12: &Pose, prediction: Real, sure: Real, write: impl FnOnce(&[Manifold])) {
        let (here, there) = (Isometry3::identity(), from_pose(pos12));
        let last = self.last.replace(*pos12);
        let moved = last.map_or(prediction, |last| self.displacement(&last, pos12));
        // What goes on as slowly as this is not stopped ahead: it sinks in by no more.
        let slow = sure.max(SLOW * prediction);
        let near = self.tracker.contacts_within(&here, &there, f64::from(sure)).unwrap_or(&[]);
        if !near.is_empty() || moved <= slow {
            return write(near);
        }
        if last.is_some_and(|last| !self.goes_on_to_meet(&last, pos12, moved)) {
            return write(&[]);
        }
        write(self.tracker.contacts_within(&here, &there, f64::from(moved)).unwrap_or(&[]));
    }

    /// Whether the two would meet if they went on as they came, or strayed from that by half of how far they `moved` (m).
    fn goes_on_to_meet(&self, from: &Pose, to: &Pose, moved: Real) -> bool {
        let [from, to] = [from, to].map(from_pose);
        let next = to * (from.inverse() * to);
        let ahead = Motion::between(to, next).bend(0.5 * f64::from(moved));
        let still = Motion::still(Isometry3::identity());
        let sweep = with_scratch(|scratch| self.tracker.query().sweep_with(&still, &ahead, None, scratch));
        sweep != Ok(PairSweep::Free)
    }

    /// A bound of how far points of one shape that are near the other have moved against it (m), at most as far as the smaller
    /// shape reaches.
    fn displacement(&self, from: &Pose, to: &Pose) -> Real {
        // Points where the two could meet belong to both: the lesser bound holds.
        let [a, b] = self.shapes.each_ref().map(|shape| shape.reach);
        bound(from, to, b).min(bound(&from.inverse(), &to.inverse(), a)).min(a).min(b)
    }
}

/// How far a point within `reach` of a body's origin goes (m) when the body does.
fn bound(from: &Pose, to: &Pose, reach: Real) -> Real {
    let turn = (from.rotation.inverse() * to.rotation).normalize();
    // 2 sin(angle / 2) is the chord of a unit circle.
    let chord = 2.0 * turn.xyz().length();
    (to.translation - from.translation).length() + if chord > 0.0 { chord * reach } else { 0.0 }
}

impl WorkspaceData for FollowedPair {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    /// A clone of a narrow phase keeps the shapes, not what was found of them: its contacts begin as new ones.
    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        let tracker = self.tracker.query().tracker();
        Box::new(FollowedPair { shapes: self.shapes.clone(), tracker, last: self.last })
    }
}
