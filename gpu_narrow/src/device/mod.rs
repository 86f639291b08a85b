//! The device: which adapter is taken, what is asked of it, its buffers, pipelines and time, and what it reports when
//! something goes wrong.

pub mod pass;

pub(crate) mod adapter;
pub(crate) mod buffer;
pub(crate) mod clock;
pub(crate) mod error;
pub(crate) mod error_scope;
pub(crate) mod fault_injection;
pub(crate) mod limits;
pub(crate) mod pipeline;
pub(crate) mod readback;
pub(crate) mod stretch;

mod device_file;
mod instance;

use crate::{EngineError, GpuFault};

/// A device with no more than the passes need, so that what runs here runs anywhere.
pub(crate) fn open(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), EngineError> {
    open_with(adapter, limits::limits())
}

/// The same, with the limits that are asked for.
pub(crate) fn open_with(
    adapter: &wgpu::Adapter,
    required_limits: wgpu::Limits,
) -> Result<(wgpu::Device, wgpu::Queue), EngineError> {
    let request = || {
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("impinge"),
            required_features: adapter.features() & limits::welcome_features(),
            required_limits: required_limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        }))
        .map_err(|error| error.to_string())
    };
    let device = std::panic::catch_unwind(std::panic::AssertUnwindSafe(request));
    device
        .unwrap_or_else(|_| Err("the driver's layer panicked".to_owned()))
        .map_err(|reason| EngineError::NoDevice { adapter: adapter.get_info().name, reason })
}

/// A buffer that was never made.
pub(crate) fn no_buffer() -> GpuFault {
    GpuFault::NoAnswer { reason: "a buffer is missing".to_owned() }
}
