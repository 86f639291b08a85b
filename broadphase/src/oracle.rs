//! The structure against brute force: random calls, random boxes, every list after every update.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use impinge_geometry::Aabb;
use proptest::prelude::*;

use crate::grid::Grid;
use crate::plan::Plan;
use crate::{BroadPhase, BroadPhaseError, BroadPhaseSettings, Filter, Pair, Simd};

/// What happens in one step of a random sequence.
#[derive(Clone, Debug)]
enum Op {
    Insert(u32, Aabb, Filter),
    Remove(u32),
    /// Away and back in one step.
    Replace(u32, Aabb),
    Teleport(u32, Aabb),
    /// By a fraction of the size of the box.
    Move(u32, [f32; 3]),
    Filter(u32, Filter),
    Static(u32, bool),
    Grid(usize, u16, f32),
    Update,
}

const SLOTS: u32 = 20;

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        12 => -4.0f32..4.0,
        // Few values, so that boxes touch and keys are equal.
        8 => (-3i8..=3).prop_map(f32::from),
        1 => prop_oneof![Just(1e30f32), Just(-1e30), Just(0.0), Just(-0.0), Just(1e-38)],
    ]
}

fn size() -> impl Strategy<Value = f32> {
    prop_oneof![6 => 0.0f32..1.5, 3 => Just(1.0f32), 2 => Just(0.0), 1 => 5.0f32..100.0, 1 => Just(1e30f32)]
}

fn aabb() -> impl Strategy<Value = Aabb> {
    let axis = || {
        (coordinate(), size(), 0u8..80).prop_map(|(min, size, open)| match open {
            0 => (f32::NEG_INFINITY, min),
            1 => (min, f32::INFINITY),
            2 => (f32::NEG_INFINITY, f32::INFINITY),
            3 => (f32::INFINITY, f32::INFINITY),
            _ => (min, min + size),
        })
    };
    [axis(), axis(), axis()].prop_map(|axes| Aabb { min: axes.map(|x| x.0), max: axes.map(|x| x.1) })
}

fn filter() -> impl Strategy<Value = Filter> {
    let bits = prop_oneof![3 => Just(u32::MAX), 1 => 0u32..8];
    (bits.clone(), bits, prop::option::weighted(0.3, 0u32..3), prop::bool::weighted(0.2))
        .prop_map(|(groups, mask, part, is_static)| Filter { groups, mask, part, is_static })
}

fn op() -> impl Strategy<Value = Op> {
    let slot = 0..SLOTS;
    let cell = prop_oneof![Just(0.6f32), Just(1.5), Just(4.0), Just(1e29)];
    prop_oneof![
        12 => (slot.clone(), aabb(), filter()).prop_map(|(s, b, f)| Op::Insert(s, b, f)),
        3 => slot.clone().prop_map(Op::Remove),
        2 => (slot.clone(), aabb()).prop_map(|(s, b)| Op::Replace(s, b)),
        6 => (slot.clone(), aabb()).prop_map(|(s, b)| Op::Teleport(s, b)),
        14 => (slot.clone(), [-0.5f32..0.5, -0.5f32..0.5, -0.5f32..0.5]).prop_map(|(s, d)| Op::Move(s, d)),
        3 => (slot.clone(), filter()).prop_map(|(s, f)| Op::Filter(s, f)),
        2 => (slot, any::<bool>()).prop_map(|(s, b)| Op::Static(s, b)),
        1 => (0..3usize, 1..9u16, cell).prop_map(|(a, n, c)| Op::Grid(a, n, c)),
        8 => Just(Op::Update),
    ]
}

/// The plain truth.
#[derive(Default)]
struct Oracle {
    boxes: BTreeMap<u32, (Aabb, Filter)>,
    pairs: BTreeSet<Pair>,
    removed: BTreeSet<u32>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
}

impl Oracle {
    fn update(&mut self) {
        let mut now = BTreeSet::new();
        for (&a, (box_a, filter_a)) in &self.boxes {
            for (&b, (box_b, filter_b)) in self.boxes.range(a + 1..) {
                if box_a.overlaps(box_b) && filter_a.allows(filter_b) {
                    now.insert(Pair { a, b });
                }
            }
        }
        let renewed = |p: &Pair| self.removed.contains(&p.a) || self.removed.contains(&p.b);
        let news = |from: &BTreeSet<Pair>, to: &BTreeSet<Pair>| -> Vec<Pair> {
            to.iter().filter(|p| !from.contains(p) || renewed(p)).copied().collect()
        };
        self.begun = news(&self.pairs, &now);
        self.ended = news(&now, &self.pairs);
        self.pairs = now;
        self.removed.clear();
    }
}

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
    structure: BroadPhase,
    oracle: Oracle,
}

impl Both {
    fn apply(&mut self, op: &Op) {
        let Both { structure, oracle } = self;
        match *op {
            Op::Insert(slot, aabb, filter) => {
                let result = structure.insert(&[(slot, aabb, filter)]);
                if let Entry::Vacant(entry) = oracle.boxes.entry(slot) {
                    assert_eq!(result, Ok(()));
                    entry.insert((aabb, filter));
                } else {
                    assert_eq!(result, Err(BroadPhaseError::SlotInUse { slot }));
                }
            }
            Op::Remove(slot) => {
                let known = oracle.boxes.remove(&slot).is_some();
                assert_eq!(structure.remove(&[slot]).is_ok(), known);
                if known {
                    oracle.removed.insert(slot);
                }
            }
            Op::Replace(slot, aabb) => {
                self.apply(&Op::Remove(slot));
                self.apply(&Op::Insert(slot, aabb, Filter::default()));
            }
            Op::Teleport(slot, aabb) => self.set_aabb(slot, |_| aabb),
            Op::Move(slot, by) => self.set_aabb(slot, |aabb| moved(aabb, by)),
            Op::Filter(slot, filter) => self.set_filter(slot, |_| filter),
            Op::Static(slot, is_static) => self.set_filter(slot, |filter| Filter { is_static, ..filter }),
            Op::Grid(axis, count, cell) => {
                let plan = Plan { grid: grid_of(axis, count, cell), ..structure.plan };
                structure.lay_out(plan);
            }
            Op::Update => self.update(),
        }
    }

    fn set_aabb(&mut self, slot: u32, to: impl Fn(&Aabb) -> Aabb) {
        match self.oracle.boxes.get_mut(&slot) {
            Some((aabb, _)) => {
                *aabb = to(aabb);
                self.structure.set_aabb(slot, *aabb).unwrap();
                assert_eq!(self.structure.aabb(slot), Ok(*aabb));
            }
            None => {
                let error = self.structure.set_aabb(slot, Aabb::EVERYTHING);
                assert_eq!(error, Err(BroadPhaseError::UnknownSlot { slot }));
            }
        }
    }

    fn set_filter(&mut self, slot: u32, to: impl Fn(Filter) -> Filter) {
        if let Some((_, filter)) = self.oracle.boxes.get_mut(&slot) {
            *filter = to(*filter);
            self.structure.set_filter(slot, *filter).unwrap();
        }
    }

    fn update(&mut self) {
        self.structure.validate().unwrap();
        self.oracle.update();
        self.structure.update();
        self.structure.validate().unwrap();
        assert!(self.structure.pairs().iter().eq(&self.oracle.pairs), "pairs");
        assert_eq!(self.structure.begun(), self.oracle.begun, "begun");
        assert_eq!(self.structure.ended(), self.oracle.ended, "ended");
        let persisted: Vec<Pair> =
            self.oracle.pairs.iter().filter(|p| !self.oracle.begun.contains(p)).copied().collect();
        assert_eq!(self.structure.persisted().collect::<Vec<_>>(), persisted, "persisted");
        assert_eq!(self.structure.len(), self.oracle.boxes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_of_calls_equals_brute_force(
        simd in prop_oneof![Just(Simd::Auto), Just(Simd::Sse2), Just(Simd::Scalar)],
        grid in (0..3usize, 1..9u16, 0.7f32..3.0),
        ops in prop::collection::vec(op(), 12..48),
    ) {
        let mut both = Both { structure: BroadPhase::new(BroadPhaseSettings { simd }), oracle: Oracle::default() };
        both.apply(&Op::Grid(grid.0, grid.1, grid.2));
        for op in &ops {
            both.apply(op);
        }
        both.update();
    }
}

/// A huge box that shrinks in the step in which the grid is laid out anew stays apart; when it then
/// leaves, the columns under its small box have to be looked at all the same.
#[test]
fn a_small_box_that_stands_apart_ends_its_pairs_when_it_leaves() {
    let mut both =
        Both { structure: BroadPhase::new(BroadPhaseSettings::default()), oracle: Oracle::default() };
    let below = Aabb { min: [f32::NEG_INFINITY; 3], max: [0.0; 3] };
    let both_halves = Aabb { min: [0.0, 0.0, -0.5], max: [0.0, 0.0, 0.3] };
    let all = Filter { groups: u32::MAX, ..Filter::default() };
    for op in [
        Op::Grid(1, 2, 0.7),
        Op::Insert(17, below, all),
        Op::Insert(5, Aabb { min: [0.0; 3], max: [0.0, 5.0, 0.0] }, all),
        Op::Update,
        Op::Teleport(17, both_halves),
        Op::Grid(0, 1, 0.6),
        Op::Insert(1, below, all),
        Op::Update,
        Op::Remove(17),
        Op::Update,
    ] {
        both.apply(&op);
    }
}
