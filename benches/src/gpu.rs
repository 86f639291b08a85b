//! The GPU suite: worlds of touching pairs on the CPU, on a GPU, and on both, step by step in turn.

use std::time::Instant;

use anyhow::{Context, bail, ensure};
use impinge::gpu_narrow::{AdapterChoice, choose};
use impinge::prelude::*;
use impinge::{ColliderId, StepCounts, StepTimes};
use impinge_scenes::mesh::Torus;
use serde::Serialize;

use crate::row::{self, Origin};

/// Scenes: pairs of neighbours.
const SCENES: [(&str, usize); 3] = [("pairs-100", 100), ("pairs-1000", 1000), ("pairs-10000", 10_000)];

/// Who takes part, on which backend, and what its contacts have in common with the CPU's.
const WHO: [(&str, Backend, Parity); 4] = [
    ("impinge-cpu", Backend::Cpu, Parity::Bits),
    ("impinge-gpu", Backend::Gpu, Parity::Bits),
    ("impinge-hybrid", Backend::Hybrid, Parity::Bits),
    ("impinge-meaning", Backend::Gpu, Parity::Meaning),
];

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub threads: usize,
    pub steps: usize,
    pub warm_up: usize,
}

/// Who is asked for the common volumes of the same pairs.
const COMMON: [(&str, Backend); 2] = [("common-cpu", Backend::Cpu), ("common-gpu", Backend::Gpu)];

/// One contender in one scene; bytes and submissions are those of the last step.
#[derive(Clone, Debug, Serialize)]
pub struct GpuRow {
    pub suite: &'static str,
    pub scene: &'static str,
    pub query: &'static str,
    pub who: &'static str,
    pub threads: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
    /// Mean time of the passes by the device's clock.
    pub gpu_us: f64,
    /// Of these, the triangle tests.
    pub gpu_stream_us: f64,
    /// Views laid on the device, and their triangles in whole numbers.
    pub gpu_view_us: f64,
    /// The layers of views.
    pub gpu_layers_us: f64,
    /// The columns of views.
    pub gpu_columns_us: f64,
    /// Mean time that the step waited for the device.
    pub wait_us: f64,
    /// Mean time of the workers for a touching pair, midphase to contacts, by their own clocks.
    pub host_us_per_pair: f64,
    /// Part of the touching pairs that needed no view on the CPU.
    pub device_share: f64,
    /// Jobs whose triangles were tested on the device.
    pub gpu_jobs: u64,
    pub bytes_up: u64,
    pub bytes_back: u64,
    pub submissions: u64,
    /// Touching pairs.
    pub work: usize,
    /// Of normals and depths of the manifolds of the last step.
    pub hash: String,
    /// The device; empty on the CPU.
    pub adapter: String,
    /// Whether the CPU emulates it: then only the answers count.
    pub software: bool,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// Rings in rows, each touching the next.
struct Rows {
    who: &'static str,
    world: World,
    ids: Vec<ColliderId>,
    times: Vec<f64>,
    sum: StepTimes,
    /// Touching pairs of all measured steps, those asked of the device, and those that it made the contacts of.
    touching: u64,
    asked: u64,
    made: u64,
    last: StepCounts,
    parity: Parity,
}

/// Bodies of a row. A row of n bodies has n − 1 pairs.
const LONGEST: usize = 501;

/// Where body `k` stands in a step.
fn pose(k: usize, step: usize) -> Isometry3<f64> {
    let (row, place) = (k / LONGEST, k % LONGEST);
    let turn = UnitQuaternion::from_euler_angles(0.1 * k as f64, 0.01 * step as f64, 0.0);
    Isometry3::from_parts(Translation3::new(0.76 * place as f64, 2.0 * row as f64, 0.0), turn)
}

impl Rows {
    fn new(who: &'static str, parity: Parity, mut world: World, pairs: usize) -> anyhow::Result<Rows> {
        let torus = world.add_shape(Torus::default().mesh()?)?;
        let bodies = pairs + pairs.div_ceil(LONGEST - 1);
        let ids = (0..bodies).map(|_| world.add_collider(Collider::new(torus))).collect::<Result<_, _>>()?;
        let (times, sum, last) = (Vec::new(), StepTimes::default(), StepCounts::default());
        Ok(Rows { who, world, ids, times, sum, touching: 0, asked: 0, made: 0, last, parity })
    }

    fn step(&mut self, step: usize, measured: bool) -> anyhow::Result<()> {
        for (k, &id) in self.ids.iter().enumerate() {
            self.world.set_pose(id, pose(k, step))?;
        }
        let started = Instant::now();
        let report = self.world.step();
        let time = started.elapsed().as_secs_f64() * 1e6;
        ensure!(report.counts.gpu_redone == 0, "{}: {:?}", self.who, self.world.gpu_fault());
        if measured {
            self.times.push(time);
            let (sum, times) = (&mut self.sum, &report.times);
            sum.gpu += times.gpu;
            sum.gpu_stream += times.gpu_stream;
            sum.gpu_view += times.gpu_view;
            sum.gpu_layers += times.gpu_layers;
            sum.gpu_columns += times.gpu_columns;
            sum.gpu_wait += times.gpu_wait;
            sum.midphase += times.midphase;
            sum.narrow += times.narrow;
            sum.contacts += times.contacts;
            self.touching += report.counts.touching;
            self.asked += report.counts.gpu_touching;
            self.made += report.counts.gpu_manifolds;
        }
        self.last = report.counts;
        Ok(())
    }

    fn hash(&self) -> String {
        let numbers =
            self.world.manifolds().iter().flat_map(|m| [m.normal.x, m.normal.y, m.normal.z, m.depth]);
        row::hash(numbers.flat_map(|x| [(x.to_bits() >> 32) as u32, x.to_bits() as u32]))
    }
}

/// Runs the chosen scenes and hands each row to `out`.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&GpuRow),
) -> anyhow::Result<Vec<GpuRow>> {
    let scenes: Vec<_> = SCENES.iter().filter(|(name, _)| choice.scene.is_none_or(|s| s == *name)).collect();
    if scenes.is_empty() {
        bail!("no such scene; there are {}", SCENES.map(|(name, _)| name).join(", "));
    }
    let mut rows = Vec::new();
    for &&(scene, pairs) in &scenes {
        let mut own = run_scene(scene, pairs, choice, origin)?;
        own.extend(run_common(scene, pairs, choice, origin)?);
        for row in own {
            out(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn run_scene(
    scene: &'static str,
    pairs: usize,
    choice: &Choice<'_>,
    origin: &Origin,
) -> anyhow::Result<Vec<GpuRow>> {
    // Any adapter: rows say what it is. Software is taken by its name, as it has to be.
    let adapter = choose(&AdapterChoice::Any).context("the suite needs an adapter")?;
    let mut contenders = Vec::new();
    for (who, backend, parity) in WHO {
        if choice.who.is_empty() || choice.who.iter().any(|w| w == who) {
            let builder = World::builder().backend(backend).adapter(&adapter.name).threads(choice.threads);
            contenders.push(Rows::new(who, parity, builder.parity(parity).build()?, pairs)?);
        }
    }
    for step in 0..choice.warm_up + choice.steps {
        let count = contenders.len();
        for turn in 0..count {
            // Who goes first changes from step to step.
            contenders[(turn + step) % count.max(1)].step(step, step >= choice.warm_up)?;
        }
    }
    let hashes: Vec<String> = contenders.iter().map(Rows::hash).collect();
    let same_bits = contenders.iter().zip(&hashes).filter(|(own, _)| own.parity == Parity::Bits);
    let same_bits: Vec<&String> = same_bits.map(|(_, hash)| hash).collect();
    ensure!(
        same_bits.windows(2).all(|pair| pair[0] == pair[1]),
        "{scene}: the contenders differ: {hashes:?}"
    );
    ensure!(
        contenders.windows(2).all(|pair| pair[0].last.touching == pair[1].last.touching),
        "{scene}: the contenders say that other pairs touch"
    );
    let row = |(contender, hash): (&Rows, String)| {
        let [mean_us, median_us, p99_us, max_us] = row::summary(&contender.times);
        let mean = |time: std::time::Duration| time.as_secs_f64() * 1e6 / contender.times.len() as f64;
        let counts = &contender.last;
        let used = contender.world.adapter();
        GpuRow {
            suite: "gpu",
            scene,
            query: "step",
            who: contender.who,
            threads: contender.world.threads(),
            mean_us,
            median_us,
            p99_us,
            max_us,
            gpu_us: mean(contender.sum.gpu),
            gpu_stream_us: mean(contender.sum.gpu_stream),
            gpu_view_us: mean(contender.sum.gpu_view),
            gpu_layers_us: mean(contender.sum.gpu_layers),
            gpu_columns_us: mean(contender.sum.gpu_columns),
            wait_us: mean(contender.sum.gpu_wait),
            host_us_per_pair: {
                let StepTimes { midphase, narrow, contacts, .. } = contender.sum;
                (midphase + narrow + contacts).as_secs_f64() * 1e6 / contender.touching.max(1) as f64
            },
            device_share: contender.made as f64 / contender.asked.max(1) as f64,
            gpu_jobs: counts.gpu_jobs,
            bytes_up: counts.gpu_bytes_up,
            bytes_back: counts.gpu_bytes_back,
            submissions: counts.gpu_submissions,
            work: counts.touching as usize,
            hash,
            software: used.is_some() && adapter.is_software(),
            adapter: used.unwrap_or_default(),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    Ok(contenders.iter().zip(hashes).map(row).collect())
}

/// The common volumes of the same pairs, step by step in turn.
fn run_common(
    scene: &'static str,
    pairs: usize,
    choice: &Choice<'_>,
    origin: &Origin,
) -> anyhow::Result<Vec<GpuRow>> {
    let adapter = choose(&AdapterChoice::Any).context("the suite needs an adapter")?;
    let torus = Shape::from(Torus::default().mesh()?);
    let query = PairQuery::new(&torus, &torus, QuerySettings::default())?;
    let mut pools = Vec::new();
    for (who, backend) in COMMON {
        if choice.who.is_empty() || choice.who.iter().any(|w| w == who) {
            let builder = World::builder().backend(backend).adapter(&adapter.name).threads(choice.threads);
            pools.push((who, builder.query_pool()?, Vec::new(), 0.0));
        }
    }
    let firsts: Vec<usize> = (0..).filter(|k| k % LONGEST != LONGEST - 1).take(pairs).collect();
    for step in 0..choice.warm_up + choice.steps {
        let poses: Vec<_> = firsts.iter().map(|&k| [pose(k, step), pose(k + 1, step)]).collect();
        for (_, pool, times, volume) in &mut pools {
            let started = Instant::now();
            let found = pool.intersection_volumes(&query, &poses);
            let time = started.elapsed().as_secs_f64() * 1e6;
            *volume = found.iter().flatten().flatten().map(|common| common.volume).sum();
            if step >= choice.warm_up {
                times.push(time);
            }
        }
        let volumes: Vec<f64> = pools.iter().map(|pool| pool.3).collect();
        let same = volumes.windows(2).all(|v| (v[0] / v[1] - 1.0).abs() < 0.01);
        ensure!(same, "{scene}: the contenders differ: {volumes:?}");
    }
    let row = |(who, pool, times, volume): &(&'static str, impinge::query::QueryPool, Vec<f64>, f64)| {
        let [mean_us, median_us, p99_us, max_us] = row::summary(times);
        let (counts, spent) = (pool.counts(), pool.times());
        let us = |time: std::time::Duration| time.as_secs_f64() * 1e6;
        let used = pool.adapter();
        GpuRow {
            suite: "gpu",
            scene,
            query: "common",
            who,
            threads: choice.threads,
            mean_us,
            median_us,
            p99_us,
            max_us,
            gpu_us: us(spent.gpu),
            gpu_stream_us: us(spent.gpu_stream),
            gpu_view_us: us(spent.gpu_view),
            gpu_layers_us: us(spent.gpu_layers),
            gpu_columns_us: us(spent.gpu_columns),
            wait_us: us(spent.gpu_wait),
            host_us_per_pair: 0.0,
            device_share: 0.0,
            gpu_jobs: counts.gpu_jobs,
            bytes_up: counts.gpu_bytes_up,
            bytes_back: counts.gpu_bytes_back,
            submissions: counts.gpu_submissions,
            work: counts.gpu_common as usize,
            // Sums of volumes agree to a hundredth; their bits do not.
            hash: format!("{volume:.6}"),
            software: used.is_some() && adapter.is_software(),
            adapter: used.unwrap_or_default(),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    Ok(pools.iter().map(row).collect())
}

/// One line for people.
pub fn print(row: &GpuRow) {
    println!(
        "{:12} {:14} {} thread(s)  median {:10.0} us  p99 {:10.0}  gpu {:10.0} (stream {:.0}, view {:.0}, layers {:.0}, columns {:.0})  waited {:10.0}  {:5} jobs on it  {:8} B up  {:8} B back  {} submission(s)  {:5} touch  {:.1} us of the host a pair  {:.0} % on the device  {}  {}{}",
        row.scene,
        row.who,
        row.threads,
        row.median_us,
        row.p99_us,
        row.gpu_us,
        row.gpu_stream_us,
        row.gpu_view_us,
        row.gpu_layers_us,
        row.gpu_columns_us,
        row.wait_us,
        row.gpu_jobs,
        row.bytes_up,
        row.bytes_back,
        row.submissions,
        row.work,
        row.host_us_per_pair,
        100.0 * row.device_share,
        row.hash,
        row.adapter,
        if row.software { " (software: for correctness alone)" } else { "" }
    );
}
