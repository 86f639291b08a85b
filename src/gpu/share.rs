//! How a step is divided between the GPU and the CPU, by what each has taken so far.
//!
//! With `c` the workers' time for all work of a leaf pair (s), `r` what of it is left for them after the device, and a device that takes
//! `f` for a part and `g` for each leaf pair, a step of which the device gets `x` of `n` leaf pairs takes the greater of what the
//! workers do, `(n − x)·c + x·r`, and what the device does in `p` parts, `p·f + x·g`, after which the last part is left to the workers. A
//! device that is software works on the same cores, and there it is the sum. The division is that of least time among whole chunks.
//! `f` and `g` are a line through the times of parts of different sizes. Times are measured in every step and smoothed; they choose
//! which side works, never what comes out with [`Parity::Bits`](crate::Parity::Bits).

use std::time::Duration;

use impinge_midphase::CandidateBatch;

use super::parts::parts;

/// Weight of the last step in the smoothed times.
const FRESH: f64 = 0.25;

/// A side that gets nothing has one chunk in one step of so many, so that it goes on being measured.
const MEASURED_EVERY: u32 = 64;

/// A software device that goes on gaining nothing is measured twice as seldom each time, down to one step of so many.
const MEASURED_SELDOM: u32 = 4096;

/// Times of parts of one size say nothing of what a part costs beside its leaf pairs: sizes have to vary by this much of their mean.
const VARIED: f64 = 0.1;

/// Which chunks of a step are the GPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// So many …
    gpu: usize,
    /// … of these.
    of: usize,
}

/// What one side took in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// A line through the times of parts: least squares, in which older ones fade.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Sums of weights, leaves, their squares, times, and times by leaves.
    weight: f64,
    n: f64,
    nn: f64,
    t: f64,
    nt: f64,
}

impl Line {
    fn fade(&mut self) {
        for sum in [&mut self.weight, &mut self.n, &mut self.nn, &mut self.t, &mut self.nt] {
            *sum *= 1.0 - FRESH;
        }
    }

    fn add(&mut self, taken: Taken) {
        let (n, t) = (taken.leaves as f64, taken.time.as_secs_f64());
        self.weight += 1.0;
        self.n += n;
        self.nn += n * n;
        self.t += t;
        self.nt += n * t;
    }

    /// What a part takes, and what each of its leaf pairs does (s); `None` where nothing is known.
    fn fitted(&self) -> Option<[f64; 2]> {
        if self.n <= 0.0 {
            return None;
        }
        let through_zero = [0.0, self.t / self.n];
        let (mean, all) = (self.n / self.weight, self.weight);
        let spread = self.nn / all - mean * mean;
        if spread < VARIED * VARIED * mean * mean {
            return Some(through_zero);
        }
        let each = (self.nt / all - mean * self.t / all) / spread;
        let fixed = self.t / all - each * mean;
        // Noise may tilt the line until it means nothing.
        Some(match (fixed >= 0.0, each >= 0.0) {
            (true, true) => [fixed, each],
            (true, false) => [self.t / all, 0.0],
            (false, _) => through_zero,
        })
    }
}

/// The cost model of a world on [`Backend::Hybrid`](crate::Backend::Hybrid).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// Seconds of all workers for a leaf pair, once measured: without the GPU, and after it.
    cpu: Option<f64>,
    left: Option<f64>,
    gpu: Line,
    /// Leaf pairs of a pair.
    leaves: Option<f64>,
    steps: u32,
    /// Whether the device works on the CPU's cores, and steps from one time that it is measured in vain to the next.
    software: bool,
    pause: u32,
    next: u32,
}

impl Plan {
    /// Everything is the GPU's.
    pub const ALL: Plan = Plan { gpu: 1, of: 1 };

    /// Whether a chunk is the GPU's; its chunks are spread evenly.
    pub fn is_gpu(self, chunk: usize) -> bool {
        self.before(chunk + 1) > self.before(chunk)
    }

    /// How many of the first chunks are the GPU's.
    fn before(self, chunks: usize) -> usize {
        chunks * self.gpu / self.of.max(1)
    }
}

impl Share {
    /// The model of a device, which may be software.
    pub fn new(software: bool) -> Share {
        Share { software, pause: MEASURED_EVERY, next: MEASURED_EVERY, ..Share::default() }
    }

    /// The division of the next step, of so many chunks of `chunk` pairs. Until both sides have been measured it is half and half; a
    /// device that is software has one chunk, and the only one in turn.
    pub fn plan(&mut self, chunks: usize, chunk: usize) -> Plan {
        self.steps = self.steps.wrapping_add(1);
        let one = 1.min(chunks);
        let gpu = match self.best(chunks, chunk) {
            None if self.software && chunks > 1 => one,
            // Of one chunk each side has one in turn.
            None => (chunks + (self.steps % 2) as usize) / 2,
            Some(0) if self.is_measured() => one,
            Some(all) if all == chunks && self.is_measured() => chunks - one,
            Some(best) => best,
        };
        Plan { gpu, of: chunks }
    }

    /// How many chunks of the device's make a step shortest; `None` where a side is not known.
    fn best(&self, chunks: usize, chunk: usize) -> Option<usize> {
        let (cpu, gpu, leaves) = (self.cpu?, self.gpu.fitted()?, self.leaves? * chunk as f64);
        let left = self.left.unwrap_or(0.0);
        let time = |own: usize| {
            let [mut count, mut last] = [0, 0];
            parts(own, chunk).for_each(|part| [count, last] = [count + 1, part]);
            let workers = leaves * ((chunks - own) as f64 * cpu + own as f64 * left);
            let device = count as f64 * gpu[0] + own as f64 * leaves * gpu[1];
            if self.software { workers + device } else { workers.max(device + last as f64 * leaves * left) }
        };
        // The more seldom a device is asked, the less is risked where times are the same.
        (0..=chunks).min_by(|&a, &b| time(a).total_cmp(&time(b)))
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

    /// Takes in what a step of so many pairs took: on the CPU (all workers together, of `threads`), on the GPU in each of its parts, and
    /// of the GPU's work what was left for the CPU.
    pub fn learn(&mut self, pairs: usize, cpu: Taken, gpu: &[Taken], left: Taken, threads: usize) {
        let threads = threads.max(1) as f64;
        smooth(&mut self.cpu, cpu, threads);
        smooth(&mut self.left, left, threads);
        if !gpu.is_empty() {
            self.gpu.fade();
            gpu.iter().filter(|part| part.leaves > 0).for_each(|part| self.gpu.add(*part));
        }
        let all = cpu.leaves + gpu.iter().map(|part| part.leaves).sum::<u64>();
        if pairs > 0 && all > 0 {
            blend(&mut self.leaves, all as f64 / pairs as f64);
        }
    }
}

fn smooth(known: &mut Option<f64>, taken: Taken, threads: f64) {
    if taken.leaves > 0 {
        blend(known, taken.time.as_secs_f64() / (taken.leaves as f64 * threads));
    }
}

fn blend(known: &mut Option<f64>, new: f64) {
    *known = Some(known.map_or(new, |old| old + FRESH * (new - old)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of a chunk.
    const CHUNK: usize = 8;

    fn taken(leaves: u64, micros: u64) -> Taken {
        Taken { leaves, time: Duration::from_micros(micros) }
    }

    fn given(share: &mut Share, chunks: usize) -> usize {
        let plan = share.plan(chunks, CHUNK);
        (0..chunks).filter(|&chunk| plan.is_gpu(chunk)).count()
    }

    /// Takes in a step of 1,600 chunks of 80 leaf pairs each, in which 64,000 took each side so long (µs).
    fn learn(share: &mut Share, cpu: u64, gpu: u64, left: u64, threads: usize) {
        let half = |micros| taken(64_000, micros);
        share.learn(1600 * CHUNK, half(cpu), &[half(gpu)], half(left), threads);
    }

    #[test]
    fn both_sides_end_together_and_one_that_gains_nothing_gets_a_chunk_now_and_then() {
        let mut share = Share::new(false);
        assert_eq!(given(&mut share, 1600), 800);
        // Two workers take 3 µs for a leaf pair and leave 1 µs of one that the device has had for 2: (1 − x)·3 + x·1 = x·2 at x = 3/4,
        // less what is left of the last part when the device has ended.
        learn(&mut share, 2 * 192_000, 128_000, 2 * 64_000, 2);
        let best = given(&mut share, 1600);
        assert!((1170..=1200).contains(&best), "{best}");
        // More is left than the CPU would take: the GPU gains nothing.
        let mut vain = share;
        (0..100).for_each(|_| learn(&mut vain, 2 * 192_000, 128_000, 2 * 256_000, 2));
        let all: usize = (0..2 * MEASURED_EVERY).map(|_| given(&mut vain, 1600)).sum();
        assert_eq!(all, 2);
        // A device that takes as good as nothing has all but a chunk now and then.
        (0..100).for_each(|_| learn(&mut share, 640_000, 1, 1, 1));
        let all: usize = (0..2 * MEASURED_EVERY).map(|_| given(&mut share, 1600)).sum();
        assert_eq!(all, 2 * MEASURED_EVERY as usize * 1600 - 2);
    }

    #[test]
    fn what_a_part_costs_is_told_from_what_its_leaves_cost() {
        let mut line = Line::default();
        assert_eq!(line.fitted(), None);
        // Alike in size: a line through zero.
        (0..3).for_each(|_| line.add(taken(100, 500)));
        assert_eq!(line.fitted(), Some([0.0, 5e-6]));
        line.add(taken(1100, 2500));
        let [fixed, each] = line.fitted().unwrap();
        assert!((fixed - 300e-6).abs() < 1e-9 && (each - 2e-6).abs() < 1e-12, "{fixed} {each}");
        // What was is forgotten by and by.
        for _ in 0..100 {
            line.fade();
            [taken(100, 110), taken(1000, 1010)].into_iter().for_each(|part| line.add(part));
        }
        let [fixed, each] = line.fitted().unwrap();
        assert!((fixed - 10e-6).abs() < 1e-9 && (each - 1e-6).abs() < 1e-12, "{fixed} {each}");
    }

    #[test]
    fn a_submission_has_to_be_worth_it() {
        // 100 µs for a part, and nothing for a leaf pair; 10 leaf pairs to a pair, each 1 µs of a worker's.
        let learned = |share: &mut Share| {
            share.learn(136, taken(640, 640), &[taken(80, 100), taken(640, 100)], taken(640, 0), 1);
        };
        let mut share = Share::new(false);
        learned(&mut share);
        // Eight pairs, one by one, take a worker 80 µs.
        let plan = |share: &mut Share, pairs: usize| {
            let plan = share.plan(pairs, 1);
            (0..pairs).filter(|&chunk| plan.is_gpu(chunk)).count()
        };
        assert_eq!(plan(&mut share, 8), 0);
        // Twenty take 200: ten are worked on meanwhile.
        assert!((10..=11).contains(&plan(&mut share, 20)));
    }

    #[test]
    fn a_world_of_one_chunk_goes_to_the_faster_side() {
        let mut share = Share::new(false);
        let first: Vec<usize> = (0..4).map(|_| given(&mut share, 1)).collect();
        assert_eq!(first, [1, 0, 1, 0]);
        share.learn(8, taken(100, 100), &[taken(100, 300)], taken(100, 10), 1);
        assert_eq!((0..128).map(|_| given(&mut share, 1)).sum::<usize>(), 2);
        (0..100).for_each(|_| share.learn(8, taken(100, 100), &[taken(100, 30)], taken(100, 10), 1));
        assert_eq!((0..128).map(|_| given(&mut share, 1)).sum::<usize>(), 126);
    }

    #[test]
    fn a_software_device_and_workers_have_the_only_chunk_in_turn_until_both_were_measured() {
        let mut share = Share::new(true);
        let turns: Vec<usize> = (0..6).map(|_| given(&mut share, 1)).collect();
        assert!(turns == [0, 1, 0, 1, 0, 1] || turns == [1, 0, 1, 0, 1, 0], "{turns:?}");
        share.learn(1, taken(100, 100), &[], Taken::default(), 1);
        share.learn(1, Taken::default(), &[taken(100, 10_000)], taken(100, 10), 1);
        let asked: Vec<u32> = (0..1000).filter(|_| given(&mut share, 1) > 0).collect();
        assert!(asked.len() < 6 && asked[0] > 32, "{asked:?}");
    }

    #[test]
    fn a_software_device_gets_nothing_unless_it_is_faster_and_is_measured_ever_more_seldom() {
        let mut share = Share::new(true);
        assert_eq!(given(&mut share, 1600), 1);
        // A tenth of the CPU's work would go to a GPU so slow; one that takes the CPU's cores would only delay it.
        learn(&mut share, 64_000, 512_000, 25_600, 1);
        let steps: Vec<u32> = (0..20_000).filter(|_| given(&mut share, 1600) > 0).collect();
        assert!(steps[0] < 64, "{steps:?}");
        let pauses: Vec<u32> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses, [128, 256, 512, 1024, 2048, 4096, 4096, 4096]);
        // Faster with all that is left: everything is its own.
        (0..100).for_each(|_| learn(&mut share, 1_280_000, 512_000, 25_600, 1));
        assert_eq!((0..10).map(|_| given(&mut share, 1600)).sum::<usize>(), 16_000);
    }

    #[test]
    fn a_step_without_work_teaches_nothing() {
        let mut share = Share::new(false);
        share.learn(0, Taken::default(), &[taken(10, 10)], Taken::default(), 1);
        assert_eq!(given(&mut share, 1600), 800);
        assert!((0..1600).all(|chunk| Plan::ALL.is_gpu(chunk)));
    }
}
