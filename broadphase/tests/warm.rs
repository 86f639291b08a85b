//! A warm update asks for no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::f32::consts::TAU;

use impinge_broadphase::{BroadPhase, BroadPhaseSettings, Filter, Margin};
use impinge_geometry::Aabb;

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

/// 5,000 cubes on a lattice that swing to and fro in ten steps, `movers` of a hundred of them, one of a hundred a
/// hundred times as far.
fn requests_per_step(margin: Option<Margin>, movers: u32) -> Vec<u64> {
    let mut settings = BroadPhaseSettings::default();
    settings.margin = margin;
    let mut broad_phase = BroadPhase::new(settings);
    let at = |slot: u32, step: u32| {
        let swing = if slot % 100 == 7 { 6.0 } else { 0.06 } * (step as f32 * TAU / 10.0 + slot as f32).sin();
        let corner = [slot % 17, slot / 17 % 17, slot / 289].map(|x| 0.97 * x as f32 + swing);
        Aabb { min: corner, max: corner.map(|x| x + 1.0) }
    };
    let all: Vec<_> = (0..5000).map(|slot| (slot, at(slot, 0), Filter::default())).collect();
    broad_phase.insert(&all).unwrap();
    broad_phase.update();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        (1..150)
            .map(|step| {
                let batch: Vec<_> =
                    (0..5000).filter(|slot| slot % 100 < movers).map(|slot| (slot, at(slot, step))).collect();
                let before = REQUESTS.get();
                broad_phase.set_aabbs(&batch).unwrap();
                broad_phase.update();
                let requests = REQUESTS.get() - before;
                assert!(!broad_phase.begun().is_empty() || step < 3 || margin.is_some());
                requests
            })
            .collect()
    })
}

#[test]
fn warm_updates_ask_for_no_memory() {
    for margin in [None, Some(Margin::metres(0.05))] {
        for movers in [100, 50, 8] {
            let requests = requests_per_step(margin, movers);
            let warm = &requests[90..];
            assert!(warm.iter().all(|&count| count == 0), "{margin:?}, {movers} %: {requests:?}");
        }
    }
}
