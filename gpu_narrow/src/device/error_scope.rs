//! What the device says about itself while it works: loss, refusals, lack of memory.
//!
//! wgpu reports most errors beside the call that caused them. Every call of a step is made under error
//! scopes, so that a caller's device keeps its own handlers, and the device's own handlers catch what
//! is said at other times; nothing is let go unseen.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use crate::GpuFault;

/// Collects what a device reports outside of error scopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceErrors {
    first: Arc<Mutex<Option<GpuFault>>>,
}

impl DeviceErrors {
    /// Listens to a device of our own.
    pub fn listen(&self, device: &wgpu::Device) {
        let own = self.clone();
        device.on_uncaptured_error(Arc::new(move |error| own.note(fault_of(&error))));
        let own = self.clone();
        device.set_device_lost_callback(move |why, said| {
            let reason = match (said.is_empty(), why) {
                (false, _) => said,
                (true, wgpu::DeviceLostReason::Destroyed) => "it was destroyed".to_owned(),
                (true, _) => "the driver does not say why".to_owned(),
            };
            own.note(GpuFault::Lost { reason });
        });
    }

    /// Keeps a fault until it is taken. The first is kept, but a loss outweighs all else: what follows
    /// from it explains nothing.
    pub fn note(&self, fault: GpuFault) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let graver = matches!(fault, GpuFault::Lost { .. });
        if first.is_none() || graver {
            *first = Some(fault);
        }
    }

    /// What was reported since it was last asked.
    pub fn take(&self) -> Option<GpuFault> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Runs `work`, all of whose calls go to `device` from this thread, and gives the first thing that went
/// wrong: what it returns, what the device reported meanwhile, or a panic of the driver's layer.
pub(crate) fn in_error_scope<T>(
    device: &wgpu::Device,
    errors: &DeviceErrors,
    work: impl FnOnce() -> Result<T, GpuFault>,
) -> Result<T, GpuFault> {
    let scoped = || {
        let filters =
            [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal];
        let scopes = filters.map(|filter| device.push_error_scope(filter));
        let done = work();
        for scope in scopes.into_iter().rev() {
            if let Some(error) = pollster::block_on(scope.pop()) {
                errors.note(fault_of(&error));
            }
        }
        if done.is_err() {
            // That the device is lost is said in a later poll than the one that failed.
            let _ = device.poll(wgpu::PollType::Poll);
        }
        done
    };
    // Whatever a panic leaves behind on this device is thrown away with the engine.
    let done = catch_unwind(AssertUnwindSafe(scoped)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(GpuFault::Panicked { reason: text.unwrap_or("without a message").to_owned() })
    });
    match (done, errors.take()) {
        (Err(panic @ GpuFault::Panicked { .. }), _) => Err(panic),
        (_, Some(reported)) => Err(reported),
        (done, None) => done,
    }
}

fn fault_of(error: &wgpu::Error) -> GpuFault {
    match error {
        wgpu::Error::OutOfMemory { source } => GpuFault::OutOfMemory { reason: source.to_string() },
        wgpu::Error::Validation { description, .. } => GpuFault::Refused { reason: one_line(description) },
        wgpu::Error::Internal { description, .. } => GpuFault::Refused { reason: one_line(description) },
    }
}

/// wgpu's descriptions run over many lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wgpu_reports_is_told_apart_and_a_loss_outweighs_the_rest() {
        let source = || Box::<dyn std::error::Error + Send + Sync>::from("all is used");
        let memory = fault_of(&wgpu::Error::OutOfMemory { source: source() });
        assert_eq!(memory, GpuFault::OutOfMemory { reason: "all is used".into() });
        let description = "In Queue::submit\n  a buffer\n  is gone".to_owned();
        let refused = fault_of(&wgpu::Error::Validation { source: source(), description });
        assert_eq!(refused, GpuFault::Refused { reason: "In Queue::submit a buffer is gone".into() });
        let errors = DeviceErrors::default();
        errors.note(memory.clone());
        errors.note(refused);
        assert_eq!(errors.take(), Some(memory.clone()));
        let lost = GpuFault::Lost { reason: "unplugged".into() };
        errors.note(memory.clone());
        errors.note(lost.clone());
        errors.note(memory);
        assert_eq!((errors.take(), errors.take()), (Some(lost), None));
    }
}
