//! Height maps and clouds on the raster pipeline, for objects and environments that live on the device.
//!
//! The object's farthest surface is drawn with the inverted depth test (and, of closed meshes, inverted
//! culling), the environment's nearest the regular way, within the object's image and bounds; a
//! compute shader compares them. Depth is linear. What a pass must give is what its twin in
//! `impinge_image_space::height_map` gives, but for pixels on the border of a triangle and depths that `f32`
//! rounds.
//!
//! Source: Fabrizio, "Easy Real-Time Collision Detection".

pub mod layout;
pub mod passes;

mod answer;
mod articulated;
mod cloud;
mod draw;
pub(crate) mod environment;
mod pipelines;
mod profile;
mod sight;

pub use answer::{GpuHit, GpuOverlap, MapStatus};
pub use articulated::{GpuArticulated, GpuSubshapeOverlap};
pub use cloud::{GpuCloudAnswer, GpuCloudHit, GpuPoints};
pub use profile::GpuProfile;

use std::time::Duration;

use impinge_geometry::PoseError;

use crate::device::adapter::{self, AdapterSummary};
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::limits;
use crate::device::pipeline::PARAMS_STRIDE;
use crate::device::readback::ReadbackRing;
use crate::{EngineError, EngineSettings, GpuFault};
use environment::EnvironmentError;

use pipelines::Pipelines;

/// Records of overlapping pixels that a question has room for, unless told otherwise.
const RECORDS: u32 = 1 << 16;

/// Height maps and clouds on one device. Everything is called from one thread.
#[derive(Debug)]
pub struct MapEngine {
    device: wgpu::Device,
    queue: wgpu::Queue,
    errors: DeviceErrors,
    about: AdapterSummary,
    patience: Duration,
    pipelines: Pipelines,
    params: GrowBuffer,
    /// Bound where a piece has no indices.
    nothing: wgpu::Buffer,
    /// What the caller knows, pixel by pixel, and its size; the first is bound where nothing is known.
    unknown: wgpu::TextureView,
    known: Option<([u32; 2], wgpu::TextureView)>,
    answers: GrowBuffer,
    ring: ReadbackRing,
    records: u32,
    sequence: u32,
    limit: u64,
    made: u64,
    /// The last cloud's pictures, and their size.
    cloud_picture: Option<([u32; 2], profile::Picture, profile::Picture)>,
    /// Every second layer of an environment, and its size.
    other_layer: Option<([u32; 2], profile::Picture)>,
}

impl MapEngine {
    /// An engine on an adapter, or on the caller's device: buffers of a
    /// [`GpuEnvironment`](crate::GpuEnvironment) must belong to the same.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn new(settings: EngineSettings) -> Result<MapEngine, EngineError> {
        let errors = DeviceErrors::default();
        let (device, queue) = match settings.device {
            Some(lent) => lent,
            None => {
                let (device, queue) = crate::device::open(adapter::take(&settings.adapter)?)?;
                errors.listen(&device);
                (device, queue)
            }
        };
        let about = AdapterSummary::of(&device.adapter_info(), None);
        limits::check_limits(&about.name, &device.limits())?;
        let pipelines = in_error_scope(&device, &errors, || Ok(Pipelines::new(&device)))
            .map_err(|fault| EngineError::NotReady { adapter: about.name.clone(), fault })?;
        use wgpu::BufferUsages as U;
        let nothing = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("no indices"),
            size: 4,
            usage: U::STORAGE,
            mapped_at_creation: false,
        });
        Ok(MapEngine {
            errors,
            about,
            patience: settings.patience,
            pipelines,
            params: GrowBuffer::new("map params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            nothing,
            unknown: profile::texture(&device, "nothing known", [1, 1], pipelines::KNOWN),
            known: None,
            answers: GrowBuffer::new("map answers", U::STORAGE | U::COPY_DST | U::COPY_SRC),
            ring: ReadbackRing::new(),
            records: RECORDS,
            sequence: 0,
            limit: settings.capacities.buffer_bytes,
            made: 0,
            cloud_picture: None,
            other_layer: None,
            device,
            queue,
        })
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.about
    }

    /// The device: what a [`GpuEnvironment`](crate::GpuEnvironment) is made of must come from it.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Room for this many overlapping pixels in an answer (usual: 65,536). A question of which more overlap is asked again in the same call, with room
    /// for all of them from then on, as far as [`Capacities::buffer_bytes`](crate::Capacities) goes.
    pub fn set_records(&mut self, records: u32) {
        self.records = records.max(1);
    }

    /// Destroys the device, to see that a program survives it.
    pub fn lose(&mut self) {
        self.device.destroy();
    }

    fn in_error_scope<T>(
        &mut self,
        work: impl FnOnce(&mut MapEngine) -> Result<T, GpuFault>,
    ) -> Result<T, GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        in_error_scope(&device, &errors, || work(self))
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge maps") })
    }

    /// A uniform buffer with room for `count` sets of parameters.
    fn hold_params(
        &mut self,
        count: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<wgpu::Buffer, GpuFault> {
        let MapEngine { params, device, limit, made, .. } = self;
        params.clear();
        let mut from = Allocator { device, limit: *limit, created: made };
        params.hold(count.max(1) as u64 * PARAMS_STRIDE, &mut from, encoder)?;
        params.get().cloned().ok_or_else(missing)
    }

    /// A buffer of answers of `words`, its first `cleared` words zero.
    fn hold_answers(
        &mut self,
        words: u64,
        cleared: u64,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<wgpu::Buffer, GpuFault> {
        let MapEngine { answers, device, limit, made, .. } = self;
        answers.clear();
        let mut from = Allocator { device, limit: *limit, created: made };
        answers.hold(words * 4, &mut from, encoder)?;
        let buffer = answers.get().cloned().ok_or_else(missing)?;
        encoder.clear_buffer(&buffer, 0, Some(cleared * 4));
        Ok(buffer)
    }

    /// The picture of what the caller knows, to be given back.
    fn hold_known(&mut self, size: [u32; 2]) -> ([u32; 2], wgpu::TextureView) {
        let kept = self.known.take().filter(|(kept, _)| *kept == size);
        kept.unwrap_or_else(|| (size, profile::texture(&self.device, "known", size, pipelines::KNOWN)))
    }

    /// Submits, waits, and gives the first words of the answers.
    fn submit(&mut self, mut encoder: wgpu::CommandEncoder, words: u64) -> Result<Vec<u32>, GpuFault> {
        let MapEngine { ring, answers, device, limit, made, queue, patience, .. } = self;
        let mut from = Allocator { device, limit: *limit + 4096, created: made };
        let to = ring.reserve(words * 4, &mut from, &mut encoder)?;
        encoder.copy_buffer_to_buffer(answers.get().ok_or_else(missing)?, 0, to, 0, words * 4);
        let commands = encoder.finish();
        let pending = ring.map(&commands, words * 4)?;
        let index = queue.submit([commands]);
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(*patience) };
        device.poll(wait).map_err(|error| GpuFault::NoAnswer { reason: error.to_string() })?;
        ring.read(&pending, |bytes| bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect())
    }
}

fn missing() -> GpuFault {
    GpuFault::NoAnswer { reason: "a buffer is missing".to_owned() }
}

/// A question about maps on the device that cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// A piece cannot be drawn.
    #[error(transparent)]
    Piece(#[from] EnvironmentError),
    /// An image plane is larger than the device's textures.
    #[error("a picture of {width} × {height} pixels; textures of this device have at most {most} a side")]
    Texture {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// What the device allows.
        most: u32,
    },
    /// A view has no end.
    #[error(
        "a view from {near} to {far} m: depth on a device needs finite ends, the first before the second"
    )]
    Depths {
        /// Least depth (m).
        near: f64,
        /// Greatest depth (m).
        far: f64,
    },
    /// Points in a buffer that cannot be used.
    #[error("{what} of {count} points, {stride} words apart: {reason}")]
    Points {
        /// Which buffer.
        what: &'static str,
        /// Points.
        count: u32,
        /// Words from one to the next.
        stride: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// An object of which a subshape is looked at from nowhere.
    #[error("subshape {subshape} has no direction along which it is looked at; give it one profile at least")]
    NoDirection {
        /// Its place in the object.
        subshape: usize,
    },
    /// Not as many poses as subshapes.
    #[error("{given} poses for an object of {subshapes} subshapes; give one for each")]
    SubshapePoses {
        /// Poses given.
        given: usize,
        /// Subshapes that there are.
        subshapes: usize,
    },
    /// A pose that cannot be used.
    #[error("the pose of subshape {subshape}: {error}")]
    Pose {
        /// Its place in the object.
        subshape: usize,
        /// What is wrong.
        error: PoseError,
    },
    /// How a cloud is to look at its environment.
    #[error(transparent)]
    View(#[from] impinge_image_space::cloud::CloudError),
    /// How points are to bounce.
    #[error(transparent)]
    Bounce(#[from] impinge_image_space::cloud::BounceError),
}
