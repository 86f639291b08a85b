//! Memory of a pair from step to step: one slot per stage, dropped when the pair ends.

use impinge_broadphase::Pair;
use impinge_contacts::{ContactMemory, Manifold};
use impinge_geometry::ColliderId;
use impinge_pair::{NarrowMemory, NarrowMethod};
#[cfg(feature = "gpu")]
use {impinge_geometry::PairFrame, impinge_image_space::view::View};

use crate::PairResponse;
use crate::clouds::PairPoints;
use crate::coherence::Coherence;
use crate::pipeline::PlacedCollider;

/// The stages' memories of one pair, and the pair's last answer.
#[derive(Debug)]
pub(crate) struct PairMemory {
    /// The colliders; a pair whose slot has a new one, or whose shape was changed, starts from nothing.
    pub colliders: [ColliderId; 2],
    revisions: [u32; 2],
    /// The hook's response to the pair.
    pub response: PairResponse,
    /// Whether it is answered where vertices live on a GPU.
    pub on_device: bool,
    /// From how far apart the pair had contacts at the last answer (m).
    pub margin: f64,
    /// How its contacts are found.
    pub method: NarrowMethod,
    /// The narrow phase's memory.
    pub narrow: SubshapeMemories,
    /// The contacts stage's memory.
    pub contacts: ContactMemory,
    /// The pair's manifolds.
    pub manifolds: Vec<Manifold>,
    /// The contacts of its particles.
    pub points: PairPoints,
    /// Counts of the last answer.
    pub answer: PairCounts,
    /// Whether `manifolds` and `answer` stand for the poses of the last step.
    pub answered: bool,
    /// Whether a part of one of the shapes was changed within the reach of the other before the last step.
    pub edited: bool,
    /// What the last full answer is good for.
    pub coherence: Coherence,
}

/// The narrow phase's memory of a pair, one for every pair of parts.
#[derive(Debug, Default)]
pub(crate) struct SubshapeMemories(Vec<([u32; 2], NarrowMemory)>);

impl SubshapeMemories {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Every two parts that have one, and theirs.
    pub fn iter(&self) -> impl Iterator<Item = &([u32; 2], NarrowMemory)> {
        self.0.iter()
    }

    /// That of two parts, if they have one.
    #[cfg(feature = "gpu")]
    pub fn get(&self, parts: [u32; 2]) -> Option<&NarrowMemory> {
        let index = self.0.binary_search_by_key(&parts, |(key, _)| *key).ok()?;
        Some(&self.0[index].1)
    }

    /// That of two parts.
    pub fn of(&mut self, parts: [u32; 2]) -> &mut NarrowMemory {
        let index = match self.0.binary_search_by_key(&parts, |(key, _)| *key) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, (parts, NarrowMemory::default()));
                index
            }
        };
        &mut self.0[index].1
    }
}

/// Whose memory it is: a collider with one of its shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub id: ColliderId,
    /// How often its shape was changed.
    pub revision: u32,
}

/// The contribution of an answer to a step's counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairCounts {
    pub touching: bool,
    /// Whether a side is a sensor, or a hook asked for touching alone.
    pub sensor: bool,
    pub patches: u32,
    pub dropped: u32,
    pub tolerated: u32,
    pub soup_jobs: u32,
    pub closed_hole_jobs: u32,
    pub odd_columns: u64,
    pub cut_searches: u64,
}

impl PairMemory {
    fn new(sides: [Identity; 2]) -> PairMemory {
        PairMemory {
            colliders: sides.map(|side| side.id),
            revisions: sides.map(|side| side.revision),
            response: PairResponse::default(),
            on_device: false,
            margin: 0.0,
            method: NarrowMethod::Exact,
            narrow: SubshapeMemories::default(),
            contacts: ContactMemory::default(),
            manifolds: Vec::new(),
            points: PairPoints::default(),
            answer: PairCounts::default(),
            answered: false,
            edited: false,
            coherence: Coherence::default(),
        }
    }

    fn is_of(&self, sides: &[Identity; 2]) -> bool {
        self.colliders == sides.map(|side| side.id) && self.revisions == sides.map(|side| side.revision)
    }

    /// Whether the pair is only asked whether it touches.
    pub fn only_touches(&self, sides: &[PlacedCollider<'_>; 2]) -> bool {
        sides[0].sensor || sides[1].sensor || self.response == PairResponse::Touching
    }

    /// Whether the colliders touch, by more than their tolerances.
    pub fn in_contact(&self) -> bool {
        self.answer.touching
            && (self.answer.sensor || !self.manifolds.is_empty() || !self.points.contacts.is_empty())
    }

    /// Whether all intervals of two parts' views should come from a device, see
    /// [`NarrowMemory::needs_views`](impinge_pair::NarrowMemory::needs_views).
    #[cfg(feature = "gpu")]
    pub fn needs_views(&self, parts: [u32; 2]) -> bool {
        self.narrow.get(parts).is_none_or(NarrowMemory::needs_views)
    }

    /// The views of two parts in the last step, of `side` pixels a side, as they stand now (pair frame).
    #[cfg(feature = "gpu")]
    pub fn kept_views(&self, parts: [u32; 2], frame: &PairFrame, side: u32) -> Vec<View> {
        self.narrow.get(parts).map_or_else(Vec::new, |memory| memory.kept_views(frame, [side; 2]).collect())
    }
}

/// The memories of all pairs, in the order of the step's pairs. Boxed: a step moves every entry from one
/// list to the other, and a pointer moves faster than a memory does.
#[expect(clippy::vec_box)]
#[derive(Debug, Default)]
pub(crate) struct PairMemories {
    pairs: Vec<Pair>,
    memories: Vec<Box<PairMemory>>,
    spare: Vec<Box<PairMemory>>,
}

impl PairMemories {
    /// Brings the memories in line with the step's sorted pairs: pairs that go on keep theirs, pairs
    /// that ended or have another side now lose it, which `ended` is told, new pairs get an empty one.
    pub fn update(
        &mut self,
        pairs: &[Pair],
        identity: impl Fn(u32) -> Identity,
        mut ended: impl FnMut(&PairMemory),
    ) {
        std::mem::swap(&mut self.memories, &mut self.spare);
        self.memories.clear();
        let mut old = self.pairs.iter().zip(self.spare.drain(..)).peekable();
        for pair in pairs {
            while let Some((_, memory)) = old.next_if(|(p, _)| *p < pair) {
                ended(&memory);
            }
            let sides = [identity(pair.a), identity(pair.b)];
            let kept = old.next_if(|(p, m)| *p == pair && m.is_of(&sides));
            self.memories.push(kept.map_or_else(|| Box::new(PairMemory::new(sides)), |(_, m)| m));
        }
        old.for_each(|(_, memory)| ended(&memory));
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
    }

    /// Whether these are the pairs that there are memories of.
    pub fn are_of(&self, pairs: &[Pair]) -> bool {
        self.pairs == pairs
    }

    /// The memories, one per pair.
    pub fn iter(&self) -> impl Iterator<Item = &PairMemory> {
        self.memories.iter().map(|memory| &**memory)
    }

    /// The memories, one per pair.
    pub fn slots(&mut self) -> &mut [Box<PairMemory>] {
        &mut self.memories
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_keeps_its_memory_until_it_ends_or_a_slot_or_shape_is_another() {
        let mut memories = PairMemories::default();
        let identity =
            |index, generation, revision| Identity { id: ColliderId { index, generation }, revision };
        let first = |index| identity(index, 0, 0);
        let ended = std::cell::Cell::new(0);
        let count = |_: &PairMemory| ended.set(ended.get() + 1);
        memories.update(&[Pair::new(0, 1), Pair::new(1, 2)], first, count);
        memories.slots()[1].answered = true;
        memories.update(&[Pair::new(0, 2), Pair::new(1, 2), Pair::new(1, 3)], first, count);
        let answered: Vec<bool> = memories.slots().iter().map(|m| m.answered).collect();
        assert_eq!(answered, [false, true, false]);
        let second = |index| identity(index, u32::from(index == 2), 0);
        memories.update(&[Pair::new(1, 2)], second, count);
        assert!(!memories.slots()[0].answered);
        memories.slots()[0].answered = true;
        memories.update(&[Pair::new(1, 2)], second, count);
        assert!(memories.slots()[0].answered);
        let third = |index| identity(index, u32::from(index == 2), index);
        memories.update(&[Pair::new(1, 2)], third, count);
        assert!(!memories.slots()[0].answered);
        // (0, 1); (0, 2), (1, 3) and the old (1, 2); the one after it.
        assert_eq!(ended.get(), 5);
    }
}
