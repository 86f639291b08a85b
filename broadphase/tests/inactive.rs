//! What does not move costs nothing, however much moves beside it.

use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Filter, Stats};
use impinge_geometry::Aabb;

const COUNT: u32 = 4000;

/// Cubes on a lattice, of which one in `part` swings to and fro.
fn at(slot: u32, step: u32, part: u32) -> Aabb {
    let swing = if slot.is_multiple_of(part) { 0.05 * (step as f32 + slot as f32).sin() } else { 0.0 };
    let corner = [slot % 16, slot / 16 % 16, slot / 256].map(|x| 0.98 * x as f32 + swing);
    Aabb { min: corner, max: corner.map(|x| x + 1.0) }
}

/// The work of the last of some steps, in which the slots that `part` divides move.
fn work(part: u32, is_static: bool) -> (BroadPhase, Stats) {
    let mut broad_phase = BroadPhase::new(BroadPhaseSettings::default());
    let filter =
        |slot: u32| Filter { is_static: is_static && !slot.is_multiple_of(part), ..Filter::default() };
    let all: Vec<_> = (0..COUNT).map(|slot| (slot, at(slot, 0, part), filter(slot))).collect();
    broad_phase.insert(&all).unwrap();
    broad_phase.update();
    for step in 1..20 {
        let movers = (0..COUNT).filter(|slot| slot.is_multiple_of(part));
        let batch: Vec<_> = movers.map(|slot| (slot, at(slot, step, part))).collect();
        broad_phase.set_aabbs(&batch).unwrap();
        broad_phase.update();
        broad_phase.validate().unwrap();
    }
    let stats = broad_phase.stats();
    (broad_phase, stats)
}

#[test]
fn only_what_moves_is_swept() {
    let (_, all) = work(1, false);
    assert_eq!(all.inactive, 0);
    for is_static in [false, true] {
        // One in five, which is many, and one in fifty.
        for part in [5, 50] {
            let (mut broad_phase, stats) = work(part, is_static);
            assert_eq!(stats.moved, COUNT as usize / part as usize);
            // Each member that moved, and no other; those at rest as all, less these.
            let share = all.members / u64::from(part);
            assert!(stats.members <= share * 12 / 10, "{stats:?} {all:?}");
            assert!(stats.tests < all.tests, "{stats:?} {all:?}");
            // When nothing moves any more, no column is looked at.
            broad_phase.update();
            let Stats { swept, sparse, members, inactive, tests, .. } = broad_phase.stats();
            assert_eq!((swept, sparse, members, inactive, tests), (0, 0, 0, 0, 0));
        }
    }
}

/// What rests is moved and removed, found and paired as anything else.
#[test]
fn what_rests_wakes() {
    let (mut broad_phase, _) = work(5, false);
    let count = broad_phase.pairs().len();
    let far = Aabb { min: [500.0; 3], max: [501.0; 3] };
    let partners = |broad_phase: &BroadPhase, slot: u32| {
        broad_phase.listed_pairs().iter().filter(|pair| pair.a == slot || pair.b == slot).count()
    };
    let of_one = partners(&broad_phase, 1111);
    assert!(of_one >= 3);
    broad_phase.set_aabb(1111, far).unwrap();
    broad_phase.update();
    broad_phase.validate().unwrap();
    assert_eq!((broad_phase.begun().len(), broad_phase.ended().len()), (0, of_one));
    assert_eq!(broad_phase.pairs().len(), count - of_one);
    let of_other = partners(&broad_phase, 2222);
    broad_phase.remove(&[2222]).unwrap();
    broad_phase.update();
    broad_phase.validate().unwrap();
    assert_eq!(broad_phase.ended().len(), of_other);
    assert_eq!(broad_phase.queries().in_box(&far, &Filter::default()).unwrap(), [1111]);
}
