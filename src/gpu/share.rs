//! How a step is divided between the GPU and the CPU, by what each has taken so far.
//!
//! With `c` the CPU's time for all work of a leaf pair (s, over all workers), `g` the device's time for its share of it, `r` what
//! is then left for the CPU, and `x` the part of the work that the device gets, a step takes max(x·g, (1 − x)·c) + x·r: least at
//! `x = c / (c + g)`, where neither waits, if `r` is less than `c`, and else where the device gets nothing. Times are measured in
//! every step and smoothed; they choose which side works, never what comes out with [`Parity::Bits`](crate::Parity::Bits).

use std::time::Duration;

/// Weight of the last step in the smoothed times.
const FRESH: f64 = 0.25;

/// A side whose part would be less gets one chunk now and then instead, so that it goes on being measured.
const LEAST: f64 = 1.0 / 16.0;

/// … in one step of so many.
const MEASURED_EVERY: u32 = 64;

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
    /// Leaf pairs.
    pub leaf_pairs: u64,
    pub time: Duration,
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
    /// The division of the next step, of so many chunks: half and half until both sides have been measured. What is less than a chunk is
    /// owed to the next steps, so that worlds of a few pairs are divided in time.
    pub fn plan(&mut self, chunks: usize) -> Plan {
        self.steps = self.steps.wrapping_add(1);
        let measured = self.steps.is_multiple_of(MEASURED_EVERY);
        let one = 1.0 / chunks.max(1) as f64;
        let part = match (self.cpu, self.gpu) {
            (Some(cpu), Some(gpu)) if cpu + gpu > 0.0 => {
                let gains = self.left.is_none_or(|left| left < cpu);
                let best = if gains { cpu / (cpu + gpu) } else { 0.0 };
                match best {
                    _ if best < LEAST => {
                        if measured {
                            one
                        } else {
                            0.0
                        }
                    }
                    _ if best > 1.0 - LEAST => {
                        if measured {
                            1.0 - one
                        } else {
                            1.0
                        }
                    }
                    _ => best,
                }
            }
            _ => 0.5,
        };
        let plan = Plan { part, owed: self.owed };
        let all = chunks as f64 * part + self.owed;
        self.owed = all - all.floor();
        plan
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
    if taken.leaf_pairs == 0 {
        return;
    }
    let new = taken.time.as_secs_f64() / (taken.leaf_pairs as f64 * threads);
    *known = Some(known.map_or(new, |old| old + FRESH * (new - old)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(leaf_pairs: u64, micros: u64) -> Taken {
        Taken { leaf_pairs, time: Duration::from_micros(micros) }
    }

    fn given(share: &mut Share, chunks: usize) -> usize {
        let plan = share.plan(chunks);
        (0..chunks).filter(|&chunk| plan.is_gpu(chunk)).count()
    }

    #[test]
    fn the_faster_side_gets_more_and_one_that_gains_nothing_a_chunk_now_and_then() {
        let mut share = Share::default();
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
        let mut share = Share::default();
        let first: Vec<usize> = (0..6).map(|_| given(&mut share, 1)).collect();
        assert_eq!(first, [0, 1, 0, 1, 0, 1]);
        share.learn(taken(100, 100), taken(100, 300), taken(100, 10), 1);
        assert_eq!((0..400).map(|_| given(&mut share, 1)).sum::<usize>(), 100);
    }

    #[test]
    fn a_step_without_work_teaches_nothing() {
        let mut share = Share::default();
        share.learn(Taken::default(), taken(10, 10), Taken::default(), 1);
        assert_eq!(given(&mut share, 1600), 800);
        assert!((0..1600).all(|chunk| Plan::ALL.is_gpu(chunk)));
    }
}
