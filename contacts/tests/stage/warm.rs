//! Buffers that are used again: the same answers as with new ones, and no request for memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use impinge_contacts::{ContactMemory, ContactScratch, ContactSettings, Manifold, manifolds_after};
use impinge_pair::{PairResult, Patch};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;

use crate::patches::{at_origin, frame, patch, result};
use crate::sectors::winding;

/// The system's allocator, counting the requests of each thread.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all is done by the system's allocator; counting asks for no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = REQUESTS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What one pair is asked with from step to step.
#[derive(Default)]
struct Warm {
    memory: ContactMemory,
    scratch: ContactScratch,
    out: Vec<Manifold>,
}

impl Warm {
    /// One step; the number of its requests.
    fn step(&mut self, result: &PairResult, settings: &ContactSettings) -> u64 {
        let Warm { memory, scratch, out } = self;
        let frame = frame();
        let before = REQUESTS.get();
        scratch.clear(out);
        manifolds_after(memory, result, &at_origin(&frame), settings, scratch, out);
        memory.match_points(out, scratch);
        REQUESTS.get() - before
    }
}

/// A patch of up to 1500 columns in one of four directions, two of which are merged.
fn some_patch() -> impl Strategy<Value = Patch> {
    let column = (-1.0..1.0f64, -1.0..1.0f64, 0.001..0.02f64);
    let columns = prop_oneof![
        4 => prop::collection::vec(column.clone(), 1..40),
        1 => prop::collection::vec(column, 1100..1500),
    ];
    (columns, 0..4usize, -0.9..0.9f64, -0.9..0.9f64).prop_map(|(columns, side, x, y)| {
        let columns: Vec<_> = columns.into_iter().map(|(x, y, depth)| (Vector2::new(x, y), depth)).collect();
        let normals = [Vector3::z(), Vector3::new(0.03, 0.0, 1.0).normalize(), Vector3::x(), -Vector3::y()];
        let area = columns.len() as f64 * 0.01;
        patch(normals[side], &columns, Vector2::new(x, y), area)
    })
}

/// What the narrow phase found in one step; in some, a patch that winds is among it.
fn some_result() -> impl Strategy<Value = PairResult> {
    (prop::collection::vec(some_patch(), 0..8), any::<bool>()).prop_map(|(mut patches, winds)| {
        patches.extend(winds.then(winding));
        result(patches)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Six steps, over and over: each has the manifolds that new buffers give, bit for bit, and once all have been there, they
    /// ask for no memory.
    #[test]
    fn warm_steps_answer_as_new_buffers_do_and_ask_for_no_memory(
        steps in prop::collection::vec(some_result(), 6),
        max_points in 0..6usize,
        max_manifolds in 0..7usize,
    ) {
        let settings = ContactSettings::default().max_points(max_points).max_manifolds(max_manifolds);
        let mut warm = Warm::default();
        let mut found = 0;
        for round in 0..4 {
            for result in &steps {
                let mut fresh = Warm { memory: warm.memory.clone(), ..Warm::default() };
                fresh.step(result, &settings);
                let requests = warm.step(result, &settings);
                prop_assert_eq!(&warm.out, &fresh.out);
                prop_assert_eq!(&warm.memory, &fresh.memory);
                prop_assert!(round < 2 || requests == 0, "{requests} requests in round {round}");
                found += warm.out.len();
            }
        }
        prop_assert!(found > 0 || steps.iter().all(|result| result.patches.is_empty()));
    }
}

/// The lists of points of manifolds that are cleared are not kept without end.
#[test]
fn of_many_manifolds_that_are_cleared_a_thousand_lists_are_kept() {
    let result = result(vec![patch(Vector3::z(), &[(Vector2::zeros(), 0.01)], Vector2::zeros(), 1.0)]);
    let (frame, memory) = (frame(), ContactMemory::default());
    let (mut scratch, mut many) = (ContactScratch::default(), Vec::with_capacity(3000));
    let find = |scratch: &mut ContactScratch, many: &mut Vec<Manifold>, count: u64| {
        let before = REQUESTS.get();
        for _ in 0..count {
            manifolds_after(&memory, &result, &at_origin(&frame), &ContactSettings::default(), scratch, many);
        }
        REQUESTS.get() - before
    };
    assert!(find(&mut scratch, &mut many, 3000) >= 3000);
    scratch.clear(&mut many);
    assert!(many.is_empty());
    assert_eq!(find(&mut scratch, &mut many, 1100), 1100 - 1024);
}
