//! Why a program is left to the software raster.

use impinge_image_space::classic::ClassicError;

use crate::GpuFault;

/// Why a program is left to the software raster.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassicRefusal {
    /// A triangle that whole numbers of the device have no room for.
    #[error("triangle {triangle} of body {body} is too far from the view, or too deep for it")]
    Range {
        /// Which body of the scene.
        body: usize,
        /// Which triangle.
        triangle: usize,
    },
    /// More than a buffer may hold.
    #[error("the bodies need a buffer of {bytes} bytes, which is more than allowed")]
    Room {
        /// How many.
        bytes: u64,
    },
    /// A program that draws what is not there.
    #[error(transparent)]
    Program(#[from] ClassicError),
    /// The device failed.
    #[error(transparent)]
    Fault(#[from] GpuFault),
}

impl ClassicRefusal {
    /// Whether the device is gone.
    pub fn is_device_lost(&self) -> bool {
        matches!(self, ClassicRefusal::Fault(fault) if !fault.device_survives())
    }
}
