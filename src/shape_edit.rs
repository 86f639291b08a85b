//! Changes of a part of a shape, and which pairs they reach.

use impinge_geometry::Aabb;
use impinge_geometry::volume::round_up;

use crate::config::Config;
use crate::margin::pair_margin;
use crate::pair_memory::PairMemory;
use crate::pipeline::PlacedCollider;

/// How much a region is larger than the box that was changed, in parts of the coordinates: what poses round.
const SLACK: f64 = 1e-6;

/// The box beyond which nothing of a collider's shape has changed since the last step (m, its frame).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeEdit(Aabb);

impl ShapeEdit {
    /// A change within a box, besides what has changed already.
    pub fn of(region: &Aabb, before: Option<ShapeEdit>) -> ShapeEdit {
        ShapeEdit(before.map_or(*region, |before| before.0.merged(region)))
    }

    /// Whether it may change the answer of a pair, of which it has changed one side: whether the other side's box meets it, grown by the margin,
    /// by what the pair may move before it is asked again, and by its deepest contact.
    fn reaches(
        &self,
        own: usize,
        sides: &[PlacedCollider<'_>; 2],
        memory: &PairMemory,
        config: &Config,
    ) -> bool {
        let (this, other) = (&sides[own], &sides[1 - own]);
        let there = other.shape.aabb_at(&(this.pose.inverse() * other.pose));
        let deepest = memory.manifolds.iter().map(|manifold| manifold.depth).fold(0.0, f64::max);
        let reach = pair_margin(sides, config) + 2.0 * (memory.coherence.allowed() + deepest);
        let far = |aabb: &Aabb| {
            let corners = aabb.min.iter().chain(&aabb.max).map(|&x| f64::from(x.abs()));
            corners.filter(|x| x.is_finite()).fold(0.0, f64::max)
        };
        let slack = SLACK * (far(&there) + far(&self.0));
        there.grown(round_up(reach + slack)).overlaps(&self.0)
    }
}

impl PairMemory {
    /// Notes whether a change of a part of either shape reaches the pair: then its last answer does not stand, nor what it may move before it is
    /// asked again.
    pub(crate) fn note_edits(&mut self, sides: &[PlacedCollider<'_>; 2], config: &Config) {
        let reached = |own: usize| sides[own].edit.is_some_and(|edit| edit.reaches(own, sides, self, config));
        self.edited = reached(0) || reached(1);
        if self.edited {
            self.coherence.forbid();
        }
    }
}
