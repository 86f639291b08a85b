//! The raster of the classic tests of `impinge-gpu-narrow`, as `crate::query::classic` uses it.

use impinge_gpu_narrow::classic::ClassicEngine;
use impinge_gpu_narrow::{AdapterChoice, EngineSettings};
use impinge_image_space::classic::{PlaneView, Program, RasterScene, Readout};
use nalgebra::Point2;

/// A device that runs programs of draws.
#[derive(Debug)]
pub(crate) struct ClassicDevice {
    engine: ClassicEngine,
    lost: bool,
}

impl ClassicDevice {
    /// One that is named; else hardware, else a software adapter.
    pub fn open(adapter: Option<&str>) -> Result<ClassicDevice, String> {
        let adapter = adapter.map_or(AdapterChoice::Any, |name| AdapterChoice::Named(name.to_owned()));
        let settings = EngineSettings { adapter, ..EngineSettings::default() };
        let engine = ClassicEngine::new(settings).map_err(|error| error.to_string())?;
        tracing::debug!(adapter = %engine.adapter(), "classic tests can run on the GPU");
        Ok(ClassicDevice { engine, lost: false })
    }

    /// The adapter in use.
    pub fn adapter(&self) -> String {
        self.engine.adapter().to_string()
    }

    /// Whether the device is gone.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The readout, or why the device left it.
    pub fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, String> {
        self.engine.run_program(scene, program).map_err(|left| {
            self.lost = left.is_device_lost();
            left.to_string()
        })
    }

    /// The distance field of a polygon, or why the device left it.
    pub fn field(&mut self, polygon: &[Point2<f64>], view: &PlaneView) -> Result<Vec<f64>, String> {
        self.engine.distance_field(polygon, view).map_err(|left| {
            self.lost = left.is_device_lost();
            left.to_string()
        })
    }
}
