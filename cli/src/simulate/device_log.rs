//! The log of GPU faults of a run.

use anyhow::{Result, bail};
use impinge::{StepStatus, World};
use serde::Serialize;

/// Something that happened to the GPU, in one step or in several after one another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceEvent {
    first_step: u32,
    last_step: u32,
    /// Of the step: "was finished on the CPU", and why.
    what: String,
}

impl std::fmt::Display for DeviceEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DeviceEvent { first_step, last_step, what } = self;
        match last_step - first_step {
            0 => write!(f, "step {first_step} {what}"),
            _ => write!(f, "each of the steps {first_step} to {last_step} {what}"),
        }
    }
}

/// The events of a run.
#[derive(Debug, Default)]
pub struct DeviceLog {
    events: Vec<DeviceEvent>,
    away: bool,
}

impl DeviceLog {
    /// Takes a step in. Gives the event, unless it is that of the step before again.
    pub fn push(&mut self, step: u32, status: StepStatus, world: &World) -> Option<&DeviceEvent> {
        let reason = world.gpu_fault().unwrap_or("more work than the GPU's buffers may hold");
        let adapter = world.adapter();
        let what = what(status, self.away, reason, adapter.as_deref().unwrap_or("none"))?;
        self.away = status.contains(StepStatus::GPU_LOST) && !status.contains(StepStatus::GPU_BACK);
        match self.events.last_mut() {
            Some(last) if last.what == what && last.last_step + 1 == step => {
                last.last_step = step;
                None
            }
            _ => {
                self.events.push(DeviceEvent { first_step: step, last_step: step, what });
                self.events.last()
            }
        }
    }

    /// The events, in their order.
    pub fn into_events(self) -> Vec<DeviceEvent> {
        self.events
    }
}

/// What there is to say of a step; `away`: whether the GPU was away at the end of the one before.
fn what(status: StepStatus, away: bool, reason: &str, adapter: &str) -> Option<String> {
    let has = |bit| status.contains(bit);
    let (redone, lost) = (has(StepStatus::GPU_REDONE), has(StepStatus::GPU_LOST));
    let back = has(StepStatus::GPU_BACK);
    let done = match (redone, lost) {
        (true, _) => Some(format!("was finished on the CPU: {reason}")),
        (false, true) => Some(format!("ran on the CPU, the GPU is away: {reason}")),
        (false, false) if back && !away => Some(format!("found the GPU gone since the last step: {reason}")),
        (false, false) => None,
    };
    let again = back.then(|| format!("has the GPU again: {adapter}"));
    match (done, again) {
        (Some(done), Some(again)) => Some(format!("{done}; it {again}")),
        (done, again) => done.or(again),
    }
}

/// Has the GPU's device destroyed in the next step.
#[cfg(feature = "gpu")]
pub fn lose(world: &mut World) {
    world.inject_gpu_fault(impinge::gpu_narrow::InjectedFault::LoseDevice);
}

/// There is none to lose.
#[cfg(not(feature = "gpu"))]
pub fn lose(_: &mut World) {}

/// Whether there is a GPU to lose, and a step to lose it in.
pub fn check_loss(at: Option<u32>, steps: u32, world: &World) -> Result<()> {
    let Some(at) = at else { return Ok(()) };
    if world.adapter().is_none() {
        bail!("--lose-gpu-at {at}: the run is on the CPU, there is no GPU to lose; choose `--backend gpu`");
    }
    if !(1..=steps).contains(&at) {
        bail!("--lose-gpu-at {at}: the run has steps 1 to {steps}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_becomes_of_the_gpu_is_said() {
        let says = |status, away| what(status, away, "it broke", "card");
        let (lost, redone, back) = (StepStatus::GPU_LOST, StepStatus::GPU_REDONE, StepStatus::GPU_BACK);
        assert_eq!(says(StepStatus::SOUP, false), None);
        for (status, away, wanted) in [
            (lost | redone, false, "was finished on the CPU: it broke"),
            (lost, false, "ran on the CPU, the GPU is away: it broke"),
            (back, false, "found the GPU gone since the last step: it broke; it has the GPU again: card"),
            (back, true, "has the GPU again: card"),
            (lost | redone | back, false, "was finished on the CPU: it broke; it has the GPU again: card"),
        ] {
            assert_eq!(says(status, away).as_deref(), Some(wanted), "{status}");
        }
    }
}
