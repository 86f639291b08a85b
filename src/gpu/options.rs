//! What a caller may choose of the GPU.

use std::time::Duration;

use impinge_gpu_narrow::{AdapterChoice, Capacities, EngineSettings, StepCapture, wgpu};

use crate::{Backend, Parity, WorldBuilder};

/// What the caller chose.
#[derive(Clone, Debug, Default)]
pub(crate) struct GpuOptions {
    pub adapter: Option<String>,
    device: Option<(wgpu::Device, wgpu::Queue)>,
    capacities: Option<Capacities>,
    capture: StepCapture,
    count_operations: bool,
    patience: Option<Duration>,
    pub parity: Option<Parity>,
}

impl GpuOptions {
    /// A software adapter is taken when it is named, or when the GPU is asked for and there is no other.
    fn choice(&self, backend: Backend) -> AdapterChoice {
        match (&self.adapter, backend) {
            (Some(name), _) => AdapterChoice::Named(name.clone()),
            (None, Backend::Gpu) => AdapterChoice::Any,
            (None, _) => AdapterChoice::Hardware,
        }
    }

    /// A GPU that is asked for makes contacts; one that is taken where there is one changes none.
    fn parity(&self, backend: Backend) -> Parity {
        self.parity.unwrap_or(match backend {
            Backend::Gpu | Backend::Hybrid => Parity::Meaning,
            Backend::Cpu | Backend::Auto => Parity::Bits,
        })
    }

    pub fn settings(&self, backend: Backend) -> EngineSettings {
        EngineSettings {
            patience: self.patience.unwrap_or(EngineSettings::default().patience),
            adapter: self.choice(backend),
            device: self.device.clone(),
            capacities: self.capacities.unwrap_or_default(),
            contacts: self.parity(backend) == Parity::Meaning,
            capture: self.capture,
            count_operations: self.count_operations,
        }
    }
}

impl WorldBuilder {
    /// A device and queue of the caller's for the GPU passes to share (with
    /// [`Backend::Gpu`] or [`Backend::Hybrid`]). It must allow
    /// what [`gpu_narrow::limits`](crate::gpu_narrow::limits) says; its error and loss handlers are left alone.
    pub fn gpu_device(mut self, device: wgpu::Device, queue: wgpu::Queue) -> WorldBuilder {
        self.gpu.device = Some((device, queue));
        self
    }

    /// What one step may hold on the GPU. What exceeds it is done on the CPU in the same step, and the
    /// status says so.
    pub fn gpu_capacities(mut self, capacities: Capacities) -> WorldBuilder {
        self.gpu.capacities = Some(capacities);
        self
    }

    /// How long a step waits for the GPU before it is finished on the CPU (default: 30 s). Ten thousand pairs take a device that is
    /// software about that long.
    pub fn gpu_patience(mut self, patience: Duration) -> WorldBuilder {
        self.gpu.patience = Some(patience);
        self
    }

    /// How the GPU captures the layers of the views that a step takes (default: by the tile kernel). With
    /// [`StepCapture::Auto`] the first steps measure which is fastest; [`World::gpu_capture`](crate::World::gpu_capture) says what they found. Contacts are the same to the last bit.
    pub fn gpu_capture(mut self, capture: StepCapture) -> WorldBuilder {
        self.gpu.capture = capture;
        self
    }

    /// Has the GPU's passes count their operations while they run, for [`World::gpu_operations`](crate::World::gpu_operations) (default: no). Steps then take many
    /// times as long, and say what they said.
    pub fn count_gpu_operations(mut self, count: bool) -> WorldBuilder {
        self.gpu.count_operations = count;
        self
    }
}
