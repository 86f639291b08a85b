//! A refused call says what was wrong and changes nothing.

use impinge_broadphase::{BroadPhase, BroadPhaseError, Filter, MAX_SLOT, Pair};
use impinge_geometry::Aabb;

fn cube(x: f32) -> Aabb {
    Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] }
}

/// Two overlapping cubes in slots 3 and 7.
fn two() -> BroadPhase {
    let mut broad_phase = BroadPhase::default();
    broad_phase.insert(&[(3, cube(0.0), Filter::default()), (7, cube(0.5), Filter::default())]).unwrap();
    broad_phase.update();
    assert_eq!(broad_phase.pairs(), [Pair::new(3, 7)]);
    broad_phase
}

fn unchanged(broad_phase: &mut BroadPhase) {
    broad_phase.validate().unwrap();
    broad_phase.update();
    assert_eq!(broad_phase.len(), 2);
    assert_eq!(broad_phase.pairs(), [Pair::new(3, 7)]);
    assert!(broad_phase.begun().is_empty() && broad_phase.ended().is_empty());
}

#[test]
fn a_bad_entry_refuses_the_whole_batch() {
    let mut broad_phase = two();
    let good = (1, cube(0.2), Filter::default());
    let nan = Aabb { min: [0.0, f32::NAN, 0.0], max: [1.0; 3] };
    let inverted = Aabb { min: [0.0; 3], max: [1.0, -1.0, 1.0] };
    for (slot, aabb, expected) in [
        (7, cube(0.0), BroadPhaseError::SlotInUse { slot: 7 }),
        (1, cube(0.0), BroadPhaseError::DuplicateSlot { slot: 1 }),
        (MAX_SLOT + 1, cube(0.0), BroadPhaseError::SlotTooHigh { slot: MAX_SLOT + 1 }),
        (2, inverted, BroadPhaseError::InvalidAabb { slot: 2, aabb: inverted }),
        (2, Aabb::EMPTY, BroadPhaseError::InvalidAabb { slot: 2, aabb: Aabb::EMPTY }),
    ] {
        assert_eq!(broad_phase.insert(&[good, (slot, aabb, Filter::default())]), Err(expected));
        unchanged(&mut broad_phase);
    }
    let error = broad_phase.insert(&[good, (2, nan, Filter::default())]).unwrap_err();
    assert!(error.to_string().contains("slot 2") && error.to_string().contains("NaN"), "{error}");
    unchanged(&mut broad_phase);
}

#[test]
fn unknown_and_removed_slots_are_refused() {
    let mut broad_phase = two();
    let unknown = |slot| BroadPhaseError::UnknownSlot { slot };
    assert_eq!(broad_phase.remove(&[3, 4]), Err(unknown(4)));
    assert_eq!(broad_phase.remove(&[3, 3]), Err(BroadPhaseError::DuplicateSlot { slot: 3 }));
    assert_eq!(broad_phase.set_aabb(100, cube(0.0)), Err(unknown(100)));
    assert_eq!(broad_phase.set_filter(4, Filter::default()), Err(unknown(4)));
    assert!(broad_phase.set_aabb(3, Aabb { min: [f32::NAN; 3], max: [0.0; 3] }).is_err());
    assert_eq!(broad_phase.set_motion(4, [0.0; 3]), Err(unknown(4)));
    let error = broad_phase.set_motion(3, [0.0, f32::INFINITY, 0.0]).unwrap_err();
    assert!(error.to_string().contains("slot 3") && error.to_string().contains("finite"), "{error}");
    unchanged(&mut broad_phase);
    broad_phase.remove(&[3]).unwrap();
    assert_eq!(broad_phase.aabb(3), Err(unknown(3)));
    broad_phase.update();
    assert_eq!(broad_phase.ended(), [Pair::new(3, 7)]);
}

#[test]
fn a_pair_of_a_slot_taken_again_ends_and_begins() {
    let mut broad_phase = two();
    broad_phase.remove(&[7]).unwrap();
    broad_phase.insert(&[(7, cube(0.4), Filter::default())]).unwrap();
    broad_phase.update();
    assert_eq!(broad_phase.ended(), [Pair::new(3, 7)]);
    assert_eq!(broad_phase.begun(), [Pair::new(3, 7)]);
    assert_eq!(broad_phase.pairs(), [Pair::new(3, 7)]);
    // A filter that allows the pair before and after does not end it.
    broad_phase.set_filter(7, Filter { groups: 3, ..Filter::default() }).unwrap();
    unchanged(&mut broad_phase);
}

#[test]
fn a_ground_without_bounds_meets_what_is_over_it() {
    let mut broad_phase = BroadPhase::default();
    let inf = f32::INFINITY;
    let ground = Aabb { min: [-inf; 3], max: [inf, 0.0, inf] };
    let boxes: Vec<_> = (0..500u32)
        .map(|i| {
            let corner = [i as f32 * 2.0, -1.0 + i as f32 / 250.0, 0.0];
            (i + 1, Aabb { min: corner, max: corner.map(|x| x + 0.5) }, Filter::default())
        })
        .collect();
    broad_phase.insert(&boxes).unwrap();
    broad_phase.insert(&[(0, ground, Filter { is_static: true, ..Filter::default() })]).unwrap();
    broad_phase.update();
    broad_phase.validate().unwrap();
    let expected: Vec<Pair> =
        boxes.iter().filter(|entry| entry.1.min[1] <= 0.0).map(|entry| Pair::new(0, entry.0)).collect();
    assert_eq!(broad_phase.pairs(), expected);
    assert_eq!(broad_phase.stats().huge, 1);
}

/// Thousands are checked by all threads: wherever in the batch it is, one that is wrong refuses all of them.
#[test]
fn a_bad_entry_among_thousands_refuses_all() {
    const COUNT: u32 = 5_000;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut broad_phase = BroadPhase::default();
    let apart = |i: u32, shift: f32| cube(3.0 * i as f32 + shift);
    let all: Vec<_> = (0..COUNT).map(|i| (i, apart(i, 0.0), Filter::default())).collect();
    broad_phase.insert(&all).unwrap();
    broad_phase.update();
    let inverted = Aabb { min: [0.0; 3], max: [1.0, -1.0, 1.0] };
    for at in [0, 624, 625, 2_600, COUNT - 1] {
        let mut batch: Vec<(u32, Aabb)> = (0..COUNT).map(|i| (i, apart(i, 2.5))).collect();
        batch[at as usize].1 = inverted;
        let refused = pool.install(|| broad_phase.set_aabbs(&batch));
        assert_eq!(refused, Err(BroadPhaseError::InvalidAabb { slot: at, aabb: inverted }));
        broad_phase.update();
        broad_phase.validate().unwrap();
        assert_eq!(broad_phase.stats().moved, 0);
    }
    let mut batch: Vec<(u32, Aabb)> = (0..COUNT).map(|i| (i, apart(i, 2.5))).collect();
    batch.push((COUNT, apart(COUNT, 0.0)));
    let refused = pool.install(|| broad_phase.set_aabbs(&batch));
    assert_eq!(refused, Err(BroadPhaseError::UnknownSlot { slot: COUNT }));
}
