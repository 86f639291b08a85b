//! Operations of the device, counted in worlds of the same rings.

use anyhow::{Context, ensure};
use impinge::StepCounts;
use impinge::gpu_narrow::operations::PassOperations;
use impinge::prelude::*;

use super::scene::Rows;

/// Pairs of a world whose operations are counted: counters take their room, and one submission holds them.
const PAIRS: usize = 100;

/// One step of a world whose passes were counted.
#[derive(Clone, Debug)]
pub struct CountedStep {
    pub parity: Parity,
    pub passes: Vec<PassOperations>,
    /// Touching pairs of that step.
    pub pairs: u64,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub submissions: u64,
}

impl CountedStep {
    /// Takes some steps of a world on an adapter, and counts the last.
    pub fn take(parity: Parity, adapter: &str, pairs: usize, warm_up: usize) -> anyhow::Result<CountedStep> {
        let world = CountedStep::world(parity, adapter)?;
        let mut rows = Rows::new("counted", parity, world, pairs.min(PAIRS))?;
        for step in 0..=warm_up {
            rows.step(step, false)?;
        }
        CountedStep::of(parity, &rows.world, rows.last)
    }

    /// A world whose passes are counted.
    pub fn world(parity: Parity, adapter: &str) -> anyhow::Result<World> {
        let builder = World::builder().backend(Backend::Gpu).adapter(adapter).threads(1).parity(parity);
        Ok(builder.count_gpu_operations(true).build()?)
    }

    /// The last step of such a world.
    pub fn of(parity: Parity, world: &World, counts: StepCounts) -> anyhow::Result<CountedStep> {
        let passes = world.gpu_operations().context("counts")?;
        ensure!(passes.iter().any(|pass| pass.all.arithmetic() > 0), "the passes counted nothing");
        Ok(CountedStep {
            parity,
            passes,
            pairs: counts.touching.max(1),
            bytes_up: counts.gpu_bytes_up,
            bytes_down: counts.gpu_bytes_back,
            submissions: counts.gpu_submissions,
        })
    }
}

/// Counted worlds, one for each parity that was asked for.
#[derive(Default)]
pub struct CountedPairs {
    steps: Vec<CountedStep>,
}

impl CountedPairs {
    /// Counts a world of this parity, unless one was counted before.
    pub fn count(&mut self, parity: Parity, adapter: &str, warm_up: usize) -> anyhow::Result<()> {
        if self.steps.iter().all(|step| step.parity != parity) {
            self.steps.push(CountedStep::take(parity, adapter, PAIRS, warm_up)?);
        }
        Ok(())
    }

    /// 32-bit operations for a touching pair; 0 where none were counted.
    pub fn per_pair(&self, parity: Parity) -> f64 {
        let step = self.steps.iter().find(|step| step.parity == parity);
        step.map_or(0.0, |step| {
            step.passes.iter().map(|pass| pass.all.arithmetic()).sum::<u64>() as f64 / step.pairs as f64
        })
    }
}
