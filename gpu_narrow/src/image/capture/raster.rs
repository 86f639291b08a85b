//! Tiles drawn by the rasteriser: their spans, and one draw of all crossings or one for each layer.

use wgpu::{CompareFunction, TextureFormat};

use super::choice::{Choice, Method};
use super::layout::{DrawArguments, NOTHING, PEELED_LAYERS, TileSpan};
use super::passes::{COLLECT, FIRST_LAYER, PEELING, SPANS, UNORDERED};
use super::setting::StepCapture;
use super::targets::{Targets, size_of_tiles};
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::no_buffer;
use crate::device::stretch::Stretch;
use crate::ldi::pipeline::{LdiPipeline, Resource, Target};
use crate::{EngineError, GpuFault};

/// Bytes of the arguments of all draws.
pub(super) const ARGUMENTS: u64 = PEELED_LAYERS as u64 * size_of::<DrawArguments>() as u64;

/// What tiles are drawn with.
#[derive(Debug)]
pub(crate) struct Raster {
    spans: LdiPipeline,
    unordered: LdiPipeline,
    first_layer: LdiPipeline,
    peeling: LdiPipeline,
    collect: LdiPipeline,
    tile_spans: GrowBuffer,
    arguments: GrowBuffer,
    targets: Targets,
}

impl Raster {
    fn new(device: &wgpu::Device) -> Raster {
        use wgpu::BufferUsages as U;
        let layer =
            Target { format: TextureFormat::Rgba32Uint, writes: true, depth: Some(CompareFunction::Less) };
        let nothing = Target { format: TextureFormat::R8Unorm, writes: false, depth: None };
        let own = U::STORAGE | U::COPY_SRC | U::COPY_DST;
        Raster {
            spans: LdiPipeline::compute(device, &SPANS),
            unordered: LdiPipeline::draw(device, &UNORDERED, nothing),
            first_layer: LdiPipeline::draw(device, &FIRST_LAYER, layer),
            peeling: LdiPipeline::draw(device, &PEELING, layer),
            collect: LdiPipeline::compute(device, &COLLECT),
            tile_spans: GrowBuffer::new("spans of tiles", own),
            arguments: GrowBuffer::new("draws of tiles", own | U::INDIRECT),
            targets: Targets::default(),
        }
    }
}

/// What draws tiles on a device, and which way of capturing is taken. Where the fastest is wanted and `measures` says that it can be
/// measured, it will be; `draws` says whether the adapter can draw.
///
/// # Errors
/// What is lacking for a way that draws and was asked for.
pub(crate) fn open(
    (device, errors): (&wgpu::Device, &DeviceErrors),
    adapter: &str,
    wanted: StepCapture,
    measures: bool,
    draws: Result<(), EngineError>,
) -> Result<(Option<Raster>, Choice), EngineError> {
    let raster = || {
        draws?;
        let made = in_error_scope(device, errors, || Ok(Raster::new(device)));
        made.map_err(|fault| EngineError::NotReady { adapter: adapter.to_owned(), fault })
    };
    Ok(match wanted {
        StepCapture::Peeling => (Some(raster()?), Choice::of(Method::Peeling)),
        StepCapture::Unordered => (Some(raster()?), Choice::of(Method::Unordered)),
        StepCapture::Auto if measures => match raster() {
            Ok(raster) => (Some(raster), Choice::open()),
            Err(_) => (None, Choice::of(Method::Tiles)),
        },
        StepCapture::Auto | StepCapture::Tiles => (None, Choice::of(Method::Tiles)),
    })
}

/// The buffers of a capture by the tile kernel, and what it is about.
pub(super) struct Capture<'b> {
    pub params: &'b wgpu::Buffer,
    pub units: &'b wgpu::Buffer,
    pub rows: &'b wgpu::Buffer,
    pub counts: &'b wgpu::Buffer,
    pub crossings: &'b wgpu::Buffer,
    /// Where the parameters stand (bytes).
    pub offset: u32,
    pub tiles: u32,
}

impl Raster {
    /// Has tiles drawn. Counts begin at zero.
    pub(super) fn encode(
        &mut self,
        capture: &Capture<'_>,
        method: Method,
        time: Option<Stretch<'_>>,
        from: &mut Allocator<'_>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let device = from.device;
        self.tile_spans.clear();
        let bytes = u64::from(capture.tiles.max(1)) * size_of::<TileSpan>() as u64;
        self.tile_spans.hold(bytes, from, encoder)?;
        self.arguments.hold(ARGUMENTS, from, encoder)?;
        self.targets.hold(device, method, capture.tiles);
        let own = [&self.tile_spans, &self.arguments].map(GrowBuffer::get);
        let [Some(spans), Some(arguments)] = own else { return Err(no_buffer()) };
        let group = [capture.params, capture.units, capture.rows, spans, arguments].map(Resource::Buffer);
        let group = self.spans.bind(device, &group);
        let begins = time.map(Stretch::begins_compute);
        self.spans.dispatch_timed(encoder, &group, &[capture.offset], 1, begins);
        let drawn = Drawn { capture, spans, arguments };
        match method {
            Method::Unordered => draw_all(self, device, encoder, &drawn, time),
            Method::Peeling => peel(self, device, encoder, &drawn, time),
            Method::Tiles => {}
        }
        Ok(())
    }
}

/// The same with the spans of the tiles and the arguments of the draws.
struct Drawn<'b> {
    capture: &'b Capture<'b>,
    spans: &'b wgpu::Buffer,
    arguments: &'b wgpu::Buffer,
}

/// One draw of all crossings.
fn draw_all(
    raster: &Raster,
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    drawn: &Drawn<'_>,
    time: Option<Stretch<'_>>,
) {
    let capture = drawn.capture;
    let Some(target) = raster.targets.nothing() else { return };
    let group = [capture.params, drawn.spans, capture.rows, capture.counts, capture.crossings];
    let group = raster.unordered.bind(device, &group.map(Resource::Buffer));
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(UNORDERED.name),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Discard,
            },
        })],
        depth_stencil_attachment: None,
        timestamp_writes: time.map(Stretch::ends_render),
        occlusion_query_set: None,
        multiview_mask: None,
    });
    draw(&raster.unordered, &mut pass, &group, drawn, 0);
}

/// A draw for each layer, as long as there is something in the last.
fn peel(
    raster: &Raster,
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    drawn: &Drawn<'_>,
    time: Option<Stretch<'_>>,
) {
    let capture = drawn.capture;
    let Some([even, odd, depths]) = raster.targets.layers() else { return };
    let layers = [even, odd];
    let bind = |pipeline: &LdiPipeline, last: &wgpu::TextureView| {
        let [params, spans, rows, counts] =
            [capture.params, drawn.spans, capture.rows, capture.counts].map(Resource::Buffer);
        pipeline.bind(device, &[params, spans, rows, counts, Resource::Texture(last)])
    };
    let collect = |layer: &wgpu::TextureView| {
        let [params, crossings, arguments] =
            [capture.params, capture.crossings, drawn.arguments].map(Resource::Buffer);
        raster.collect.bind(device, &[params, Resource::Texture(layer), crossings, arguments])
    };
    let first = bind(&raster.first_layer, layers[1]);
    // An even layer is drawn behind the odd one before it.
    let groups = [bind(&raster.peeling, layers[1]), bind(&raster.peeling, layers[0])];
    let collected = [collect(layers[0]), collect(layers[1])];
    let nothing = f64::from(NOTHING);
    let nothing = wgpu::Color { r: nothing, g: nothing, b: nothing, a: nothing };
    for k in 0..PEELED_LAYERS as usize {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(PEELING.name),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: layers[k % 2],
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(nothing), store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: depths,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        let (pipeline, group) = match k {
            0 => (&raster.first_layer, &first),
            _ => (&raster.peeling, &groups[k % 2]),
        };
        draw(pipeline, &mut pass, group, drawn, k);
        drop(pass);
        let ends = time.filter(|_| k + 1 == PEELED_LAYERS as usize).map(Stretch::ends_compute);
        let (group, tiles) = (&collected[k % 2], capture.tiles.max(1));
        raster.collect.dispatch_timed(encoder, group, &[capture.offset], tiles, ends);
    }
}

/// Draws over the part of the atlas that the tiles take, as the arguments of a layer say.
fn draw(
    pipeline: &LdiPipeline,
    pass: &mut wgpu::RenderPass<'_>,
    group: &wgpu::BindGroup,
    drawn: &Drawn<'_>,
    layer: usize,
) {
    let [width, height] = size_of_tiles(drawn.capture.tiles).map(|texels| texels as f32);
    pipeline.set(pass);
    pass.set_viewport(0.0, 0.0, width, height, 0.0, 1.0);
    pass.set_bind_group(0, group, &[drawn.capture.offset]);
    pass.draw_indirect(drawn.arguments, layer as u64 * size_of::<DrawArguments>() as u64);
}
