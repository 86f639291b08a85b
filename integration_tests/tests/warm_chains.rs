//! A chain that is asked again and meets nothing asks for no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use impinge::chain::{Chain, ChainObstacle, ChainScratch};
use impinge::geometry::Joint;
use impinge::prelude::*;
use impinge_scenes::mesh::{Gear, Knot};
use impinge_scenes::random::Random;

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

#[test]
fn a_warm_chain_that_meets_nothing_asks_for_no_memory() {
    let [link, knot] = [Gear::default().mesh().unwrap(), Knot::default().mesh().unwrap()]
        .map(|mesh| PreparedShape::new(&mesh.into()));
    let joints: Vec<Joint> = (0..6)
        .map(|k| {
            let joint = Joint::revolute(if k % 2 == 0 { Vector3::z() } else { Vector3::y() });
            if k == 0 { joint } else { joint.on(k - 1).at(Isometry3::translation(0.9, 0.0, 0.0)) }
        })
        .collect();
    let chain = Chain::new(vec![Some(link); 6], &joints).unwrap();
    let obstacles = [[2.5, 1.5, 0.3], [3.5, -1.2, 0.5], [2.0, 2.5, -0.6]]
        .map(|[x, y, z]| ChainObstacle { shape: &knot, pose: Isometry3::translation(x, y, z) });
    let mut random = Random::new(5);
    let mut values = || (0..6).map(|_| 0.9 * random.signed()).collect::<Vec<f64>>();
    let ways: Vec<[Vec<f64>; 2]> = (0..40).map(|_| [values(), values()]).collect();
    let mut scratch = ChainScratch::default();
    // The proof of an impact's distance has a list of its own, a few requests long.
    let mut round = || {
        let (mut hits, mut of_free, mut of_hits) = (0, 0, 0);
        for [from, to] in &ways {
            let before = REQUESTS.get();
            let found = chain.sweep_with(from, to, &obstacles, None, &mut scratch).unwrap();
            let requests = REQUESTS.get() - before;
            match found.impact() {
                Some(_) => (hits, of_hits) = (hits + 1, of_hits + requests),
                None => of_free += requests,
            }
        }
        (hits, of_free, of_hits)
    };
    let (hits, ..) = round();
    let (again, of_free, of_hits) = round();
    assert!(hits == again && hits > 10 && hits < 30, "{hits} {again}");
    assert_eq!(of_free, 0);
    assert!(of_hits <= 20 * hits, "{of_hits} of {hits}");
}
