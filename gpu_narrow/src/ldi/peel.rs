//! Depth peeling: layer by layer in order of depth, one draw for all views (Everitt 2001; for
//! collisions Heidelberger, Teschner, Gross 2003).
//!
//! Each draw is told by an indirect argument; after a layer in which nothing was drawn a compute pass sets
//! it to nothing, so the number of layers need not be known to the CPU.

use super::engine::{Found, LdiEngine};
use super::layout::{self, BOX_VERTICES, DrawArguments, LdiParams, NOTHING};
use super::pipeline::Resource;
use super::sheet::Sheet;
use crate::GpuFault;
use crate::device::buffer::Allocator;
use crate::device::no_buffer;
use crate::device::pipeline::PARAMS_STRIDE;

/// Bytes of a texel of a layer.
const TEXEL: u32 = 8;

/// Bytes of the draw's arguments, which are read back behind the layers.
const ARGUMENTS: u64 = size_of::<DrawArguments>() as u64;

impl LdiEngine {
    pub(super) fn peel(&mut self, sheet: &Sheet) -> Result<Found, GpuFault> {
        let mut encoder = self.encoder();
        let [width, height] = self.peeling.hold(&self.device, sheet.size, &mut self.counts.made);
        let params = |layer| LdiParams {
            views: sheet.views.len() as u32,
            width,
            height,
            layer,
            pixels: sheet.pixels,
            ..LdiParams::default()
        };
        let all: Vec<_> = (0..self.layers).map(params).collect();
        self.send(sheet, &all, &mut encoder)?;
        let draw = DrawArguments {
            vertices: sheet.triangles * BOX_VERTICES,
            instances: 1,
            ..DrawArguments::default()
        };
        self.queue.write_buffer(&self.peeling.arguments, 0, bytemuck::bytes_of(&draw));
        let of_layer = u64::from(sheet.size[0]) * u64::from(sheet.size[1]) * u64::from(TEXEL);
        let bytes = of_layer * u64::from(self.layers);
        self.encode_layers(sheet, bytes, &mut encoder)?;
        let to = self.buffers.ring.next().ok_or_else(no_buffer)?;
        encoder.copy_buffer_to_buffer(&self.peeling.arguments, 0, to, bytes, ARGUMENTS);
        let layers = self.layers;
        let (found, stopped) = self.submit(encoder, bytes + ARGUMENTS, |words| {
            let (words, arguments) = words.split_at(bytes as usize);
            let arguments: DrawArguments = bytemuck::pod_read_unaligned(arguments);
            (read(sheet, layers, words), arguments.instances == 0)
        })?;
        self.counts.stopped += u64::from(stopped);
        Ok(found)
    }

    fn encode_layers(
        &mut self,
        sheet: &Sheet,
        bytes: u64,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let LdiEngine { device, pipelines, buffers, peeling, counts, buffer_bytes, layers, .. } = self;
        let mut from = Allocator { device, limit: *buffer_bytes + ARGUMENTS, created: &mut counts.made };
        let to = buffers.ring.reserve(bytes + ARGUMENTS, &mut from, encoder)?.clone();
        let get = |b: &crate::device::buffer::GrowBuffer| b.get().cloned().ok_or_else(no_buffer);
        let (params, views, bodies) = (get(&buffers.params)?, get(&buffers.views)?, get(&buffers.bodies)?);
        let layer = |k: u32| peeling.layer(k).ok_or_else(no_buffer);
        let depth = peeling.depth().ok_or_else(no_buffer)?;
        let bind = |last: u32| -> Result<wgpu::BindGroup, GpuFault> {
            let [params, views, bodies] = [&params, &views, &bodies].map(Resource::Buffer);
            let texels = Resource::Texture(layer(last)?.1);
            Ok(pipelines.peel.bind(device, &[params, views, bodies, texels]))
        };
        // An even layer is drawn behind the odd one before it.
        let groups = [bind(1)?, bind(0)?];
        let stop = [&peeling.drawn, &peeling.arguments].map(Resource::Buffer);
        let stop = pipelines.stop.bind(device, &stop);
        for k in 0..*layers {
            let (texture, view) = layer(k)?;
            let nothing = f64::from(NOTHING);
            let nothing = wgpu::Color { r: nothing, g: nothing, b: nothing, a: nothing };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some(pipelines.peel.pass.name),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load: wgpu::LoadOp::Clear(nothing), store: wgpu::StoreOp::Store },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: depth,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(1.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                timestamp_writes: None,
                occlusion_query_set: Some(&peeling.queries),
                multiview_mask: None,
            });
            pipelines.peel.set(&mut pass);
            pass.set_bind_group(0, &groups[k as usize % 2], &[k * PARAMS_STRIDE as u32]);
            pass.begin_occlusion_query(k);
            pass.draw_indirect(&peeling.arguments, 0);
            pass.end_occlusion_query();
            drop(pass);
            counts.draws += 1;
            encoder.resolve_query_set(&peeling.queries, k..k + 1, &peeling.drawn, 0);
            pipelines.stop.dispatch(encoder, &stop, &[], 1);
            copy(encoder, texture, &to, sheet.size, k);
        }
        Ok(())
    }
}

/// Copies the tiles of a layer to where the CPU reads them.
fn copy(
    encoder: &mut wgpu::CommandEncoder,
    texture: &wgpu::Texture,
    to: &wgpu::Buffer,
    size: [u32; 2],
    layer: u32,
) {
    let row = size[0] * TEXEL;
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: to,
            layout: wgpu::TexelCopyBufferLayout {
                offset: u64::from(layer) * u64::from(row) * u64::from(size[1]),
                bytes_per_row: Some(row),
                rows_per_image: None,
            },
        },
        wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
    );
}

/// The crossings of every view; none where its last layer is not empty, for there may be more behind it.
fn read(sheet: &Sheet, layers: u32, bytes: &[u8]) -> Found {
    let texel = |at: usize| {
        let word = |k: usize| bytemuck::pod_read_unaligned::<u32>(&bytes[at + k..at + k + 4]);
        layout::crossing([word(0), word(4)])
    };
    let [width, height] = sheet.size.map(|n| n as usize);
    let of_view = |view: &layout::LdiBody| {
        let mut found = Vec::new();
        for layer in 0..layers as usize {
            let before = found.len();
            for y in 0..view.high {
                let row = (layer * height + (view.tile_y + y) as usize) * width + view.tile_x as usize;
                for x in 0..view.wide {
                    let crossing = texel((row + x as usize) * TEXEL as usize);
                    found.extend(crossing.map(|c| (y * view.wide + x, c)));
                }
            }
            if found.len() == before {
                return Some(found);
            }
        }
        None
    };
    sheet.views.iter().map(of_view).collect()
}
