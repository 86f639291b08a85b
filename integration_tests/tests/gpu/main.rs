//! The whole pipeline with the GPU's passes against the CPU's. Runs on any adapter, software ones
//! included; without one every test says SKIPPED.

mod classics;
mod collide;
mod deforming;
mod device_bodies;
mod faults;
mod fields;
mod ground;
mod heights;
mod in_flight;
mod levels;
mod many;
mod meaning;
mod scenes;
mod simulate;
mod solids;
mod within;

use impinge::{Backend, Parity, StepReport, World, WorldBuilder};
use impinge_gpu_narrow::testing::adapter_or_skip;

/// A builder on the GPU, with the CPU's contacts to the bit; `None` where there is no adapter, and the test is skipped.
fn on_gpu(test: &str) -> Option<WorldBuilder> {
    adapter_or_skip(test)?;
    Some(World::builder().backend(Backend::Gpu).parity(Parity::Bits).threads(2))
}

/// A builder on the CPU.
fn on_cpu() -> WorldBuilder {
    World::builder().backend(Backend::Cpu).threads(2)
}

/// What the GPU did, without what differs from step to step.
fn gpu_work(report: &StepReport) -> [u64; 3] {
    [report.counts.gpu_jobs, report.counts.gpu_redone, report.counts.gpu_lost]
}
