//! The engine of the classic tests: a scene and a program in, stencil values and queries out.

use std::time::Duration;

use impinge_image_space::classic::{
    BUFFER_FAR, ClassicError, ClassicRaster, Draw, PlaneView, Program, RasterCommand, RasterScene, Readout,
    hoff_overlap,
};
use nalgebra::Point2;

use super::field::FieldPass;
use super::layout::{FIGURE_VERTICES, FigureParams, cleared};
use super::pipelines::{BUFFER, FigurePipelines};
use super::refusal::ClassicRefusal;
use super::upload::{SceneWords, slots};
use crate::device::adapter::{self, AdapterSummary};
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::pipeline::PARAMS_STRIDE;
use crate::device::readback::ReadbackRing;
use crate::device::{self, limits, no_buffer};
use crate::settings::EngineSettings;
use crate::{EngineError, GpuFault};

/// Queries of a set, and bytes of one.
const QUERIES: u32 = 4096;
const QUERY: u64 = 8;

/// Rows of a texture that is read back are multiples of this (bytes).
const ROW: u32 = 256;

/// What the last program cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassicCounts {
    /// Draws.
    pub draws: u64,
    /// Occlusion queries.
    pub queries: u64,
    /// Bytes sent.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_back: u64,
    /// Buffers and textures made.
    pub made: u64,
}

/// Runs the programs of the classic tests on a device.
#[derive(Debug)]
pub struct ClassicEngine {
    device: wgpu::Device,
    queue: wgpu::Queue,
    errors: DeviceErrors,
    about: AdapterSummary,
    pipelines: FigurePipelines,
    params: GrowBuffer,
    bodies: GrowBuffer,
    resolved: GrowBuffer,
    ring: ReadbackRing,
    /// The depth and stencil buffer, and its size: only all of it can be read back.
    target: Option<(wgpu::Texture, wgpu::TextureView, [u32; 2])>,
    sets: Vec<wgpu::QuerySet>,
    /// Made when a field is first asked for.
    field: Option<FieldPass>,
    buffer_bytes: u64,
    patience: Duration,
    counts: ClassicCounts,
}

impl ClassicEngine {
    /// An engine; pipelines are made when they are first needed.
    ///
    /// # Errors
    /// [`EngineError`] says what there is instead of what was asked for, or what is lacking.
    pub fn new(settings: EngineSettings) -> Result<ClassicEngine, EngineError> {
        let errors = DeviceErrors::default();
        let (device, queue) = match settings.device {
            Some(lent) => lent,
            None => {
                let adapter = adapter::take(&settings.adapter)?;
                limits::check_raster(adapter)?;
                let (device, queue) = device::open(adapter)?;
                errors.listen(&device);
                (device, queue)
            }
        };
        let about = AdapterSummary::of(&device.adapter_info(), None);
        limits::check_limits(&about.name, &device.limits())?;
        let made = in_error_scope(&device, &errors, || Ok(FigurePipelines::new(&device)));
        let pipelines = made.map_err(|fault| EngineError::NotReady { adapter: about.name.clone(), fault })?;
        use wgpu::BufferUsages as U;
        Ok(ClassicEngine {
            device,
            queue,
            errors,
            about,
            pipelines,
            params: GrowBuffer::new("figure params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            bodies: GrowBuffer::new("figure bodies", U::STORAGE | U::COPY_DST | U::COPY_SRC),
            resolved: GrowBuffer::new("figure queries", U::QUERY_RESOLVE | U::COPY_SRC | U::COPY_DST),
            ring: ReadbackRing::new(),
            target: None,
            sets: Vec::new(),
            field: None,
            buffer_bytes: settings.capacities.buffer_bytes,
            patience: settings.patience,
            counts: ClassicCounts::default(),
        })
    }

    /// The adapter in use.
    pub fn adapter(&self) -> &AdapterSummary {
        &self.about
    }

    /// What the last program cost.
    pub fn counts(&self) -> &ClassicCounts {
        &self.counts
    }

    /// Runs a program over a scene. The readout is the software raster's, to the last bit.
    ///
    /// # Errors
    /// [`ClassicRefusal`]: the program is the CPU's.
    pub fn run_program(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicRefusal> {
        let span = tracing::debug_span!("figure", commands = program.len(), adapter = %self.about);
        let _entered = span.enter();
        self.counts = ClassicCounts::default();
        scene.check(program)?;
        let words = SceneWords::new(scene, program)?;
        let draws = program.iter().filter(|command| matches!(command, RasterCommand::Draw(_))).count();
        let bytes = (4 * words.words.len() as u64).max(draws as u64 * PARAMS_STRIDE);
        if bytes > self.buffer_bytes {
            return Err(ClassicRefusal::Room { bytes });
        }
        let (device, errors) = (self.device.clone(), self.errors.clone());
        Ok(in_error_scope(&device, &errors, || self.submit(scene, program, &words))?)
    }

    /// The signed distance field of a polygon: at every pixel's centre the distance to its outline (m), below zero inside.
    /// What is inside is decided as by [`hoff_field`](impinge_image_space::classic::hoff_field), to the last bit; distances
    /// are worked out in `f32`, and are off by about a millionth of what the view and the polygon extend over.
    ///
    /// # Errors
    /// [`ClassicRefusal`]: the field is the CPU's.
    pub fn distance_field(
        &mut self,
        polygon: &[Point2<f64>],
        view: &PlaneView,
    ) -> Result<Vec<f64>, ClassicRefusal> {
        let refused = |error| match error {
            ClassicError::Device { reason } => ClassicRefusal::Fault(GpuFault::NoAnswer { reason }),
            other => ClassicRefusal::Program(other),
        };
        let inside = hoff_overlap([polygon, polygon], view, self).map_err(refused)?.pixels;
        let [wide, high] = view.pixels().map(u64::from);
        let bytes = 4 * wide * high;
        let most = bytes.max(8 * polygon.len() as u64);
        if most > self.buffer_bytes {
            return Err(ClassicRefusal::Room { bytes: most });
        }
        let (device, errors) = (self.device.clone(), self.errors.clone());
        let mut field = in_error_scope(&device, &errors, || self.distances(polygon, view, bytes))?;
        inside.into_iter().for_each(|pixel| field[pixel as usize] *= -1.0);
        Ok(field)
    }

    fn distances(
        &mut self,
        polygon: &[Point2<f64>],
        view: &PlaneView,
        bytes: u64,
    ) -> Result<Vec<f64>, GpuFault> {
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge field") });
        let ClassicEngine { device, queue, field, ring, counts, buffer_bytes, .. } = self;
        let mut from = Allocator { device, limit: *buffer_bytes, created: &mut counts.made };
        let pass = field.get_or_insert_with(|| FieldPass::new(device));
        let found = pass.encode(queue, &mut from, (polygon, view), &mut encoder)?;
        let to = ring.reserve(bytes, &mut from, &mut encoder)?.clone();
        encoder.copy_buffer_to_buffer(&found, 0, &to, 0, bytes);
        self.answer(encoder.finish(), bytes, |bytes| {
            bytes.chunks_exact(4).map(|x| f64::from(f32::from_le_bytes([x[0], x[1], x[2], x[3]]))).collect()
        })
    }

    /// Submits commands and waits for what they have left in the reserved buffer.
    fn answer<T>(
        &mut self,
        commands: wgpu::CommandBuffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, GpuFault> {
        let pending = self.ring.map(&commands, bytes)?;
        let index = self.queue.submit([commands]);
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(self.patience) };
        if let Err(error) = self.device.poll(wait) {
            return Err(GpuFault::NoAnswer { reason: error.to_string() });
        }
        self.ring.read(&pending, read)
    }

    fn submit(
        &mut self,
        scene: &RasterScene,
        program: &Program,
        words: &SceneWords,
    ) -> Result<Readout, GpuFault> {
        let draws: Vec<&Draw> = program.iter().filter_map(drawn).collect();
        let queries = draws.iter().filter(|draw| draw.asks).count() as u32;
        let mut rows = vec![0u8; draws.len().max(1) * PARAMS_STRIDE as usize];
        for (row, draw) in rows.chunks_exact_mut(PARAMS_STRIDE as usize).zip(&draws) {
            let mut params = words.bodies[draw.body];
            params.set_figure(draw.figure);
            row[..size_of::<FigureParams>()].copy_from_slice(bytemuck::bytes_of(&params));
        }
        let size = scene.view.pixels();
        let row = size[0].next_multiple_of(ROW);
        let of_stencil = u64::from(row) * u64::from(size[1]);
        let sets = queries.div_ceil(QUERIES);
        let of_queries = u64::from(sets * QUERIES) * QUERY;
        let bytes = of_stencil + of_queries;

        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("impinge classic") });
        self.hold_target(size);
        while (self.sets.len() as u32) < sets {
            self.sets.push(self.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("figures seen"),
                ty: wgpu::QueryType::Occlusion,
                count: QUERIES,
            }));
            self.counts.made += 1;
        }
        draws.iter().for_each(|draw| self.pipelines.prepare(&self.device, draw));
        let ClassicEngine { device, queue, params, bodies, resolved, ring, counts, buffer_bytes, .. } = self;
        let mut from = Allocator { device, limit: (*buffer_bytes).max(bytes), created: &mut counts.made };
        for (buffer, of) in [
            (&mut *params, rows.len() as u64),
            (&mut *bodies, 4 * words.words.len() as u64),
            (&mut *resolved, of_queries.max(QUERY)),
        ] {
            buffer.clear();
            buffer.hold(of, &mut from, &mut encoder)?;
        }
        let to = ring.reserve(bytes, &mut from, &mut encoder)?.clone();
        queue.write_buffer(params.get().ok_or_else(no_buffer)?, 0, &rows);
        queue.write_buffer(bodies.get().ok_or_else(no_buffer)?, 0, bytemuck::cast_slice(&words.words));
        counts.bytes_up = (rows.len() + 4 * words.words.len()) as u64;
        (counts.draws, counts.queries, counts.bytes_back) = (draws.len() as u64, queries.into(), bytes);

        self.encode(scene, program, &mut encoder)?;
        let (texture, _, _) = self.target.as_ref().ok_or_else(no_buffer)?;
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo {
                aspect: wgpu::TextureAspect::StencilOnly,
                ..texture.as_image_copy()
            },
            wgpu::TexelCopyBufferInfo {
                buffer: &to,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
        );
        let seen = self.resolved.get().ok_or_else(no_buffer)?;
        for (k, set) in self.sets.iter().enumerate().take(sets as usize) {
            let count = (queries - k as u32 * QUERIES).min(QUERIES);
            encoder.resolve_query_set(set, 0..count, seen, k as u64 * u64::from(QUERIES) * QUERY);
        }
        if of_queries > 0 {
            encoder.copy_buffer_to_buffer(seen, 0, &to, of_stencil, of_queries);
        }
        self.answer(encoder.finish(), bytes, |bytes| {
            let (of_stencil, of_queries) = bytes.split_at(of_stencil as usize);
            let lines = of_stencil.chunks_exact(row as usize);
            let stencil = lines.flat_map(|line| &line[..size[0] as usize]).copied().collect();
            let seen = of_queries.chunks_exact(QUERY as usize).take(queries as usize);
            Readout { stencil, passed: seen.map(|count| count.iter().any(|byte| *byte != 0)).collect() }
        })
    }

    /// A depth and stencil buffer of this size.
    fn hold_target(&mut self, size: [u32; 2]) {
        if self.target.as_ref().is_some_and(|(_, _, has)| *has == size) {
            return;
        }
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("depth and stencil"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: BUFFER,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.target = Some((texture, view, size));
        self.counts.made += 1;
    }

    /// A render pass for each clear of the depths and each set of queries.
    fn encode(
        &self,
        scene: &RasterScene,
        program: &Program,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let buffers = [&self.params, &self.bodies].map(|buffer| buffer.get().ok_or_else(no_buffer));
        let [params, bodies] = buffers;
        let group = self.pipelines.bind(&self.device, [params?, bodies?]);
        let (_, target, _) = self.target.as_ref().ok_or_else(no_buffer)?;
        let (mut drawn, mut asked) = (0u32, 0u32);
        // The software raster begins with the farthest depth.
        let mut depth = wgpu::LoadOp::Clear(cleared(BUFFER_FAR));
        let mut stencil = wgpu::LoadOp::Clear(0);
        let mut rest = program.as_slice();
        loop {
            while let [RasterCommand::ClearDepth(to), later @ ..] = rest {
                (depth, rest) = (wgpu::LoadOp::Clear(cleared(*to)), later);
            }
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("figures"),
                color_attachments: &[],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: target,
                    depth_ops: Some(wgpu::Operations { load: depth, store: wgpu::StoreOp::Store }),
                    stencil_ops: Some(wgpu::Operations { load: stencil, store: wgpu::StoreOp::Store }),
                }),
                timestamp_writes: None,
                occlusion_query_set: self.sets.get((asked / QUERIES) as usize),
                multiview_mask: None,
            });
            (depth, stencil) = (wgpu::LoadOp::Load, wgpu::LoadOp::Load);
            pass.set_stencil_reference(0xff);
            let set = asked / QUERIES;
            while let [RasterCommand::Draw(draw), later @ ..] = rest {
                if draw.asks && asked / QUERIES != set {
                    break;
                }
                let pipeline = self.pipelines.get(draw).ok_or_else(no_buffer)?;
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &group, &[drawn * PARAMS_STRIDE as u32]);
                if draw.asks {
                    pass.begin_occlusion_query(asked % QUERIES);
                }
                let slots = slots(&scene.bodies[draw.body], draw.figure);
                pass.draw(0..slots * FIGURE_VERTICES, 0..1);
                if draw.asks {
                    pass.end_occlusion_query();
                    asked += 1;
                }
                (drawn, rest) = (drawn + 1, later);
            }
            drop(pass);
            if rest.is_empty() {
                return Ok(());
            }
        }
    }
}

fn drawn(command: &RasterCommand) -> Option<&Draw> {
    match command {
        RasterCommand::Draw(draw) => Some(draw),
        RasterCommand::ClearDepth(_) => None,
    }
}

impl ClassicRaster for ClassicEngine {
    fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicError> {
        self.run_program(scene, program).map_err(|left| ClassicError::Device { reason: left.to_string() })
    }
}
