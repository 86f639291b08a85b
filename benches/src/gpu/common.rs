//! The intersection volumes of the same pairs.

use std::time::Instant;

use anyhow::{Context, ensure};
use impinge::gpu_narrow::choose;
use impinge::prelude::*;
use impinge_scenes::mesh::Torus;

use super::Choice;
use super::row::GpuRow;
use super::scene::{LONGEST, pose};
use crate::row::{self, Origin};

/// Who is asked for the common volumes of the same pairs.
const COMMON: [(&str, Backend); 2] = [("common-cpu", Backend::Cpu), ("common-gpu", Backend::Gpu)];

/// The common volumes of the same pairs, step by step in turn.
pub fn run(
    scene: &'static str,
    pairs: usize,
    choice: &Choice<'_>,
    origin: &Origin,
) -> anyhow::Result<Vec<GpuRow>> {
    let adapter = choose(&choice.adapter_choice()).context("the suite needs an adapter")?;
    let torus = Shape::from(Torus::default().mesh()?);
    let query = PairQuery::new(&torus, &torus, QuerySettings::default())?;
    let mut pools = Vec::new();
    for (who, backend) in COMMON {
        if choice.who.is_empty() || choice.who.iter().any(|w| w == who) {
            let builder = World::builder()
                .backend(backend)
                .adapter(&adapter.name)
                .threads(choice.threads)
                .gpu_patience(super::PATIENCE);
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
            worker_us_per_pair: 0.0,
            operations_per_pair: 0.0,
            device_share: 0.0,
            gpu_jobs: counts.gpu_jobs,
            bytes_up: counts.gpu_bytes_up,
            bytes_down: counts.gpu_bytes_back,
            submissions: counts.gpu_submissions,
            waits: counts.gpu_waits,
            buffers_made: counts.gpu_buffers_created,
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
