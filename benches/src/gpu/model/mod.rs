//! What hardware would take for a step of the GPU suite: counted operations, and rates that makers publish.

pub mod cards;
pub mod compare;

mod estimate;
mod tables;

use anyhow::{Context, ensure};
use impinge::gpu_narrow::{AdapterChoice, choose};
use impinge::prelude::*;

use super::counted::CountedStep;
use super::other_pairs::OTHER_PAIRS;
use super::scene::Rows;

/// What is modelled.
pub struct ModelledStep {
    pub step: CountedStep,
    /// Time of a core for a pair without a device, and with one (s).
    pub cpu: f64,
    pub host: f64,
    pub parity: Parity,
}

/// Counts steps of both parities, measures the host's part, and prints the tables.
pub fn run(adapter: Option<&str>, steps: usize, warm_up: usize) -> anyhow::Result<()> {
    let name = adapter_name(adapter)?;
    for parity in [Parity::Meaning, Parity::Bits] {
        let modelled = modelled(&name, parity, steps, warm_up)?;
        print!("{}", tables::all(&modelled));
    }
    for pairs in &OTHER_PAIRS {
        print!("{}", tables::counted(pairs.title, &pairs.count(&name, warm_up)?));
    }
    Ok(())
}

/// The adapter of this name, or any.
pub fn adapter_name(adapter: Option<&str>) -> anyhow::Result<String> {
    let choice = adapter.map_or(AdapterChoice::Any, |name| AdapterChoice::Named(name.to_owned()));
    Ok(choose(&choice).context("the model counts on a device; a software adapter will do")?.name.clone())
}

/// A step of 100 pairs, counted, with the host's part of it measured.
fn modelled(adapter: &str, parity: Parity, steps: usize, warm_up: usize) -> anyhow::Result<ModelledStep> {
    let step = CountedStep::take(parity, adapter, 100, warm_up)?;
    let world = |backend| {
        let builder = World::builder().backend(backend).adapter(adapter).threads(1);
        builder.parity(parity).build()
    };
    let mut cpu =
        Rows::new("cpu", Parity::Bits, World::builder().backend(Backend::Cpu).threads(1).build()?, 100)?;
    let mut host = Rows::new("host", parity, world(Backend::Gpu)?, 100)?;
    for number in 0..warm_up + steps {
        cpu.step(number, number >= warm_up)?;
        host.step(number, number >= warm_up)?;
    }
    ensure!(cpu.host > 0.0, "this system does not tell the time of threads apart, which the model needs");
    let per_pair = |rows: &Rows| rows.host / rows.touching.max(1) as f64;
    Ok(ModelledStep { step, cpu: per_pair(&cpu), host: per_pair(&host), parity })
}
