//! The step's stage for particles: their pairs, and those that meet among themselves.

use std::collections::BTreeMap;

use impinge_contacts::ContactScratch;
use impinge_pair::particles::{self, CloudIndex, ParticleScratch, PlacedCloud, PointContact, PointRange};
use rayon::ThreadPool;

use crate::PairResponse;
use crate::margin::pair_margin;
use crate::pair_memory::PairMemory;
use crate::pipeline::PlacedCollider;
use crate::report::StepCounts;
use crate::slots::Slots;
use crate::world::{HeldCollider, StepState, placed};

/// The contacts of particles of a pair.
#[derive(Debug, Default)]
pub(crate) struct PairPoints {
    /// Whether they stand for the poses of the last step.
    known: bool,
    pub contacts: Vec<PointContact>,
}

/// The colliders that place particles.
#[derive(Debug, Default)]
pub(crate) struct Clouds {
    by_slot: BTreeMap<u32, Cloud>,
    scratch: ParticleScratch,
}

/// What is kept of a collider that places particles.
#[derive(Debug, Default)]
struct Cloud {
    index: CloudIndex,
    /// Whether `own` stands for where the particles are.
    known: bool,
    own: Vec<PointContact>,
}

impl Clouds {
    /// The collider in a slot has this shape now, or another one than before.
    pub fn set(&mut self, slot: u32, held: &HeldCollider) {
        if held.prepared.particles().is_some() {
            self.by_slot.insert(slot, Cloud::default());
        } else {
            self.remove(slot);
        }
    }

    /// The collider in a slot is gone.
    pub fn remove(&mut self, slot: u32) {
        self.by_slot.remove(&slot);
    }

    /// The particles of the collider in a slot have moved.
    pub fn forget_places(&mut self, slot: u32) {
        if let Some(cloud) = self.by_slot.get_mut(&slot) {
            cloud.index.forget();
            cloud.known = false;
        }
    }

    /// The contacts of particles among themselves, by the slots of their colliders.
    pub fn own_contacts(&self) -> impl Iterator<Item = (u32, &[PointContact])> {
        self.by_slot
            .iter()
            .filter(|(_, cloud)| !cloud.own.is_empty())
            .map(|(&slot, cloud)| (slot, &cloud.own[..]))
    }
}

impl PairMemory {
    /// Begins the answer of a pair with particles.
    pub(crate) fn begin_points(
        &mut self,
        sides: &[PlacedCollider<'_>; 2],
        margin: f64,
        scratch: &mut ContactScratch,
    ) {
        scratch.clear(&mut self.manifolds);
        let sensor = self.only_touches(sides);
        self.answer = crate::pair_memory::PairCounts { sensor, ..Default::default() };
        self.answered = false;
        self.margin = if sensor { 0.0 } else { margin };
        self.points.known = false;
        self.points.contacts.clear();
    }
}

impl StepState {
    /// Answers the pairs with particles whose last answer does not stand, one after the other, each on all workers.
    pub fn meet_particles(&mut self, pool: &ThreadPool, counts: &mut StepCounts) {
        let StepState { clouds, memories, colliders, config, .. } = self;
        if clouds.by_slot.is_empty() {
            return;
        }
        let span = tracing::info_span!("particles", pairs = tracing::field::Empty);
        let _entered = span.enter();
        let mut pairs = 0u64;
        for memory in memories.slots() {
            let held = memory.colliders.map(|id| colliders.get(id.index, id.generation));
            let [Some(a), Some(b)] = held else { continue };
            if memory.points.known || a.prepared.particles().or(b.prepared.particles()).is_none() {
                continue;
            }
            memory.points.known = true;
            if memory.response == PairResponse::Ignore {
                continue;
            }
            pairs += 1;
            let sides = [placed(a, config), placed(b, config)];
            pool.install(|| clouds.meet(&sides, memory));
            let touches = memory.points.contacts.iter().any(|contact| contact.depth >= 0.0);
            memory.answer.touching = touches;
            counts.touching += u64::from(touches);
            if memory.answer.sensor {
                memory.points.contacts.clear();
            }
        }
        span.record("pairs", pairs);
    }

    /// Finds the contacts of particles among themselves where they, or their collider, have moved. Gives the number of all contacts of particles.
    pub fn meet_own_particles(&mut self, pool: &ThreadPool) -> u64 {
        let StepState { clouds, memories, colliders, config, .. } = self;
        let Clouds { by_slot, scratch } = clouds;
        if by_slot.is_empty() {
            return 0;
        }
        for (&slot, cloud) in by_slot.iter_mut() {
            cloud.meet(slot, colliders, config, pool, scratch);
        }
        let of_pairs = memories.iter().map(|memory| memory.points.contacts.len() as u64).sum::<u64>();
        of_pairs + by_slot.values().map(|cloud| cloud.own.len() as u64).sum::<u64>()
    }
}

impl Clouds {
    /// Finds the contacts of a pair.
    fn meet(&mut self, sides: &[PlacedCollider<'_>; 2], memory: &mut PairMemory) {
        let range = PointRange { margin: memory.margin, tolerance: sides[0].tolerance + sides[1].tolerance };
        let slots = memory.colliders.map(|id| id.index);
        let out = &mut memory.points.contacts;
        let Clouds { by_slot, scratch } = self;
        match sides.map(|side| side.shape.particles()) {
            [Some(a), Some(b)] => {
                if let Some(cloud) = by_slot.get_mut(&slots[1]) {
                    cloud.index.make_grid(b);
                }
                let [Some(one), Some(other)] = slots.map(|slot| by_slot.get(&slot)) else { return };
                let one = PlacedCloud { particles: a, index: &one.index, pose: &sides[0].pose };
                let other = PlacedCloud { particles: b, index: &other.index, pose: &sides[1].pose };
                particles::between([one, other], &range, scratch, out);
            }
            [of_a, of_b] => {
                let k = usize::from(of_a.is_none());
                let (Some(all), Some(cloud)) = (of_a.or(of_b), by_slot.get_mut(&slots[k])) else { return };
                let other = &sides[1 - k];
                if particles::needs_order(other.shape) {
                    cloud.index.make_order(all);
                }
                let own = PlacedCloud { particles: all, index: &cloud.index, pose: &sides[k].pose };
                particles::against(own, other.shape, &other.pose, &range, scratch, out);
            }
        }
    }
}

impl Cloud {
    /// Finds the contacts of the particles among themselves, unless they are known.
    fn meet(
        &mut self,
        slot: u32,
        colliders: &Slots<HeldCollider>,
        config: &crate::config::Config,
        pool: &ThreadPool,
        scratch: &mut ParticleScratch,
    ) {
        let Some(held) = colliders.at(slot) else { return };
        let (true, Some(all)) = (held.collider.meets_itself, held.prepared.particles()) else {
            self.own.clear();
            self.known = false;
            return;
        };
        if self.known && !held.moved {
            return;
        }
        self.known = true;
        self.own.clear();
        self.index.make_grid(all);
        let side = placed(held, config);
        let range = PointRange { margin: pair_margin(&[side; 2], config), tolerance: 2.0 * side.tolerance };
        let cloud = PlacedCloud { particles: all, index: &self.index, pose: &side.pose };
        pool.install(|| particles::themselves(cloud, &range, config.boxes.simd, scratch, &mut self.own));
    }
}
