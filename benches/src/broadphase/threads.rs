//! One thread and more: times of the same steps, and what was found.

use std::time::Instant;

use impinge_broadphase::{BroadPhase, BroadPhaseSettings};
use impinge_geometry::SimdLevel;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use super::{Choice, chosen};
use crate::boxes::Boxes;
use crate::row::{self, Origin};

/// The numbers of threads; the first two are compared.
const THREADS: [usize; 4] = [1, 2, 3, 8];
/// Rounds of which the best counts.
const ROUNDS: usize = 5;
/// Scenes where none is named.
const SCENES: &str = "b1-100k,b2-100k";

/// A structure and its threads.
#[derive(Clone, Debug, Serialize)]
pub struct ThreadRow {
    pub suite: &'static str,
    pub scene: String,
    pub simd: String,
    pub threads: usize,
    /// Mean time of a step in the best of the rounds, by the clock.
    pub best_us: f64,
    /// Of all that began and ended.
    pub hash: String,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

struct Runner {
    simd: SimdLevel,
    pool: ThreadPool,
    broad_phase: BroadPhase,
    /// All slots of what began and ended.
    found: Vec<u32>,
    best_us: f64,
}

impl Runner {
    fn new(simd: SimdLevel, threads: usize, boxes: &Boxes) -> anyhow::Result<Runner> {
        let mut settings = BroadPhaseSettings::default();
        settings.simd = simd;
        let mut broad_phase = BroadPhase::new(settings);
        let all = (0u32..).zip(&boxes.boxes).zip(&boxes.filters).map(|((i, b), f)| (i, *b, *f));
        broad_phase.insert(&all.collect::<Vec<_>>())?;
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .start_handler(move |worker| pin(worker, threads))
            .build()?;
        pool.install(|| broad_phase.update());
        Ok(Runner { simd, pool, broad_phase, found: Vec::new(), best_us: f64::INFINITY })
    }

    /// The time of one step (µs).
    fn step(&mut self, boxes: &Boxes) -> anyhow::Result<f64> {
        let start = Instant::now();
        self.pool.install(|| self.broad_phase.set_aabbs(&boxes.moved).map(|()| self.broad_phase.update()))?;
        let time = start.elapsed().as_secs_f64() * 1e6;
        let pairs = self.broad_phase.begun().iter().chain(self.broad_phase.ended());
        self.found.extend(pairs.flat_map(|pair| [pair.a, pair.b]));
        Ok(time)
    }
}

/// Gives a worker a core of its own, where there are enough and the system lets it be said. Of two workers a virtual machine may else keep
/// both on one core while another idles: its scheduler takes a core that sleeps for one that is lent to others.
fn pin(worker: usize, of: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Ok(allowed) = sched_getaffinity(None) else { return };
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
        if of <= cores.len() {
            let mut own = CpuSet::new();
            own.set(cores[worker]);
            // Where it is refused the worker goes where it is put.
            let _ = sched_setaffinity(None, &own);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (worker, of);
}

/// Runs the chosen scenes with each number of threads and each kind of instructions.
pub fn run(choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<Vec<ThreadRow>> {
    let mut rows = Vec::new();
    for scene in chosen(Some(choice.scene.unwrap_or(SCENES)))? {
        let mut boxes = Boxes::new(scene);
        let kinds = THREADS.map(|threads| (SimdLevel::detect(), threads));
        let kinds = kinds.into_iter().chain([(SimdLevel::Sse2, 1), (SimdLevel::Scalar, 1)]);
        let runners = kinds.map(|(simd, threads)| Runner::new(simd, threads, &boxes));
        let mut runners: Vec<Runner> = runners.collect::<anyhow::Result<_>>()?;
        for _ in 0..choice.warm_up {
            boxes.step();
            for runner in &mut runners {
                runner.step(&boxes)?;
            }
        }
        let steps = choice.steps_of(scene);
        for _ in 0..ROUNDS {
            let mut times = vec![0.0; runners.len()];
            for step in 0..steps {
                boxes.step();
                for turn in 0..runners.len() {
                    // Who goes first changes from step to step.
                    let k = (turn + step) % runners.len();
                    times[k] += runners[k].step(&boxes)? / steps as f64;
                }
            }
            for (runner, time) in runners.iter_mut().zip(times) {
                runner.best_us = runner.best_us.min(time);
            }
        }
        rows.extend(runners.iter().map(|runner| ThreadRow {
            suite: "threads",
            scene: scene.name.to_string(),
            simd: format!("{:?}", runner.simd),
            threads: runner.pool.current_num_threads(),
            best_us: runner.best_us,
            hash: row::hash(runner.found.iter().copied()),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }));
    }
    Ok(rows)
}

/// A line for each row, and for each scene what two threads are worth and whether all found the same.
pub fn table(rows: &[ThreadRow]) -> String {
    let mut table = String::new();
    for scene in rows.chunk_by(|x, y| x.scene == y.scene) {
        for row in scene {
            let ThreadRow { scene, simd, threads, best_us, hash, .. } = row;
            table += &format!("{scene:14} {simd:7} {threads} thread(s)  best {best_us:10.1} us  {hash}\n");
        }
        let same = scene.iter().all(|row| row.hash == scene[0].hash);
        let [one, two] = [0, 1].map(|k| scene[k].best_us);
        let verdict = if same { "all found the same" } else { "THE HASHES DIFFER" };
        table +=
            &format!("{:14} two threads {:.2} times as fast as one; {verdict}\n", scene[0].scene, one / two);
    }
    table
}
