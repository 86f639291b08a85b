//! The engine of layered depth images of `impinge-gpu-narrow`, as `crate::ldi` uses it.

use impinge_gpu_narrow::ldi::{CaptureMethod, LdiEngine, LdiSettings};
use impinge_gpu_narrow::{AdapterChoice, EngineSettings};

use crate::ldi::{Capture, LayeredDepthImage, LdiJob};

/// A device that captures layers.
#[derive(Debug)]
pub(crate) struct LdiDevice {
    engine: LdiEngine,
    lost: bool,
}

/// An image, or why the device left it.
type Answer = Result<LayeredDepthImage, String>;

impl LdiDevice {
    /// Hardware; where that is wanted, else a software adapter. One that is named must be hardware, too,
    /// unless a software adapter may be taken.
    pub fn open(adapter: Option<&str>, software: bool) -> Result<LdiDevice, String> {
        let adapter = match adapter {
            Some(name) => AdapterChoice::Named(name.to_owned()),
            None if software => AdapterChoice::Any,
            None => AdapterChoice::Hardware,
        };
        if !software {
            let taken = impinge_gpu_narrow::choose(&adapter).map_err(|error| error.to_string())?;
            if taken.is_software() {
                return Err(format!("{taken} is emulated by the CPU: name a way to capture, or hardware"));
            }
        }
        let engine = EngineSettings { adapter, ..EngineSettings::default() };
        let engine = LdiEngine::new(LdiSettings { engine, ..LdiSettings::default() })
            .map_err(|error| error.to_string())?;
        tracing::debug!(adapter = %engine.adapter(), "layers can be captured on the GPU");
        Ok(LdiDevice { engine, lost: false })
    }

    /// The adapter in use.
    pub fn adapter(&self) -> String {
        self.engine.adapter().to_string()
    }

    /// Whether the device is gone.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The images that the device could make; after a fault none.
    pub fn capture(&mut self, way: Capture, jobs: &[LdiJob<'_>]) -> Result<Vec<Answer>, String> {
        let way = match way {
            Capture::Peeling => CaptureMethod::Peeling,
            Capture::Unordered | Capture::Software | Capture::Auto => CaptureMethod::Unordered,
        };
        let answers = self.engine.capture(way, jobs).map_err(|fault| {
            self.lost = !fault.device_survives();
            fault.to_string()
        })?;
        Ok(answers.into_iter().map(|answer| answer.map_err(|left| left.to_string())).collect())
    }
}
