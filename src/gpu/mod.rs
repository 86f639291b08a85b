//! The narrow phase's GPU half, as the facade uses it. This is the only room that knows whether the
//! feature `gpu` is on: without it [`Gpu`] is a type without values.

#[cfg(feature = "gpu")]
mod bodies;
#[cfg(feature = "gpu")]
mod classic;
#[cfg(feature = "gpu")]
mod device_answers;
#[cfg(feature = "gpu")]
mod device_events;
#[cfg(feature = "gpu")]
mod ldi;
#[cfg(feature = "gpu")]
mod manifolds;
#[cfg(feature = "gpu")]
mod options;
#[cfg(feature = "gpu")]
mod present;
#[cfg(feature = "gpu")]
mod tickets;
#[cfg(feature = "gpu")]
mod volumes;
#[cfg(feature = "gpu")]
pub(crate) use bodies::DeviceBodies;
#[cfg(feature = "gpu")]
pub use bodies::{DeviceContact, KnownPlaces};
#[cfg(feature = "gpu")]
pub(crate) use classic::ClassicDevice;
#[cfg(feature = "gpu")]
pub(crate) use device_answers::DeviceAnswers;
#[cfg(feature = "gpu")]
pub use device_events::DeviceContactEvent;
#[cfg(feature = "gpu")]
pub(crate) use ldi::LdiDevice;
#[cfg(feature = "gpu")]
pub(crate) use options::GpuOptions;
#[cfg(feature = "gpu")]
pub(crate) use present::Gpu;
#[cfg(feature = "gpu")]
pub(crate) use tickets::Tickets;

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(not(feature = "gpu"))]
pub(crate) use absent::{ClassicDevice, DeviceAnswers, DeviceBodies, Gpu, GpuOptions, LdiDevice, Tickets};

#[cfg_attr(not(any(feature = "gpu", test)), expect(dead_code, reason = "without a GPU nothing is divided"))]
mod share;

mod parts;
pub(crate) use parts::parts;
#[cfg(feature = "gpu")]
use share::Share;
pub(crate) use share::{Plan, Taken};

use std::sync::Once;

use crate::{Backend, BuildError};

/// The GPU that a backend calls for, and the backend that is then in use.
///
/// # Errors
/// [`BuildError::Backend`] where one was asked for and cannot be had.
pub(crate) fn open(backend: Backend, options: &GpuOptions) -> Result<(Backend, Option<Gpu>), BuildError> {
    match backend {
        Backend::Cpu => Ok((Backend::Cpu, None)),
        Backend::Gpu | Backend::Hybrid => match Gpu::open(backend, options) {
            Ok(gpu) => Ok((backend, Some(gpu))),
            Err(reason) => Err(BuildError::Backend { backend, reason }),
        },
        Backend::Auto => match Gpu::open(backend, options) {
            Ok(gpu) => Ok((Backend::Gpu, Some(gpu))),
            Err(reason) => {
                // Of every world it would be said again.
                static SAID: Once = Once::new();
                SAID.call_once(|| tracing::info!(reason, "the narrow phase runs on the CPU"));
                Ok((Backend::Cpu, None))
            }
        },
    }
}

/// A device that the narrow phase could run on, as `impinge devices` lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSummary {
    /// Name, kind, interface and driver.
    pub description: String,
    /// Whether the CPU emulates it.
    pub software: bool,
    /// Why it cannot be used; `None` where it can.
    pub lacks: Option<String>,
}

/// The devices of this machine that the GPU passes could run on, and what [`Backend::Auto`] would take
/// and why.
pub fn devices() -> (Vec<DeviceSummary>, Result<String, String>) {
    Gpu::devices()
}
