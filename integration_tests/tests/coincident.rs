//! Bodies in one place: every pair meets, and the work for each does not depend on how many there are.

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape};

/// Work of the first step of `count` copies at one pose, for each pair.
fn work_per_pair(of: &Shape, count: u64) -> f64 {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let id = world.add_shape(of.clone()).unwrap();
    for _ in 0..count {
        world.add_collider(Collider::new(id).position([0.1, 0.2, 0.3])).unwrap();
    }
    let report = world.step();
    let counts = &report.counts;
    assert_eq!(counts.touching, count * (count - 1) / 2, "every pair touches");
    let work =
        counts.box_tests + counts.triangle_tests + counts.degenerate + counts.fragments + counts.columns;
    work as f64 / counts.touching as f64
}

#[test]
fn coincident_boxes_cost_the_same_for_each_pair() {
    let of = shape(block([0.5; 3]));
    let [few, many] = [10, 40].map(|count| work_per_pair(&of, count));
    assert!(few > 100.0 && many <= 1.01 * few, "{few} for a pair of ten, {many} for one of forty");
}
