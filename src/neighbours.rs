//! Parts that are neighbours and never meet.

use std::collections::BTreeSet;

use impinge_geometry::{ColliderId, PartId};

use crate::slots::Slots;
use crate::world::HeldCollider;

/// The pairs of parts that are neighbours, each with the lower first.
#[derive(Debug, Default)]
pub(crate) struct Neighbours(BTreeSet<[PartId; 2]>);

impl Neighbours {
    /// Makes two parts neighbours, or no longer; whether that has changed anything.
    pub fn set(&mut self, a: PartId, b: PartId, neighbours: bool) -> bool {
        let pair = [a.min(b), a.max(b)];
        if neighbours { self.0.insert(pair) } else { self.0.remove(&pair) }
    }

    /// A part is gone.
    pub fn forget(&mut self, part: PartId) {
        self.0.retain(|pair| !pair.contains(&part));
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether two colliders are members of neighbours.
    pub fn are(&self, a: &HeldCollider, b: &HeldCollider) -> bool {
        let [Some(a), Some(b)] = [a, b].map(|held| held.collider.of.map(|of| of.part)) else { return false };
        !self.is_empty() && self.0.contains(&[a.min(b), a.max(b)])
    }

    /// The same of two colliders by their names.
    pub fn named(&self, colliders: &Slots<HeldCollider>, names: [ColliderId; 2]) -> bool {
        let [a, b] = names.map(|id| colliders.get(id.index, id.generation));
        matches!((a, b), (Some(a), Some(b)) if self.are(a, b))
    }
}
