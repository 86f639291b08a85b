//! All crossings at once: counted, their places summed up, placed, and sorted line by line
//! (Heidelberger, Teschner, Gross 2004 render them unsorted and sort on the CPU).

use super::engine::{Found, LdiEngine};
use super::layout::{BOX_VERTICES, LdiParams, SCAN_EACH, SCAN_THREADS};
use super::pipeline::{LdiPipeline, Resource};
use super::sheet::Sheet;
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::no_buffer;
use impinge_image_space::ldi::Crossing;

/// Crossings of a pixel for which there is room at first.
const ROOM: u64 = 4;

/// Bytes of a crossing.
const CROSSING: u64 = 8;

impl LdiEngine {
    pub(super) fn unordered(&mut self, sheet: &Sheet) -> Result<Found, GpuFault> {
        let most = self.buffer_bytes - 4 * (u64::from(sheet.pixels) + 2).min(self.buffer_bytes);
        let mut room = (u64::from(sheet.pixels) * ROOM)
            .max(self.unordered.crossings.size() / CROSSING)
            .min(most / CROSSING);
        loop {
            match self.all_crossings(sheet, room as u32)? {
                Ok(found) => return Ok(found),
                Err(total) if total * CROSSING > most => return Ok(vec![None; sheet.views.len()]),
                Err(total) => room = total.next_power_of_two().min(most / CROSSING),
            }
            self.counts.repeated += 1;
        }
    }

    /// The crossings, or their number where there is no room for them.
    fn all_crossings(&mut self, sheet: &Sheet, room: u32) -> Result<Result<Found, u64>, GpuFault> {
        let mut encoder = self.encoder();
        let [width, height] = self.unordered.hold(&self.device, sheet.size, &mut self.counts.made);
        let blocks = sheet.pixels.div_ceil(SCAN_THREADS * SCAN_EACH);
        let params = LdiParams {
            views: sheet.views.len() as u32,
            width,
            height,
            layer: 0,
            pixels: sheet.pixels,
            room,
            blocks,
            spare: 0,
        };
        self.send(sheet, &[params], &mut encoder)?;
        let starts = u64::from(sheet.pixels + 1) * 4;
        let bytes = starts.next_multiple_of(CROSSING) + u64::from(room) * CROSSING;
        self.encode_unordered(sheet, &params, bytes, &mut encoder)?;
        self.submit(encoder, bytes, |words| read(sheet, room, words))
    }

    fn encode_unordered(
        &mut self,
        sheet: &Sheet,
        params: &LdiParams,
        bytes: u64,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuFault> {
        let LdiEngine { device, pipelines, buffers, unordered, counts, buffer_bytes, .. } = self;
        let mut from = Allocator { device, limit: *buffer_bytes + 16, created: &mut counts.made };
        let pixels = u64::from(sheet.pixels);
        let own = [
            (&mut unordered.counts, pixels * 4),
            (&mut unordered.starts, (pixels + 1) * 4),
            (&mut unordered.blocks, u64::from(params.blocks) * 4),
            (&mut unordered.crossings, u64::from(params.room) * CROSSING),
        ];
        for (buffer, bytes) in own {
            buffer.clear();
            buffer.hold(bytes, &mut from, encoder)?;
        }
        let to = buffers.ring.reserve(bytes, &mut from, encoder)?.clone();
        let get = |b: &GrowBuffer| b.get().cloned().ok_or_else(no_buffer);
        let [of_params, views, bodies] = [&buffers.params, &buffers.views, &buffers.bodies].map(get);
        let [of_counts, starts, blocks, crossings] =
            [&unordered.counts, &unordered.starts, &unordered.blocks, &unordered.crossings].map(get);
        let (of_params, views, bodies) = (of_params?, views?, bodies?);
        let (of_counts, starts, blocks, crossings) = (of_counts?, starts?, blocks?, crossings?);
        let attachment = unordered.attachment().ok_or_else(no_buffer)?;

        let drawn = [&of_params, &views, &bodies, &of_counts, &starts, &crossings].map(Resource::Buffer);
        let scanned = [&of_params, &of_counts, &starts, &blocks].map(Resource::Buffer);
        let sorted = [&of_params, &starts, &crossings].map(Resource::Buffer);
        let bind = |pipeline: &LdiPipeline, resources: &[Resource<'_>]| pipeline.bind(device, resources);
        encoder.clear_buffer(&of_counts, 0, None);
        let mut draw = |encoder: &mut wgpu::CommandEncoder, pipeline: &LdiPipeline| {
            let group = bind(pipeline, &drawn);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some(pipeline.pass.name),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: attachment,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Discard,
                    },
                })],
                depth_stencil_attachment: None,
                timestamp_writes: None,
                occlusion_query_set: None,
                multiview_mask: None,
            });
            pipeline.set(&mut pass);
            pass.set_bind_group(0, &group, &[0]);
            pass.draw(0..sheet.triangles * BOX_VERTICES, 0..1);
            counts.draws += 1;
        };
        draw(encoder, &pipelines.count);
        for (pipeline, groups) in pipelines.scans.iter().zip([params.blocks, 1, params.blocks]) {
            pipeline.dispatch(encoder, &bind(pipeline, &scanned), &[0], groups);
        }
        draw(encoder, &pipelines.scatter);
        let groups = sheet.pixels.div_ceil(SCAN_THREADS);
        pipelines.sort.dispatch(encoder, &bind(&pipelines.sort, &sorted), &[0], groups);
        let of_starts = (pixels + 1) * 4;
        encoder.copy_buffer_to_buffer(&starts, 0, &to, 0, of_starts);
        let at = of_starts.next_multiple_of(CROSSING);
        encoder.copy_buffer_to_buffer(&crossings, 0, &to, at, u64::from(params.room) * CROSSING);
        Ok(())
    }
}

/// The crossings of every view, or how many there are where that exceeds the room.
fn read(sheet: &Sheet, room: u32, bytes: &[u8]) -> Result<Found, u64> {
    let word = |at: usize| bytemuck::pod_read_unaligned::<u32>(&bytes[at..at + 4]);
    let start = |pixel: u32| word(pixel as usize * 4);
    let total = start(sheet.pixels);
    if total > room {
        return Err(u64::from(total));
    }
    let first = (sheet.pixels as usize + 1) * 4;
    let first = first.next_multiple_of(CROSSING as usize);
    let of_view = |view: &super::layout::LdiBody| {
        let mut found = Vec::new();
        for pixel in 0..view.wide * view.high {
            for k in start(view.pixel + pixel)..start(view.pixel + pixel + 1) {
                let at = first + k as usize * CROSSING as usize;
                found.push((pixel, Crossing::from_words([word(at), word(at + 4)])));
            }
        }
        Some(found)
    };
    Ok(sheet.views.iter().map(of_view).collect())
}
