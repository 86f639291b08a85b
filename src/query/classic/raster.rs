//! Programs of draws on a device.

use impinge_image_space::classic::{
    ClassicError, ClassicRaster, FrameBuffer, PlaneView, Program, RasterScene, Readout, hoff_field,
};
use nalgebra::Point2;

use crate::config::claim_thread;
use crate::gpu::ClassicDevice;
use crate::{Backend, BuildError};

/// Runs the classic tests on a device, with its depth and stencil buffer and its occlusion queries. What the device cannot
/// do is the software's; the answers are the same to the last bit.
///
/// ```no_run
/// use impinge::query::classic::GpuRaster;
///
/// let mut raster = GpuRaster::new(None)?;
/// println!("{}", raster.adapter().unwrap_or_default());
/// # Ok::<(), impinge::BuildError>(())
/// ```
#[derive(Debug)]
pub struct GpuRaster {
    device: Option<ClassicDevice>,
    software: FrameBuffer,
    redone: u64,
    reason: Option<String>,
}

impl GpuRaster {
    /// A raster on the adapter whose name or driver holds this text; where none is named on hardware, else on a software
    /// adapter.
    ///
    /// # Errors
    /// [`BuildError::Backend`] where there is none.
    pub fn new(adapter: Option<&str>) -> Result<GpuRaster, BuildError> {
        claim_thread();
        let device = ClassicDevice::open(adapter)
            .map_err(|reason| BuildError::Backend { backend: Backend::Gpu, reason })?;
        Ok(GpuRaster { device: Some(device), software: FrameBuffer::default(), redone: 0, reason: None })
    }

    /// The adapter in use; `None` where it was lost.
    pub fn adapter(&self) -> Option<String> {
        self.device.as_ref().map(ClassicDevice::adapter)
    }

    /// As [`hoff_field`], with distances worked out on the device in `f32`: off by about a millionth of what the view and the
    /// polygon extend over. What is inside is the same to the last bit.
    ///
    /// # Errors
    /// As [`hoff_field`].
    pub fn hoff_field(
        &mut self,
        polygon: &[Point2<f64>],
        view: &PlaneView,
    ) -> Result<Vec<f64>, ClassicError> {
        if let Some(device) = &mut self.device {
            match device.field(polygon, view) {
                Ok(field) => return Ok(field),
                Err(reason) => self.left(reason),
            }
        }
        self.redone += 1;
        hoff_field(polygon, view, &mut self.software)
    }

    /// Notes why the device left something, and gives up one that is lost.
    fn left(&mut self, reason: String) {
        tracing::warn!(reason, "a classic test runs on the CPU");
        if self.device.as_ref().is_some_and(ClassicDevice::is_lost) {
            self.device = None;
        }
        self.reason = Some(reason);
    }

    /// Programs that the device left to the software.
    pub fn redone(&self) -> u64 {
        self.redone
    }

    /// Why it left the last of them.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl ClassicRaster for GpuRaster {
    fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicError> {
        if let Some(device) = &mut self.device {
            match device.run(scene, program) {
                Ok(readout) => return Ok(readout),
                Err(reason) => self.left(reason),
            }
        }
        self.redone += 1;
        self.software.run(scene, program)
    }
}
