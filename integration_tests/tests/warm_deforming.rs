//! A mesh that deforms again and again in a world asks for no memory of its size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::prelude::*;
use impinge_scenes::mesh::Knot;

/// The system's allocator, counting requests and bytes of all threads.
struct Counting;

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: all is done by the system's allocator; counting asks for no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
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

#[test]
fn warm_changes_of_a_mesh_ask_for_no_memory() {
    let mesh = Knot { along: 120, across: 12, ..Knot::default() }.mesh().unwrap();
    let first = mesh.vertices().to_vec();
    let mut places = first.clone();
    let mut world = World::builder().backend(Backend::Cpu).threads(2).build().unwrap();
    let shape = world.add_shape(mesh).unwrap();
    for x in [0.0, 50.0] {
        world.add_collider(Collider::new(shape).position([x, 0.0, 0.0])).unwrap();
    }
    let mut change = |step: u32| {
        let lift = 1.0 + 0.002 * (step % 10) as f32;
        for (place, at) in places.iter_mut().zip(&first) {
            place.z = at.z * lift;
        }
        let before = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        let deformation = world.set_vertices(shape, &places).unwrap();
        assert!(!deformation.rebuilt && deformation.moved > 0.0);
        let after = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        [after[0] - before[0], after[1] - before[1]]
    };
    // The first takes the mesh over, and the pool's queues grow.
    (1..20).for_each(|step| {
        change(step);
    });
    let [requests, bytes] = (20..220).map(change).fold([0, 0], |sum, now| [sum[0] + now[0], sum[1] + now[1]]);
    // The pool's queue of calls from outside is a list of blocks of 63.
    assert!(requests <= 10 && bytes <= 50_000, "{requests} requests, {bytes} bytes in 200 changes");
}
