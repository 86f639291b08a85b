//! How a step is divided between the GPU and the CPU, by what each has taken so far.
//!
//! With `c` the CPU's time for all work of a leaf pair (s, over all workers), `g` the device's time for
//! its share of it and `x` the part of the work that the device gets, the device is busy for `x·g` while
//! the CPU is for `(1 − x)·c`: neither waits at `x = c / (c + g)`. Times are measured in every step and
//! smoothed; they choose who works, never what comes out.

use std::time::Duration;

/// Weight of the last step in the smoothed times.
const FRESH: f64 = 0.25;

/// Neither side is left without work, so that both go on being measured.
const LEAST: f64 = 1.0 / 16.0;

/// Which chunks of a step are the GPU's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The part of the chunks that the GPU gets.
    part: f64,
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
    /// Seconds for a leaf pair, once measured.
    cpu: Option<f64>,
    gpu: Option<f64>,
}

impl Plan {
    /// Everything is the GPU's.
    pub const ALL: Plan = Plan { part: 1.0 };

    /// Whether a chunk is the GPU's: its part of them, evenly spread.
    pub fn is_gpu(self, chunk: usize) -> bool {
        let before = |k: usize| (k as f64 * self.part).floor();
        before(chunk + 1) > before(chunk)
    }
}

impl Share {
    /// The division of the next step: half and half until both sides have been measured.
    pub fn plan(&self) -> Plan {
        let part = match (self.cpu, self.gpu) {
            (Some(cpu), Some(gpu)) if cpu + gpu > 0.0 => cpu / (cpu + gpu),
            _ => 0.5,
        };
        Plan { part: part.clamp(LEAST, 1.0 - LEAST) }
    }

    /// Takes in what a step took: on the CPU (all workers together, of `threads`) and on the GPU.
    pub fn learn(&mut self, cpu: Taken, gpu: Taken, threads: usize) {
        smooth(&mut self.cpu, cpu, threads.max(1) as f64);
        smooth(&mut self.gpu, gpu, 1.0);
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

    fn of_1600(plan: Plan) -> usize {
        (0..1600).filter(|&chunk| plan.is_gpu(chunk)).count()
    }

    #[test]
    fn the_faster_side_gets_more_and_neither_gets_nothing() {
        let mut share = Share::default();
        assert_eq!(of_1600(share.plan()), 800);
        // Two workers together took 600 µs for 100 leaf pairs: 3 µs each in parallel; the GPU 1 µs each.
        share.learn(taken(100, 600), taken(200, 200), 2);
        assert_eq!(of_1600(share.plan()), 1200);
        for _ in 0..100 {
            share.learn(taken(100, 100), taken(1, 1_000_000), 1);
        }
        assert_eq!(of_1600(share.plan()), 100);
        assert_eq!(of_1600(Plan::ALL), 1600);
    }

    #[test]
    fn a_step_without_work_teaches_nothing() {
        let mut share = Share::default();
        share.learn(Taken::default(), taken(10, 10), 1);
        assert_eq!(of_1600(share.plan()), 800);
    }
}
