//! The structure against brute force: random calls, random boxes, every list after every update.

mod calls;
mod truth;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use impinge_geometry::{Aabb, SimdLevel};
use proptest::prelude::*;

use crate::grid::Grid;
use crate::grid::plan::Plan;
use crate::{BroadPhase, BroadPhaseError, BroadPhaseSettings, Disabling, Filter, Margin};

use calls::Op;
use truth::{Held, Truth};

fn moved(aabb: &Aabb, by: [f32; 3]) -> Aabb {
    let mut moved = *aabb;
    for (k, by) in by.into_iter().enumerate() {
        let size = aabb.max[k] - aabb.min[k];
        let step = if size.is_finite() { by * size.min(2.0) } else { 0.0 };
        (moved.min[k], moved.max[k]) = (aabb.min[k] + step, aabb.max[k] + step);
    }
    if moved.is_valid() { moved } else { *aabb }
}

fn grid_of(axis: usize, count: u16, cell: f32) -> Grid {
    let axes = [[0, 1, 2], [1, 2, 0], [2, 0, 1]][axis];
    Grid {
        axes,
        origin: [-0.5 * cell * f32::from(count); 2],
        inverse: [1.0 / cell; 2],
        count: [count, count.div_ceil(2)],
        most_cells: usize::from(count) + 1,
    }
}

struct Both {
    slots: u32,
    structure: BroadPhase,
    truth: Truth,
}

impl Both {
    fn new(slots: u32, settings: BroadPhaseSettings) -> Both {
        Both { slots, structure: BroadPhase::new(settings), truth: Truth::default() }
    }

    fn apply(&mut self, op: &Op) {
        let slots = self.slots;
        match *op {
            Op::Insert(slot, aabb, filter) => self.insert(slot % slots, aabb, filter),
            Op::Remove(slot) => self.remove(slot % slots),
            Op::Replace(slot, aabb) => {
                self.remove(slot % slots);
                self.insert(slot % slots, aabb, Filter::default());
            }
            Op::Teleport(slot, aabb) => self.set_aabb(slot % slots, |_| aabb),
            Op::Move(slot, by) => self.set_aabb(slot % slots, |aabb| moved(aabb, by)),
            Op::Filter(slot, filter) => self.set_filter(slot % slots, |_| filter),
            Op::Static(slot, is_static) => {
                self.set_filter(slot % slots, |filter| Filter { is_static, ..filter });
            }
            Op::Park(slot, how) => self.disable(slot % slots, how),
            Op::Unpark(slot) => self.enable(slot % slots),
            Op::Crowd(count, seed) => self.crowd(count % slots, seed),
            Op::Clear(part) => self.clear(part),
            Op::Drift(part, by) => self.drift(part, by),
            Op::Swing(part, by, updates) => {
                for k in 0..updates {
                    self.drift(part, by.map(|x| if k % 2 == 0 { x } else { -x }));
                    self.update(k % 3 == 0);
                }
            }
            Op::Motion(slot, by) => {
                let known = self.truth.held.contains_key(&(slot % slots));
                assert_eq!(self.structure.set_motion(slot % slots, by).is_ok(), known);
            }
            Op::Ask(aabb, length, direction, asker) => {
                truth::compare_answers(&mut self.structure, &self.truth, &aabb, length, direction, &asker);
            }
            Op::Grid(axis, count, cell) => {
                let plan = Plan { grid: grid_of(axis, count, cell), ..self.structure.plan };
                self.structure.lay_out(plan);
            }
            Op::Update(list) => self.update(list),
        }
    }

    fn insert(&mut self, slot: u32, aabb: Aabb, filter: Filter) {
        let result = self.structure.insert(&[(slot, aabb, filter)]);
        match self.truth.held.entry(slot) {
            Entry::Occupied(_) => assert_eq!(result, Err(BroadPhaseError::SlotInUse { slot })),
            Entry::Vacant(entry) => {
                entry.insert(Held { aabb, filter, disabled: None });
                assert_eq!(result, Ok(()));
                self.note(slot, &aabb);
            }
        }
    }

    fn remove(&mut self, slot: u32) {
        let known = self.truth.held.remove(&slot).is_some();
        assert_eq!(self.structure.remove(&[slot]).is_ok(), known);
        if known {
            self.truth.removed.insert(slot);
        }
    }

    fn set_aabb(&mut self, slot: u32, to: impl Fn(&Aabb) -> Aabb) {
        match self.truth.held.get(&slot) {
            Some(held) => {
                let aabb = to(&held.aabb);
                self.structure.set_aabb(slot, aabb).unwrap();
                self.note(slot, &aabb);
            }
            None => {
                let error = self.structure.set_aabb(slot, Aabb::EVERYTHING);
                assert_eq!(error, Err(BroadPhaseError::UnknownSlot { slot }));
            }
        }
    }

    /// Takes over the box that the structure made of `aabb`, which holds it and is not much larger.
    fn note(&mut self, slot: u32, aabb: &Aabb) {
        let held = self.truth.held.get_mut(&slot).unwrap();
        held.aabb = self.structure.aabb(slot).unwrap();
        assert_eq!(self.structure.filter(slot), Ok(held.filter));
        match self.structure.settings().margin {
            None => assert_eq!(held.aabb, *aabb),
            Some(margin) => {
                assert!(held.aabb.contains(aabb));
                for k in 0..3 {
                    let size = aabb.max[k] - aabb.min[k];
                    let growth = 3.1 * (margin.metres + margin.fraction * size);
                    let within = held.aabb.max[k] - held.aabb.min[k] <= size * 1.000_001 + growth;
                    assert!(within || !size.is_finite() || aabb.min[k].abs() > 1e3, "{aabb:?} {held:?}");
                }
            }
        }
    }

    fn set_filter(&mut self, slot: u32, to: impl Fn(Filter) -> Filter) {
        if let Some(held) = self.truth.held.get_mut(&slot) {
            held.filter = to(held.filter);
            self.structure.set_filter(slot, held.filter).unwrap();
            assert_eq!(self.structure.filter(slot), Ok(held.filter));
        }
    }

    fn disable(&mut self, slot: u32, how: Disabling) {
        let result = self.structure.disable(&[slot], how);
        match self.truth.held.get_mut(&slot) {
            None => assert_eq!(result, Err(BroadPhaseError::UnknownSlot { slot })),
            Some(held) if held.disabled.is_some() => {
                assert_eq!(result, Err(BroadPhaseError::Disabled { slot }))
            }
            Some(held) => {
                held.disabled = Some(how);
                assert_eq!(result, Ok(()));
                assert_eq!(self.structure.disabling(slot), Ok(Some(how)));
            }
        }
    }

    fn enable(&mut self, slot: u32) {
        let result = self.structure.enable(&[slot]);
        match self.truth.held.get_mut(&slot) {
            Some(held) if held.disabled.is_some() => {
                held.disabled = None;
                assert_eq!(result, Ok(()));
                assert_eq!(self.structure.disabling(slot), Ok(None));
                assert_eq!(self.structure.aabb(slot), Ok(held.aabb));
            }
            _ => assert_eq!(result, Err(BroadPhaseError::NotDisabled { slot })),
        }
    }

    fn crowd(&mut self, count: u32, seed: u32) {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let mut batch = BTreeMap::new();
        for _ in 0..count {
            let slot = (random() * self.slots as f32) as u32;
            let min = [0; 3].map(|_| 8.0 * random() - 4.0);
            let aabb = Aabb { min, max: min.map(|x| x + random()) };
            if !self.truth.held.contains_key(&slot) {
                batch.insert(slot, (slot, aabb, Filter::default()));
            }
        }
        let batch: Vec<_> = batch.into_values().collect();
        self.structure.insert(&batch).unwrap();
        for (slot, aabb, filter) in batch {
            self.truth.held.insert(slot, Held { aabb, filter, disabled: None });
            self.note(slot, &aabb);
        }
    }

    fn clear(&mut self, part: u32) {
        let slots: Vec<u32> = self.truth.held.keys().copied().filter(|slot| slot % part == 0).collect();
        self.structure.remove(&slots).unwrap();
        self.truth.held.retain(|slot, _| slot % part != 0);
        self.truth.removed.extend(slots);
    }

    fn drift(&mut self, part: u32, by: [f32; 3]) {
        let held = self.truth.held.iter().filter(|(slot, _)| *slot % part == 0);
        let batch: Vec<_> = held.map(|(&slot, held)| (slot, moved(&held.aabb, by))).collect();
        self.structure.set_aabbs(&batch).unwrap();
        batch.iter().for_each(|(slot, aabb)| self.note(*slot, aabb));
    }

    /// The list of all pairs is looked at if `list` says so.
    fn update(&mut self, list: bool) {
        let Both { structure, truth, .. } = self;
        structure.validate().unwrap();
        truth.update();
        structure.update();
        structure.validate().unwrap();
        assert_eq!(structure.stats().pairs, truth.pairs.len(), "number of pairs");
        assert_eq!(structure.len(), truth.held.len());
        assert_eq!(structure.begun(), truth.begun, "begun");
        assert_eq!(structure.ended(), truth.ended, "ended");
        if list {
            assert!(structure.pairs().iter().eq(&truth.pairs), "pairs");
            structure.validate().unwrap();
            assert!(structure.listed_pairs().iter().eq(&truth.pairs));
            let persisted = truth.pairs.iter().filter(|p| truth.begun.binary_search(p).is_err());
            assert!(structure.persisted().eq(persisted.copied()), "persisted");
        }
    }
}

fn settings() -> impl Strategy<Value = BroadPhaseSettings> {
    let simd = prop_oneof![Just(SimdLevel::Avx2), Just(SimdLevel::Sse2), Just(SimdLevel::Scalar)];
    let margin = (0f32..0.4, 0f32..0.4, 0.4f32..1.1).prop_map(|(metres, fraction, ahead)| Margin {
        metres,
        fraction,
        ahead,
    });
    (simd, prop::option::weighted(0.3, margin)).prop_map(|(simd, margin)| BroadPhaseSettings { simd, margin })
}

fn run(slots: u32, settings: BroadPhaseSettings, grid: (usize, u16, f32), ops: &[Op]) {
    let mut both = Both::new(slots, settings);
    both.apply(&Op::Grid(grid.0, grid.1, grid.2));
    ops.iter().for_each(|op| both.apply(op));
    both.update(true);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_of_calls_equals_brute_force(
        settings in settings(),
        grid in (0..3usize, 1..9u16, 0.7f32..3.0),
        ops in prop::collection::vec(calls::op(), 12..48),
    ) {
        run(20, settings, grid, &ops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_with_full_columns_equals_brute_force(
        settings in settings(),
        grid in (0..3usize, 1..4u16, 0.7f32..3.0),
        seed in any::<u32>(),
        ops in prop::collection::vec(calls::op(), 12..80),
    ) {
        let mut all = vec![Op::Crowd(239, seed), Op::Update(false)];
        all.extend(ops);
        run(240, settings, grid, &all);
    }
}

/// A huge box that shrinks in the step in which the grid is laid out again stays apart; when it then
/// leaves, the columns under its small box have to be looked at all the same.
#[test]
fn a_small_box_that_stands_apart_ends_its_pairs_when_it_leaves() {
    let mut both = Both::new(20, BroadPhaseSettings::default());
    let below = Aabb { min: [f32::NEG_INFINITY; 3], max: [0.0; 3] };
    let both_halves = Aabb { min: [0.0, 0.0, -0.5], max: [0.0, 0.0, 0.3] };
    let all = Filter { groups: u32::MAX, ..Filter::default() };
    for op in [
        Op::Grid(1, 2, 0.7),
        Op::Insert(17, below, all),
        Op::Insert(5, Aabb { min: [0.0; 3], max: [0.0, 5.0, 0.0] }, all),
        Op::Update(true),
        Op::Teleport(17, both_halves),
        Op::Grid(0, 1, 0.6),
        Op::Insert(1, below, all),
        Op::Update(true),
        Op::Remove(17),
        Op::Update(true),
    ] {
        both.apply(&op);
    }
}

/// Changes are let go when they are many; the list is then remade.
#[test]
fn a_list_whose_changes_were_let_go_is_made_anew() {
    let margin = Some(Margin { metres: 0.33, fraction: 0.27, ahead: 0.4 });
    let mut both = Both::new(240, BroadPhaseSettings { margin, ..BroadPhaseSettings::default() });
    for op in [
        Op::Grid(0, 1, 0.7),
        Op::Crowd(239, 0),
        Op::Update(false),
        Op::Drift(1, [0.0, 0.0, 0.3]),
        Op::Update(false),
        Op::Update(false),
        Op::Update(true),
        Op::Clear(2),
        Op::Update(false),
        Op::Clear(1),
        Op::Update(false),
        Op::Update(true),
    ] {
        both.apply(&op);
    }
    assert!(both.truth.pairs.is_empty());
}
