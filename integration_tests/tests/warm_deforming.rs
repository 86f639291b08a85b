//! A mesh that deforms again and again in a world asks for no memory of its size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::prelude::*;
use impinge::query::{SelfScratch, SheetQuery, SheetScratch};
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

/// Requests are those of the whole program: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn warm_searches_for_points_of_a_sheet_ask_for_no_memory() {
    let _alone = ALONE.lock();
    let mesh = Knot { along: 120, across: 12, tube: 0.11, ..Knot::default() }.mesh().unwrap();
    let first = mesh.vertices().to_vec();
    let mut places = first.clone();
    let mut sheet = SheetQuery::new(mesh, 0.04).unwrap();
    let ground = PreparedShape::new(&Shape::cuboid([1.0, 1.0, 0.1]).unwrap());
    let (mut scratch, mut points) = (SheetScratch::default(), Vec::new());
    let (here, below) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, -0.32));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut found = [0; 2];
    let mut search = |step: u32| {
        let lift = 1.0 - 0.03 * (step % 10) as f32;
        for (place, at) in places.iter_mut().zip(&first) {
            place.z = at.z * lift;
        }
        let before = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        sheet.set_vertices(&places).unwrap();
        pool.install(|| {
            sheet.self_contacts(&mut scratch, &mut points);
            found[0] += points.len();
            sheet.contacts(&here, &ground, &below, &mut scratch, &mut points).unwrap();
            found[1] += points.len();
        });
        let after = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        [after[0] - before[0], after[1] - before[1]]
    };
    (0..20).for_each(|step| {
        search(step);
    });
    let [requests, bytes] =
        (20..120).map(&mut search).fold([0, 0], |sum, now| [sum[0] + now[0], sum[1] + now[1]]);
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
    assert!(requests <= 100 && bytes <= 100_000, "{requests} requests, {bytes} bytes in 100 searches");
}

#[test]
fn warm_changes_of_a_mesh_ask_for_no_memory() {
    let _alone = ALONE.lock();
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

/// A mesh that folds through itself, and its pairs of triangles.
#[test]
fn warm_searches_of_a_mesh_for_itself_ask_for_no_memory() {
    let _alone = ALONE.lock();
    let mesh = Knot { along: 120, across: 12, tube: 0.06, ..Knot::default() }.mesh().unwrap();
    let first = mesh.vertices().to_vec();
    let mut places = first.clone();
    let mut shape = PreparedShape::new(&Shape::from(mesh));
    let (mut scratch, mut pairs) = (SelfScratch::default(), Vec::new());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut found = 0;
    let mut search = |step: u32| {
        // They fold space over, so that strands of the knot pass through each other.
        let wave = 0.3 + 0.002 * (step % 10) as f32;
        for (place, at) in places.iter_mut().zip(&first) {
            let bent = Vector3::new((7.0 * at.y).sin(), (6.0 * at.z).sin(), (8.0 * at.x).sin());
            *place = at + bent * wave;
        }
        let before = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        pool.install(|| {
            shape.set_vertices(&places).unwrap();
            shape.self_intersections_with(false, &mut scratch, &mut pairs);
        });
        let after = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        found += pairs.len();
        [after[0] - before[0], after[1] - before[1]]
    };
    (0..30).for_each(|step| {
        search(step);
    });
    let [requests, bytes] =
        (30..130).map(&mut search).fold([0, 0], |sum, now| [sum[0] + now[0], sum[1] + now[1]]);
    assert!(found > 1000, "{found} pairs");
    assert!(requests <= 10 && bytes <= 50_000, "{requests} requests, {bytes} bytes in 100 searches");
}

/// Steps of a world that say where a mesh meets itself, with manifolds.
#[test]
fn warm_steps_of_a_mesh_that_meets_itself_ask_for_no_memory() {
    let _alone = ALONE.lock();
    let mesh = Knot { along: 120, across: 12, tube: 0.06, ..Knot::default() }.mesh().unwrap();
    let first = mesh.vertices().to_vec();
    let mut places = first.clone();
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let shape = world.add_shape(mesh).unwrap();
    let id = world.add_collider(Collider::new(shape).collides_with_itself(true)).unwrap();
    let mut found = 0;
    let mut step = |step: u32| -> [u64; 2] {
        let wave = 0.3 + 0.002 * (step % 10) as f32;
        for (place, at) in places.iter_mut().zip(&first) {
            let bent = Vector3::new((7.0 * at.y).sin(), (6.0 * at.z).sin(), (8.0 * at.x).sin());
            *place = at + bent * wave;
        }
        let before = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        world.set_vertices(shape, &places).unwrap();
        world.step();
        let after = [&REQUESTS, &BYTES].map(|counter| counter.load(Ordering::Relaxed));
        found += world.self_manifolds(id).unwrap().len();
        [after[0] - before[0], after[1] - before[1]]
    };
    (0..30).for_each(|n| {
        step(n);
    });
    let [requests, bytes] =
        (30..130).map(&mut step).fold([0, 0], |sum, now| [sum[0] + now[0], sum[1] + now[1]]);
    // The first thirty steps are as the others.
    let manifolds = found as u64 * 100 / 130;
    assert!(manifolds > 100, "{found} manifolds");
    // The pool's queue of calls from outside is a list of blocks of 63.
    assert!(
        requests <= 10 && bytes <= 50_000,
        "{requests} requests, {bytes} bytes for {manifolds} manifolds in 100 steps"
    );
}
