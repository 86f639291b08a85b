//! What can go wrong on a GPU, and what it means for a step.

/// An engine that cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// No adapter answers to what was asked for.
    #[error("no {wanted} found; {found}")]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// What there is instead, and what would be right.
        found: String,
    },
    /// The adapter, or the caller's device, allows less than the passes need.
    #[error(
        "`{adapter}` allows {limit} = {has}, and the GPU passes need {needs}; choose another adapter or the CPU"
    )]
    Limit {
        /// The adapter's name.
        adapter: String,
        /// wgpu's name of the limit.
        limit: String,
        /// What it allows.
        has: u64,
        /// What is needed.
        needs: u64,
    },
    /// The adapter cannot run compute shaders.
    #[error("`{adapter}` has no compute shaders; choose another adapter or the CPU")]
    NoCompute {
        /// The adapter's name.
        adapter: String,
    },
    /// The adapter cannot run the raster passes.
    #[error("`{adapter}` cannot run the raster passes: it lacks {lacks}; choose another adapter or the CPU")]
    NoRaster {
        /// The adapter's name.
        adapter: String,
        /// wgpu's names of what it lacks.
        lacks: String,
    },
    /// The driver gave no device.
    #[error("`{adapter}` gave no device: {reason}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// A pass could not be made ready.
    #[error("`{adapter}` cannot run the passes: {fault}")]
    NotReady {
        /// The adapter's name.
        adapter: String,
        /// What happened.
        fault: GpuFault,
    },
}

/// Why a step was not finished on the GPU. The same work is then done on the CPU.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuFault {
    /// The device is gone: unplugged, reset, or destroyed.
    #[error("the device was lost: {reason}")]
    Lost {
        /// What the driver said.
        reason: String,
    },
    /// There was no memory for a buffer.
    #[error("out of GPU memory: {reason}")]
    OutOfMemory {
        /// What the driver said.
        reason: String,
    },
    /// Something was submitted that the device refused.
    #[error("the device refused the work: {reason}")]
    Refused {
        /// What was refused.
        reason: String,
    },
    /// The answer did not come, or is that of an earlier step.
    #[error("the device gave no answer: {reason}")]
    NoAnswer {
        /// What was missing.
        reason: String,
    },
    /// The driver or its layer panicked.
    #[error("the GPU driver's layer panicked: {reason}")]
    Panicked {
        /// The panic's message.
        reason: String,
    },
}

impl GpuFault {
    /// Whether the device can still be used in the next step.
    pub fn device_survives(&self) -> bool {
        match self {
            GpuFault::Lost { .. } | GpuFault::Panicked { .. } => false,
            GpuFault::OutOfMemory { .. } | GpuFault::Refused { .. } | GpuFault::NoAnswer { .. } => true,
        }
    }
}
