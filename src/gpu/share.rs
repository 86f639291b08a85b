//! How a step is divided between the GPU and the CPU, by what each has taken so far.
//!
//! With `c` the CPU's time for all work of a leaf pair (s, over all workers), `g` the device's time for its share of it, `r` what
//! is then left for the CPU, and `x` the part of the work that the device gets, a step takes max(x·g, (1 − x)·c) + x·r: least at
//! `x = c / (c + g)`, where neither waits, if `r` is less than `c`, and else where the device gets nothing. A device that is software
//! works on the same cores, and a step takes x·g + (1 − x)·c + x·r: least where one side gets everything. Times are measured in
//! every step and smoothed; they choose which side works, never what comes out with [`Parity::Bits`](crate::Parity::Bits).

use std::time::Duration;

use impinge_midphase::CandidateBatch;

/// Weight of the last step in the smoothed times.
const FRESH: f64 = 0.25;

/// A side whose part would be less gets one chunk now and then instead, so that it goes on being measured.
const LEAST: f64 = 1.0 / 16.0;

/// … in one step of so many.
const MEASURED_EVERY: u32 = 64;

/// A software device that goes on gaining nothing is measured twice as seldom each time, down to one step of so many.
const MEASURED_SELDOM: u32 = 4096;

/// Which chunks of a step are the GPU's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The part of the chunks that the GPU gets.
    part: f64,
    /// What it is owed of a chunk from the steps before.
    owed: f64,
}

/// What one side took in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    /// Pairs of leaves, and leaves against solids without triangles.
    pub leaves: u64,
    pub time: Duration,
}

impl Taken {
    /// What the candidates of a batch count as.
    pub fn leaves_of(batch: &CandidateBatch<'_>) -> u64 {
        (batch.leaf_pairs.len() + batch.leaves.len()) as u64
    }
}

/// The cost model of a world on [`Backend::Hybrid`](crate::Backend::Hybrid).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// Seconds for a leaf pair, once measured: on the CPU, on the GPU, and on the CPU after the GPU.
    cpu: Option<f64>,
    gpu: Option<f64>,
    left: Option<f64>,
    /// What the GPU is owed of a chunk.
    owed: f64,
    steps: u32,
    /// Whether the device works on the CPU's cores, and steps from one time that it is measured in vain to the next.
    software: bool,
    pause: u32,
    next: u32,
}

impl Plan {
    /// Everything is the GPU's.
    pub const ALL: Plan = Plan { part: 1.0, owed: 0.0 };

    /// Whether a chunk is the GPU's: its part of them, evenly spread.
    pub fn is_gpu(self, chunk: usize) -> bool {
        self.before(chunk + 1) > self.before(chunk)
    }

    /// How many of the first chunks are the GPU's.
    fn before(self, chunks: usize) -> f64 {
        (chunks as f64 * self.part + self.owed).floor()
    }
}

impl Share {
    /// The model of a device, which may be software.
    pub fn new(software: bool) -> Share {
        Share { software, pause: MEASURED_EVERY, next: MEASURED_EVERY, ..Share::default() }
    }

    /// The division of the next step, of so many chunks. Until both sides have been measured it is half and half; a device that is
    /// software has one chunk. What is less than a chunk is owed to the next steps, so that worlds of a few pairs are divided in time.
    pub fn plan(&mut self, chunks: usize) -> Plan {
        self.steps = self.steps.wrapping_add(1);
        let one = 1.0 / chunks.max(1) as f64;
        let part = match self.best() {
            None if self.software => (0.5f64).min(one),
            None => 0.5,
            Some(best) if best < LEAST => {
                if self.is_measured() {
                    one
                } else {
                    0.0
                }
            }
            Some(best) if best > 1.0 - LEAST => {
                if self.is_measured() {
                    1.0 - one
                } else {
                    1.0
                }
            }
            Some(best) => best,
        };
        let plan = Plan { part, owed: self.owed };
        let all = chunks as f64 * part + self.owed;
        self.owed = all - all.floor();
        plan
    }

    /// The device's part that makes a step shortest; `None` where a side is not known.
    fn best(&self) -> Option<f64> {
        let (cpu, gpu) = (self.cpu?, self.gpu?);
        if cpu + gpu <= 0.0 {
            return None;
        }
        let left = self.left.unwrap_or(0.0);
        Some(match self.software {
            true if gpu + left < cpu => 1.0,
            false if left < cpu => cpu / (cpu + gpu),
            _ => 0.0,
        })
    }

    /// Whether this is a step in which a side that gets nothing is measured.
    fn is_measured(&mut self) -> bool {
        if self.steps < self.next {
            return false;
        }
        self.pause = if self.software { (2 * self.pause).min(MEASURED_SELDOM) } else { MEASURED_EVERY };
        self.next = self.steps.wrapping_add(self.pause);
        true
    }

    /// Takes in what a step took: on the CPU (all workers together, of `threads`), on the GPU, and of the GPU's work what was left for
    /// the CPU.
    pub fn learn(&mut self, cpu: Taken, gpu: Taken, left: Taken, threads: usize) {
        let threads = threads.max(1) as f64;
        smooth(&mut self.cpu, cpu, threads);
        smooth(&mut self.gpu, gpu, 1.0);
        smooth(&mut self.left, left, threads);
    }
}

fn smooth(known: &mut Option<f64>, taken: Taken, threads: f64) {
    if taken.leaves == 0 {
        return;
    }
    let new = taken.time.as_secs_f64() / (taken.leaves as f64 * threads);
    *known = Some(known.map_or(new, |old| old + FRESH * (new - old)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(leaves: u64, micros: u64) -> Taken {
        Taken { leaves, time: Duration::from_micros(micros) }
    }

    fn given(share: &mut Share, chunks: usize) -> usize {
        let plan = share.plan(chunks);
        (0..chunks).filter(|&chunk| plan.is_gpu(chunk)).count()
    }

    #[test]
    fn the_faster_side_gets_more_and_one_that_gains_nothing_a_chunk_now_and_then() {
        let mut share = Share::new(false);
        assert_eq!(given(&mut share, 1600), 800);
        // Two workers together took 600 µs for 100 leaf pairs: 3 µs each in parallel; the GPU 1 µs each, and little is left.
        share.learn(taken(100, 600), taken(200, 200), taken(200, 100), 2);
        assert_eq!(given(&mut share, 1600), 1200);
        // More is left than the CPU would take: the GPU gains nothing.
        let mut vain = share;
        (0..100).for_each(|_| vain.learn(Taken::default(), Taken::default(), taken(100, 700), 2));
        assert_eq!(given(&mut vain, 1600), 0);
        for _ in 0..100 {
            share.learn(taken(100, 100), taken(1, 1_000_000), taken(1, 0), 1);
        }
        let all: usize = (0..2 * MEASURED_EVERY).map(|_| given(&mut share, 1600)).sum();
        assert_eq!(all, 2);
    }

    #[test]
    fn a_world_of_one_chunk_is_divided_in_time() {
        let mut share = Share::new(false);
        let first: Vec<usize> = (0..6).map(|_| given(&mut share, 1)).collect();
        assert_eq!(first, [0, 1, 0, 1, 0, 1]);
        share.learn(taken(100, 100), taken(100, 300), taken(100, 10), 1);
        assert_eq!((0..400).map(|_| given(&mut share, 1)).sum::<usize>(), 100);
    }

    #[test]
    fn a_software_device_gets_nothing_unless_it_is_faster_and_is_measured_ever_more_seldom() {
        let mut share = Share::new(true);
        assert_eq!(given(&mut share, 1600), 1);
        // A tenth of the CPU's work would go to a GPU so slow; one that takes the CPU's cores would only delay it.
        share.learn(taken(100, 100), taken(100, 800), taken(100, 40), 1);
        let steps: Vec<u32> = (0..20_000).filter(|_| given(&mut share, 1600) > 0).collect();
        assert!(steps[0] < 64, "{steps:?}");
        let pauses: Vec<u32> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses, [128, 256, 512, 1024, 2048, 4096, 4096, 4096]);
        // Faster with all that is left: everything is its own.
        (0..100).for_each(|_| share.learn(taken(100, 2000), taken(100, 800), taken(100, 40), 1));
        assert_eq!((0..10).map(|_| given(&mut share, 1600)).sum::<usize>(), 16_000);
    }

    #[test]
    fn a_step_without_work_teaches_nothing() {
        let mut share = Share::new(false);
        share.learn(Taken::default(), taken(10, 10), Taken::default(), 1);
        assert_eq!(given(&mut share, 1600), 800);
        assert!((0..1600).all(|chunk| Plan::ALL.is_gpu(chunk)));
    }
}
