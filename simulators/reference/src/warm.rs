//! The part of a warm step that is the simulator's asks for no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use impinge::prelude::*;
use nalgebra::Point3;

use crate::{BodyDesc, HingeDesc, Simulator, SimulatorSettings, StepSummary};

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

/// A cube as a mesh, twice as wide as `half` (m).
fn cube(half: f32) -> TriMesh {
    let corner = |k: u32| Point3::from([0, 1, 2].map(|i| if k >> i & 1 == 0 { -half } else { half }));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// Cubes of both kinds and balls in a heap, and a door on a hinge; what rests falls asleep or not.
fn heap(sleeping: bool) -> Simulator {
    let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let settings = SimulatorSettings { sleeping, ..SimulatorSettings::default() };
    let mut simulator = Simulator::new(world, settings).unwrap();
    let world = simulator.world_mut();
    let floor = world.add_shape(Shape::half_space()).unwrap();
    let primitive = world.add_shape(Shape::cuboid([0.2; 3]).unwrap()).unwrap();
    let mesh = world.add_shape(Shape::from(cube(0.2))).unwrap();
    let ball = world.add_shape(Shape::sphere(0.2).unwrap()).unwrap();
    simulator.add_body(BodyDesc::fixed(floor)).unwrap();
    for k in 0..12u32 {
        let shape = [primitive, mesh, mesh, ball][k as usize % 4];
        let at = [0.3 * f64::from(k % 2), 0.1 * f64::from(k % 3), 0.3 + 0.45 * f64::from(k / 2)];
        simulator.add_body(BodyDesc::new(shape).position(at)).unwrap();
    }
    let door = simulator.add_body(BodyDesc::new(primitive).position([5.0, 0.0, 2.0])).unwrap();
    let hinge = HingeDesc::new(door, Point3::new(5.0, 0.5, 2.0), Vector3::x());
    simulator.add_hinge(hinge).unwrap();
    simulator
}

#[test]
fn a_warm_response_asks_for_no_memory() {
    for sleeping in [false, true] {
        let mut simulator = heap(sleeping);
        let (mut rows, mut requests) = (0, 0);
        for step in 0..400 {
            simulator.detect(false).unwrap();
            let mut summary = StepSummary::default();
            let before = REQUESTS.get();
            simulator.respond(1.0 / 60.0, &mut summary).unwrap();
            if step >= 200 {
                requests += REQUESTS.get() - before;
            }
            rows = rows.max(summary.rows);
        }
        assert!(rows > 20, "{rows}");
        assert_eq!(requests, 0, "sleeping: {sleeping}");
    }
}
