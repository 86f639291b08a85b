//! Where a step's views are captured: by the tile kernel's dispatch, or drawn.

use super::choice::{CaptureReport, Method};
use super::raster::{ARGUMENTS, Capture};
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::clock::Clock;
use crate::device::no_buffer;
use crate::device::pipeline::PARAMS_STRIDE;
use crate::engine::Engine;
use crate::image::batch::COUNTS;
use crate::image::dispatch::Dispatch;
use crate::step::Buffers;

impl Engine {
    /// Has the layers of tiles captured. `layers` is a dispatch of the tile kernel, `buffers` are those that it binds: parameters, tiles, rows,
    /// counts, crossings.
    pub(crate) fn capture_layers(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        layers: &Dispatch<'_>,
        buffers: impl Fn(&Buffers) -> [&GrowBuffer; 5],
    ) -> Result<(), GpuFault> {
        let methods = self.capture.methods(layers.range.len());
        for method in methods {
            match method {
                // It comes last of several, and writes the parameters that others read, too: the queue does so before all.
                Method::Tiles => self.dispatch(encoder, layers.clone(), &buffers)?,
                Method::Peeling | Method::Unordered => self.draw_layers(encoder, layers, method, &buffers)?,
            }
        }
        Ok(())
    }

    /// How the layers of views are captured, and what that took where it was measured.
    pub fn capture_report(&self) -> CaptureReport {
        self.capture.report()
    }

    /// As the tile kernel's dispatch, drawn by the rasteriser.
    fn draw_layers(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        layers: &Dispatch<'_>,
        method: Method,
        buffers: &impl Fn(&Buffers) -> [&GrowBuffer; 5],
    ) -> Result<(), GpuFault> {
        let tiles = layers.range.len() as u32;
        self.write_params(layers, tiles)?;
        let Engine { device, clock, buffers: all, step, capacities, raster, .. } = self;
        let Some(raster) = raster else { return Err(no_buffer()) };
        let [Some(params), Some(units), Some(rows), Some(counts), Some(crossings)] =
            buffers(all).map(GrowBuffer::get)
        else {
            return Err(no_buffer());
        };
        if tiles > 0 {
            encoder.clear_buffer(counts, 0, Some(u64::from(tiles) * COUNTS));
        }
        let created = &mut step.counts.buffers_created;
        let mut from = Allocator { device, limit: capacities.buffer_bytes.max(ARGUMENTS), created };
        let time = clock.as_mut().and_then(|clock| Clock::stretch(clock, method.pass()));
        let offset = layers.slot * PARAMS_STRIDE as u32;
        let capture = Capture { params, units, rows, counts, crossings, offset, tiles };
        raster.encode(&capture, method, time, &mut from, encoder)
    }
}
