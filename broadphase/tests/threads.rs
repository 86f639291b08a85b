//! The output does not depend on the number of threads.

use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Disabling, Filter, Margin, Pair, Stats};
use impinge_geometry::{Aabb, SimdLevel};

/// A small generator, so that every run sees the same boxes (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

type Lists = (Vec<Pair>, Vec<Pair>, Vec<Pair>, Stats);

/// 3,000 boxes in a 16 m cube and 5 that cross it; some drift, some jump, some go and come back.
fn run(threads: usize, simd: SimdLevel, margin: Option<Margin>) -> Vec<Lists> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut random = SplitMix(7);
    let mut settings = BroadPhaseSettings::default();
    (settings.simd, settings.margin) = (simd, margin);
    let mut broad_phase = BroadPhase::new(settings);
    let mut boxes: Vec<Aabb> = (0..3000u32)
        .map(|i| {
            let min = [0; 3].map(|_| 16.0 * random.next());
            let size = if i < 5 { 16.0 } else { 0.5 + random.next() };
            Aabb { min, max: min.map(|x| x + size) }
        })
        .collect();
    let filter = |i: u32| Filter { is_static: i.is_multiple_of(7), ..Filter::default() };
    let batch: Vec<_> = (0u32..).zip(&boxes).map(|(i, aabb)| (i, *aabb, filter(i))).collect();
    broad_phase.insert(&batch).unwrap();
    let mut lists = Vec::new();
    for step in 0..12u32 {
        for (slot, aabb) in (0u32..).zip(&mut boxes) {
            let jump = (slot + step).is_multiple_of(97);
            for k in 0..3 {
                let by = (random.next() - 0.5) * if jump { 16.0 } else { 0.05 };
                aabb.min[k] += by;
                aabb.max[k] += by;
            }
            broad_phase.set_aabb(slot, *aabb).unwrap();
        }
        let gone: Vec<u32> = (0..3000).filter(|slot| (slot + step).is_multiple_of(211)).collect();
        broad_phase.remove(&gone).unwrap();
        pool.install(|| broad_phase.update());
        broad_phase.validate().unwrap();
        lists.push((
            broad_phase.pairs().to_vec(),
            broad_phase.begun().to_vec(),
            broad_phase.ended().to_vec(),
            broad_phase.stats(),
        ));
        let back: Vec<_> = gone.iter().map(|&slot| (slot, boxes[slot as usize], filter(slot))).collect();
        broad_phase.insert(&back).unwrap();
    }
    lists
}

#[test]
fn threads_and_instructions_report_the_same() {
    for margin in [None, Some(Margin::metres(0.1))] {
        let one = run(1, SimdLevel::detect(), margin);
        assert!(one.iter().skip(1).all(|(pairs, begun, ended, _)| {
            pairs.len() > 1000 && !begun.is_empty() && !ended.is_empty()
        }));
        for threads in [1, 2, 3, 8] {
            for simd in SimdLevel::available() {
                assert!(one == run(threads, simd, margin), "{threads} threads, {simd:?}, {margin:?}");
            }
        }
    }
}

/// After 19 of 20 of 20,000 colliders are gone, the structure holds about what it would hold had they
/// never been there.
#[test]
fn memory_comes_back_after_a_mass_removal() {
    let mut random = SplitMix(3);
    let mut small = BroadPhase::default();
    let mut large = BroadPhase::default();
    let batch: Vec<_> = (0..20_000u32)
        .map(|slot| {
            let min = [0; 3].map(|_| 30.0 * random.next());
            (slot, Aabb { min, max: min.map(|x| x + 1.0) }, Filter::default())
        })
        .collect();
    small.insert(&batch[..1000]).unwrap();
    large.insert(&batch).unwrap();
    small.update();
    large.update();
    let dense = large.memory();
    let gone: Vec<u32> = (1000..20_000).collect();
    large.remove(&gone).unwrap();
    for _ in 0..3 {
        large.update();
        large.validate().unwrap();
    }
    assert_eq!(large.pairs(), small.pairs());
    assert!(large.memory() < 2 * small.memory() + 65_536, "{} {}", large.memory(), small.memory());
    assert!(large.memory() < dense / 4, "{} {dense}", large.memory());
}

/// 20,000 boxes in a 32 m cube and 5 that cross it, set in one batch in each step: nearly all in the order of their slots, now and then few
/// of them, in any order, or some twice, at the border of what two threads share too; some are disabled for a while.
fn run_at_once(threads: usize, one_by_one: bool) -> Vec<Lists> {
    const COUNT: u32 = 20_000;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut random = SplitMix(11);
    let mut broad_phase = BroadPhase::default();
    let mut boxes: Vec<Aabb> = (0..COUNT)
        .map(|i| {
            let min = [0; 3].map(|_| 32.0 * random.next());
            let size = if i < 5 { 32.0 } else { 0.5 + random.next() };
            Aabb { min, max: min.map(|x| x + size) }
        })
        .collect();
    let batch: Vec<_> = (0u32..).zip(&boxes).map(|(i, aabb)| (i, *aabb, Filter::default())).collect();
    broad_phase.insert(&batch).unwrap();
    let mut lists = Vec::new();
    for step in 0..24u32 {
        let mut batch = Vec::new();
        for (slot, aabb) in (0u32..).zip(&mut boxes) {
            // From the fifteenth step on four of five rest.
            if step > 14 && slot % 5 > 0 {
                continue;
            }
            let jump = (slot + step).is_multiple_of(97);
            for k in 0..3 {
                let by = (random.next() - 0.5) * if jump { 32.0 } else { 0.05 };
                aabb.min[k] += by;
                aabb.max[k] += by;
            }
            batch.push((slot, *aabb));
        }
        // What is huge becomes small, and the other way round.
        let (small, large) = (boxes[100 + step as usize], boxes[step as usize % 5]);
        batch[step as usize % 5].1 = small;
        batch[100].1 = large;
        match step {
            3 => batch.reverse(),
            5 => batch.extend_from_within(..1000),
            7 => broad_phase.disable(&[8, 900], Disabling::Removed).unwrap(),
            9 => broad_phase.enable(&[8, 900]).unwrap(),
            // Twice where the shares of two, three and eight threads end.
            11 => {
                for shares in [8, 12, 32] {
                    let at = batch.len().div_ceil(shares);
                    batch[at].0 = batch[at - 1].0;
                }
            }
            _ => {}
        }
        pool.install(|| {
            if one_by_one {
                batch.iter().for_each(|&(slot, aabb)| broad_phase.set_aabb(slot, aabb).unwrap());
            } else {
                broad_phase.set_aabbs(&batch).unwrap();
            }
            broad_phase.update();
        });
        broad_phase.validate().unwrap();
        lists.push((
            broad_phase.pairs().to_vec(),
            broad_phase.begun().to_vec(),
            broad_phase.ended().to_vec(),
            broad_phase.stats(),
        ));
    }
    lists
}

#[test]
fn many_boxes_set_by_threads_are_those_set_one_by_one() {
    let wanted = run_at_once(1, true);
    assert!(wanted.iter().skip(1).all(|(pairs, begun, ended, stats)| {
        pairs.len() > 10_000 && !begun.is_empty() && !ended.is_empty() && stats.crossed > 0
    }));
    for threads in [1, 2, 3, 8] {
        assert!(wanted == run_at_once(threads, false), "{threads} threads");
    }
}
