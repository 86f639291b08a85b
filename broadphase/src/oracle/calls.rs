//! Random calls.

use impinge_geometry::Aabb;
use proptest::prelude::*;

use crate::{Disabling, Filter, Ray};

/// What happens in one step of a random sequence.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Insert(u32, Aabb, Filter),
    Remove(u32),
    /// Away and back in one step.
    Replace(u32, Aabb),
    Teleport(u32, Aabb),
    /// By a fraction of the size of the box.
    Move(u32, [f32; 3]),
    Filter(u32, Filter),
    Static(u32, bool),
    Park(u32, Disabling),
    Unpark(u32),
    /// Small boxes into free slots, in one batch.
    Crowd(u32, u32),
    /// All slots that a number divides, in one batch.
    Clear(u32),
    /// Every `n`th box, in one batch.
    Drift(u32, [f32; 3]),
    /// Every `n`th box to and fro, so many updates long; the others come to rest.
    Swing(u32, [f32; 3], u32),
    /// Where it is said to go.
    Motion(u32, [f32; 3]),
    /// What is in a box; in a sphere around its corner; on a ray from there, and on the box's way.
    Ask(Aabb, f32, [f32; 3], Filter),
    Grid(usize, u16, f32),
    Update(bool),
}

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
    (bits.clone(), bits, prop::option::weighted(0.3, 0u64..3), prop::bool::weighted(0.2))
        .prop_map(|(groups, mask, part, is_static)| Filter { groups, mask, part, is_static })
}

/// Slots are taken modulo the number of slots in use.
pub(super) fn op() -> impl Strategy<Value = Op> {
    let slot = 0..4096u32;
    let three = |by: f32| [-by..by, -by..by, -by..by];
    let disabling = prop_oneof![Just(Disabling::InPlace), Just(Disabling::Removed)];
    let cell = prop_oneof![Just(0.6f32), Just(1.5), Just(4.0), Just(1e29)];
    prop_oneof![
        12 => (slot.clone(), aabb(), filter()).prop_map(|(s, b, f)| Op::Insert(s, b, f)),
        3 => slot.clone().prop_map(Op::Remove),
        2 => (slot.clone(), aabb()).prop_map(|(s, b)| Op::Replace(s, b)),
        6 => (slot.clone(), aabb()).prop_map(|(s, b)| Op::Teleport(s, b)),
        14 => (slot.clone(), [-0.5f32..0.5, -0.5f32..0.5, -0.5f32..0.5]).prop_map(|(s, d)| Op::Move(s, d)),
        3 => (slot.clone(), filter()).prop_map(|(s, f)| Op::Filter(s, f)),
        2 => (slot.clone(), any::<bool>()).prop_map(|(s, b)| Op::Static(s, b)),
        2 => (slot.clone(), disabling).prop_map(|(s, how)| Op::Park(s, how)),
        2 => slot.clone().prop_map(Op::Unpark),
        1 => (slot.clone(), any::<u32>()).prop_map(|(n, seed)| Op::Crowd(n, seed)),
        1 => (1u32..5).prop_map(Op::Clear),
        3 => (1u32..30, three(0.3)).prop_map(|(n, by)| Op::Drift(n, by)),
        1 => (1u32..30, three(0.3), 2u32..14).prop_map(|(n, by, updates)| Op::Swing(n, by, updates)),
        1 => (slot.clone(), three(1.0)).prop_map(|(s, by)| Op::Motion(s, by)),
        2 => (aabb(), 0f32..3.0, three(2.0), filter()).prop_map(|(b, r, d, f)| Op::Ask(b, r, d, f)),
        1 => (0..3usize, 1..9u16, cell).prop_map(|(a, n, c)| Op::Grid(a, n, c)),
        8 => any::<bool>().prop_map(Op::Update),
    ]
}

impl Op {
    /// A ray from the least corner of a box, if there is one, along a direction.
    pub(super) fn ray(aabb: &Aabb, length: f32, direction: [f32; 3]) -> Option<Ray> {
        // Along an axis every other time.
        let direction = if length < 1.5 { direction } else { [direction[0], 0.0, 0.0] };
        let length = if length > 2.5 { f32::INFINITY } else { length };
        aabb.min.iter().all(|x| x.is_finite()).then_some(Ray { origin: aabb.min, direction, length })
    }
}
