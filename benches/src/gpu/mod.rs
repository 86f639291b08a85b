//! The GPU suite: worlds of touching pairs on the CPU, on a GPU, and on both, step by step in turn.

mod common;
mod counted;
mod host_time;
pub mod model;
mod other_pairs;
mod row;
mod scene;

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use impinge::StepTimes;
use impinge::gpu_narrow::{AdapterChoice, choose};
use impinge::prelude::*;

use crate::row::{self as rows_of, Origin};
use counted::CountedPairs;
use scene::Rows;

pub use row::{GpuRow, print};

/// Scenes: pairs of neighbours.
const SCENES: [(&str, usize); 3] = [("pairs-100", 100), ("pairs-1000", 1000), ("pairs-10000", 10_000)];

/// Who takes part, on which backend, and what its contacts have in common with the CPU's.
const WHO: [(&str, Backend, Parity); 4] = [
    ("impinge-cpu", Backend::Cpu, Parity::Bits),
    ("impinge-gpu", Backend::Gpu, Parity::Bits),
    ("impinge-hybrid", Backend::Hybrid, Parity::Bits),
    ("impinge-meaning", Backend::Gpu, Parity::Meaning),
];

/// How long a step may take the device: one that is software on a busy machine takes minutes for ten thousand pairs.
const PATIENCE: Duration = Duration::from_secs(900);

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    /// Part of its name; `None` for any: rows say what it is.
    pub adapter: Option<&'a str>,
    pub threads: usize,
    pub steps: usize,
    pub warm_up: usize,
}

impl Choice<'_> {
    fn adapter_choice(&self) -> AdapterChoice {
        self.adapter.map_or(AdapterChoice::Any, |name| AdapterChoice::Named(name.to_owned()))
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
    let mut counted = CountedPairs::default();
    let mut rows = Vec::new();
    for &&(scene, pairs) in &scenes {
        let mut own = run_scene(scene, pairs, choice, origin, &mut counted)?;
        own.extend(common::run(scene, pairs, choice, origin)?);
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
    counted: &mut CountedPairs,
) -> anyhow::Result<Vec<GpuRow>> {
    // Software is taken by its name, as it has to be.
    let adapter = choose(&choice.adapter_choice()).context("the suite needs an adapter")?;
    let mut contenders = Vec::new();
    for (who, backend, parity) in WHO {
        if choice.who.is_empty() || choice.who.iter().any(|w| w == who) {
            let builder = World::builder()
                .backend(backend)
                .adapter(&adapter.name)
                .threads(choice.threads)
                .gpu_patience(PATIENCE);
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
    for contender in contenders.iter().filter(|own| own.world.adapter().is_some()) {
        counted.count(contender.parity, &adapter.name, choice.warm_up.min(10))?;
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
        let [mean_us, median_us, p99_us, max_us] = rows_of::summary(&contender.times);
        let mean = |time: Duration| time.as_secs_f64() * 1e6 / contender.times.len() as f64;
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
            host_us_per_pair: contender.host * 1e6 / contender.touching.max(1) as f64,
            worker_us_per_pair: {
                let StepTimes { midphase, narrow, contacts, .. } = contender.sum;
                (midphase + narrow + contacts).as_secs_f64() * 1e6 / contender.touching.max(1) as f64
            },
            operations_per_pair: if used.is_some() { counted.per_pair(contender.parity) } else { 0.0 },
            device_share: contender.made as f64 / contender.asked.max(1) as f64,
            gpu_jobs: counts.gpu_jobs,
            bytes_up: counts.gpu_bytes_up,
            bytes_down: counts.gpu_bytes_back,
            submissions: counts.gpu_submissions,
            waits: counts.gpu_waits,
            buffers_made: contender.buffers,
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
