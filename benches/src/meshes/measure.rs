//! Asking in turn, and how long it took.

use std::time::Instant;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use super::poses::Placement;
use crate::mesh_peers::{MeshContender, Query};

/// A call shorter than this (µs) is repeated within one measurement, up to [`MOST_REPEATS`] times: the
/// clock itself takes some hundredths of a microsecond.
const SHORT_US: f64 = 4.0;
const MOST_REPEATS: usize = 8;
/// A call longer than this (µs) is not repeated, unless it is remembered: its first call also stands for the warm one.
const LONG_US: f64 = 10_000.0;
/// Who has taken longer than this (µs) in one query of a scene is asked no more.
const PATIENCE_US: f64 = 60e6;

/// From this on (µs) a time is the thread's own on the processor: the longer a call, the likelier
/// another process had a share of it. Asking for that clock costs too much beside shorter calls.
const FROM_CPU_US: f64 = 100.0;

/// A watch that leaves out what other processes took of longer times.
struct Watch {
    cpu: ThreadTime,
    wall: Instant,
}

impl Watch {
    fn start() -> Watch {
        Watch { cpu: ThreadTime::now(), wall: Instant::now() }
    }

    /// Since the start (µs); of what works on other threads everything that passed.
    fn micros(&self, on_others: bool) -> f64 {
        let wall = micros(self.wall);
        if on_others || wall < FROM_CPU_US { wall } else { self.cpu.elapsed().as_secs_f64() * 1e6 }
    }
}

/// What one contender took for one query in a scene.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Per pose, the best warm call (µs).
    pub best: Vec<f64>,
    /// Per pose, the best first call after the others had their turn (µs).
    pub first: Vec<f64>,
    /// Sum over all warm calls (µs), and their number.
    pub warm: (f64, usize),
    /// The answers.
    pub answers: Vec<f64>,
}

impl Times {
    /// Whether every pose was asked about: a slow contender is given up.
    pub fn complete(&self) -> bool {
        self.best.iter().all(|time| time.is_finite())
    }
}

/// Asks all contenders about all placements, pose by pose in turn, `rounds` times.
pub fn in_turn(
    contenders: &mut [Box<dyn MeshContender>],
    query: Query,
    placements: &[Placement],
    rounds: usize,
) -> Vec<Times> {
    let fresh = Times {
        best: vec![f64::INFINITY; placements.len()],
        first: vec![f64::INFINITY; placements.len()],
        answers: vec![f64::NAN; placements.len()],
        ..Times::default()
    };
    let mut times = vec![fresh; contenders.len()];
    let mut spent = vec![0.0; contenders.len()];
    for round in 0..rounds {
        for (p, [a, b]) in placements.iter().enumerate() {
            for turn in 0..contenders.len() {
                // Who goes first changes from pose to pose.
                let k = (turn + p + round) % contenders.len();
                if spent[k] > PATIENCE_US {
                    continue;
                }
                let (contender, times) = (&mut contenders[k], &mut times[k]);
                contender.ready(query);
                let watch = Watch::start();
                times.answers[p] = contender.ask(query, a, b);
                let first = watch.micros(contender.has_threads());
                let repeats = match first {
                    LONG_US.. if !contender.remembers() => 0,
                    _ => ((SHORT_US / first).ceil() as usize).clamp(1, MOST_REPEATS),
                };
                let watch = Watch::start();
                for _ in 0..repeats {
                    std::hint::black_box(contender.ask(query, a, b));
                }
                let again = watch.micros(contender.has_threads());
                let warm = if repeats == 0 { first } else { again / repeats as f64 };
                spent[k] += first + again;
                times.first[p] = times.first[p].min(first);
                times.best[p] = times.best[p].min(warm);
                times.warm.0 += warm;
                times.warm.1 += 1;
            }
        }
    }
    times
}

/// As [`in_turn`], with all placements of a round shared out to the threads of the current pool. The
/// best round's time over the number of poses stands for each of them.
pub fn in_parallel(
    contenders: &mut [Box<dyn MeshContender>],
    query: Query,
    placements: &[Placement],
    rounds: usize,
) -> Vec<Times> {
    let mut times = vec![Times::default(); contenders.len()];
    let mut best = vec![f64::INFINITY; contenders.len()];
    let mut first = best.clone();
    for round in 0..rounds.max(2) {
        for turn in 0..contenders.len() {
            let k = (turn + round) % contenders.len();
            contenders[k].ready(query);
            let forks: Vec<_> = placements.chunks(8).map(|chunk| (contenders[k].fork(), chunk)).collect();
            let start = Instant::now();
            let answers: Vec<Vec<f64>> = forks
                .into_par_iter()
                .map(|(mut fork, chunk)| chunk.iter().map(|[a, b]| fork.ask(query, a, b)).collect())
                .collect();
            let mean = micros(start) / placements.len() as f64;
            times[k].answers = answers.concat();
            times[k].warm = (times[k].warm.0 + mean, times[k].warm.1 + 1);
            best[k] = best[k].min(mean);
            if round == 0 {
                first[k] = mean;
            }
        }
    }
    for k in 0..contenders.len() {
        times[k].best = vec![best[k]; placements.len()];
        times[k].first = vec![first[k]; placements.len()];
    }
    times
}

/// Builds both meshes of every contender in turn; with more than one thread both at once.
pub fn builds(contenders: &mut [Box<dyn MeshContender>], threads: usize, rounds: usize) -> Vec<Times> {
    let mut times = vec![Times { best: vec![f64::INFINITY], ..Times::default() }; contenders.len()];
    for round in 0..rounds.max(3) {
        for turn in 0..contenders.len() {
            let k = (turn + round) % contenders.len();
            contenders[k].ready(Query::Build);
            let time = if threads > 1 {
                let forks = [contenders[k].fork(), contenders[k].fork()];
                let start = Instant::now();
                forks.into_par_iter().enumerate().for_each(|(side, contender)| contender.build(side));
                micros(start)
            } else {
                let watch = Watch::start();
                contenders[k].build(0);
                contenders[k].build(1);
                watch.micros(false)
            };
            times[k].best[0] = times[k].best[0].min(time);
            times[k].warm = (times[k].warm.0 + time, times[k].warm.1 + 1);
            if round == 0 {
                times[k].first = vec![time];
            }
        }
    }
    for (times, contender) in times.iter_mut().zip(contenders) {
        times.answers = vec![contender.memory() as f64];
    }
    times
}

fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}
