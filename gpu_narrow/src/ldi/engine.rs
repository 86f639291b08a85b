//! The engine of the raster passes: bodies in, layered depth images out.

use std::time::Duration;

use impinge_image_space::ldi::{Crossing, LayeredDepthImage, LdiJob};
use wgpu::{CompareFunction, TextureFormat};

use super::layout::{LdiBody, LdiParams};
use super::passes::{COUNT, PEEL, SCAN_ADD, SCAN_BLOCKS, SCAN_SUMS, SCATTER, SORT, STOP};
use super::pipeline::{LdiPipeline, Target};
use super::sheet::{LdiRefusal, Limits, Sheet, sheets};
use super::targets::{Peeling, Unordered};
use crate::device::adapter::{self, AdapterSummary};
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::pipeline::PARAMS_STRIDE;
use crate::device::readback::ReadbackRing;
use crate::device::{self, limits, no_buffer};
use crate::settings::EngineSettings;
use crate::{EngineError, GpuFault};

/// How a device captures layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureMethod {
    /// Layer by layer in order of depth, one draw for each.
    Peeling,
    /// All at once, then sorted.
    Unordered,
}

/// What the last capture cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LdiCounts {
    /// Submissions.
    pub submissions: u64,
    /// Draws that were asked for; those after an empty layer cost nothing.
    pub draws: u64,
    /// Submissions in which the device stopped drawing behind the last layer.
    pub stopped: u64,
    /// Submissions made again because there was no room for all crossings.
    pub repeated: u64,
    /// Bytes sent.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_back: u64,
    /// Buffers and textures made.
    pub made: u64,
}

/// How to make a raster engine.
#[derive(Clone, Debug)]
pub struct LdiSettings {
    /// Adapter or device, the bytes of a buffer, and patience.
    pub engine: EngineSettings,
    /// Layers that are peeled at most (usual: 16). A body with more along some line is left to the
    /// software scan.
    pub layers: u32,
}

impl Default for LdiSettings {
    fn default() -> LdiSettings {
        LdiSettings { engine: EngineSettings::default(), layers: 16 }
    }
}

/// Captures layered depth images on a device by depth peeling or unordered.
#[derive(Debug)]
pub struct LdiEngine {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    errors: DeviceErrors,
    about: AdapterSummary,
    pub(super) pipelines: LdiPipelines,
    pub(super) buffers: LdiBuffers,
    pub(super) peeling: Peeling,
    pub(super) unordered: Unordered,
    pub(super) layers: u32,
    pub(super) buffer_bytes: u64,
    patience: Duration,
    pub(super) counts: LdiCounts,
}

#[derive(Debug)]
pub(super) struct LdiPipelines {
    pub peel: LdiPipeline,
    pub stop: LdiPipeline,
    pub count: LdiPipeline,
    pub scans: [LdiPipeline; 3],
    pub scatter: LdiPipeline,
    pub sort: LdiPipeline,
}

/// Buffers that both ways use.
#[derive(Debug)]
pub(super) struct LdiBuffers {
    pub params: GrowBuffer,
    pub views: GrowBuffer,
    pub bodies: GrowBuffer,
    pub ring: ReadbackRing,
}

/// The crossings found in each view of a sheet, with their pixels; `None` where there were too many.
pub(super) type Found = Vec<Option<Vec<(u32, Crossing)>>>;

impl LdiEngine {
    /// An engine whose pipelines are made.
    ///
    /// # Errors
    /// [`EngineError`] says what there is instead of what was asked for, or what is lacking.
    pub fn new(settings: LdiSettings) -> Result<LdiEngine, EngineError> {
        let LdiSettings { engine, layers } = settings;
        let errors = DeviceErrors::default();
        let (device, queue) = match engine.device {
            Some(lent) => lent,
            None => {
                let adapter = adapter::take(&engine.adapter)?;
                limits::check_raster(adapter)?;
                let (device, queue) = device::open(adapter)?;
                errors.listen(&device);
                (device, queue)
            }
        };
        let about = AdapterSummary::of(&device.adapter_info(), None);
        limits::check_limits(&about.name, &device.limits())?;
        let layers = layers.max(1);
        let made = in_error_scope(&device, &errors, || {
            let new = |pass| LdiPipeline::compute(&device, pass);
            let layer =
                Target { format: TextureFormat::Rg32Uint, writes: true, depth: Some(CompareFunction::Less) };
            let nothing = Target { format: TextureFormat::R8Unorm, writes: false, depth: None };
            let pipelines = LdiPipelines {
                peel: LdiPipeline::draw(&device, &PEEL, layer),
                stop: new(&STOP),
                count: LdiPipeline::draw(&device, &COUNT, nothing),
                scans: [new(&SCAN_BLOCKS), new(&SCAN_SUMS), new(&SCAN_ADD)],
                scatter: LdiPipeline::draw(&device, &SCATTER, nothing),
                sort: new(&SORT),
            };
            Ok((pipelines, Peeling::new(&device, layers)))
        });
        let (pipelines, peeling) =
            made.map_err(|fault| EngineError::NotReady { adapter: about.name.clone(), fault })?;
        Ok(LdiEngine {
            device,
            queue,
            errors,
            about,
            pipelines,
            buffers: LdiBuffers::new(),
            peeling,
            unordered: Unordered::new(),
            layers,
            buffer_bytes: engine.capacities.buffer_bytes,
            patience: engine.patience,
            counts: LdiCounts::default(),
        })
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.about
    }

    /// What the last capture cost.
    pub fn counts(&self) -> &LdiCounts {
        &self.counts
    }

    /// Captures every job, as many as fit in one submission. The crossings are those of the software
    /// scan, to the last bit. A job that the device cannot do says why, and is the CPU's.
    ///
    /// # Errors
    /// [`GpuFault`]: all of them are the CPU's.
    pub fn capture(
        &mut self,
        way: CaptureMethod,
        jobs: &[LdiJob<'_>],
    ) -> Result<Vec<Result<LayeredDepthImage, LdiRefusal>>, GpuFault> {
        let span = tracing::debug_span!("ldi", way = ?way, jobs = jobs.len(), adapter = %self.about);
        let _entered = span.enter();
        self.counts = LdiCounts::default();
        let mut answers: Vec<Option<Result<LayeredDepthImage, LdiRefusal>>> = vec![None; jobs.len()];
        let limits = self.limits(way);
        for sheet in sheets(jobs, limits, |job, why| answers[job] = Some(Err(why))) {
            let (device, errors) = (self.device.clone(), self.errors.clone());
            let found = in_error_scope(&device, &errors, || match way {
                CaptureMethod::Peeling => self.peel(&sheet),
                CaptureMethod::Unordered => self.unordered(&sheet),
            })?;
            for (&job, found) in sheet.jobs.iter().zip(found) {
                let LdiJob { mesh, view, faces, .. } = jobs[job];
                answers[job] = Some(match found {
                    Some(found) => {
                        Ok(LayeredDepthImage::from_crossings(view, faces, mesh.is_closed(), &found))
                    }
                    None => Err(self.left(way)),
                });
            }
        }
        let none = || Err(LdiRefusal::Room { bytes: self.buffer_bytes });
        Ok(answers.into_iter().map(|answer| answer.unwrap_or_else(none)).collect())
    }

    fn limits(&self, way: CaptureMethod) -> Limits {
        let side = match way {
            // All layers of an atlas are read back through one buffer.
            CaptureMethod::Peeling => (self.buffer_bytes / (8 * u64::from(self.layers))).isqrt(),
            CaptureMethod::Unordered => u64::from(u32::MAX),
        };
        let side = side.min(u64::from(self.device.limits().max_texture_dimension_2d)) as u32;
        Limits { side, bytes: self.buffer_bytes }
    }

    fn left(&self, way: CaptureMethod) -> LdiRefusal {
        match way {
            CaptureMethod::Peeling => LdiRefusal::Layers { layers: self.layers },
            CaptureMethod::Unordered => LdiRefusal::Room { bytes: self.buffer_bytes },
        }
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge raster") })
    }

    /// Sends a sheet, and one set of parameters for every layer.
    pub(super) fn send(
        &mut self,
        sheet: &Sheet,
        params: &[LdiParams],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let LdiEngine { device, queue, buffers, counts, buffer_bytes, .. } = self;
        let mut from = Allocator { device, limit: *buffer_bytes, created: &mut counts.made };
        let stride = PARAMS_STRIDE as usize;
        let mut rows = vec![0u8; params.len() * stride];
        for (row, params) in rows.chunks_exact_mut(stride).zip(params) {
            row[..size_of::<LdiParams>()].copy_from_slice(bytemuck::bytes_of(params));
        }
        let views: &[LdiBody] = &sheet.views;
        let sent: [(&mut GrowBuffer, &[u8]); 3] = [
            (&mut buffers.params, &rows),
            (&mut buffers.views, bytemuck::cast_slice(views)),
            (&mut buffers.bodies, bytemuck::cast_slice(&sheet.words)),
        ];
        for (buffer, bytes) in sent {
            buffer.clear();
            buffer.hold(bytes.len() as u64, &mut from, encoder)?;
            queue.write_buffer(buffer.get().ok_or_else(no_buffer)?, 0, bytes);
            counts_up(&mut counts.bytes_up, bytes);
            from = Allocator { device, limit: *buffer_bytes, created: &mut counts.made };
        }
        Ok(())
    }

    /// Submits, waits, and hands the first `bytes` of the ring's buffer to `read`.
    pub(super) fn submit<T>(
        &mut self,
        encoder: wgpu::CommandEncoder,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, GpuFault> {
        let commands = encoder.finish();
        let pending = self.buffers.ring.map(&commands, bytes)?;
        let index = self.queue.submit([commands]);
        self.counts.submissions += 1;
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(self.patience) };
        if let Err(error) = self.device.poll(wait) {
            return Err(GpuFault::NoAnswer { reason: error.to_string() });
        }
        self.counts.bytes_back += bytes;
        self.buffers.ring.read(&pending, read)
    }
}

fn counts_up(sum: &mut u64, bytes: &[u8]) {
    *sum += bytes.len() as u64;
}

impl LdiBuffers {
    fn new() -> LdiBuffers {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        LdiBuffers {
            params: GrowBuffer::new("raster params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            views: GrowBuffer::new("views", sent),
            bodies: GrowBuffer::new("bodies", sent),
            ring: ReadbackRing::new(),
        }
    }
}
