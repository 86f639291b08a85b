//! Distance fields of polygons (Hoff 2001) by a compute pass.

use impinge_image_space::classic::PlaneView;
use nalgebra::{Point2, Vector2};

use super::layout::{FIELD_GROUP, FieldParams};
use super::passes::FIELD;
use crate::GpuFault;
use crate::device::buffer::{Allocator, GrowBuffer};
use crate::device::no_buffer;
use crate::device::pipeline::{PARAMS_STRIDE, Pipeline};

/// The pass and its buffers.
#[derive(Debug)]
pub(super) struct FieldPass {
    pipeline: Pipeline,
    params: GrowBuffer,
    outline: GrowBuffer,
    distances: GrowBuffer,
}

impl FieldPass {
    pub fn new(device: &wgpu::Device) -> FieldPass {
        use wgpu::BufferUsages as U;
        FieldPass {
            pipeline: Pipeline::new(device, &FIELD),
            params: GrowBuffer::new("field params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            outline: GrowBuffer::new("field outline", U::STORAGE | U::COPY_DST | U::COPY_SRC),
            distances: GrowBuffer::new("field distances", U::STORAGE | U::COPY_DST | U::COPY_SRC),
        }
    }

    /// Encodes the distances (m, `f32`) from the centres of a view's pixels to the outline of a polygon; the buffer that they
    /// are in.
    pub fn encode(
        &mut self,
        queue: &wgpu::Queue,
        from: &mut Allocator<'_>,
        (polygon, view): (&[Point2<f64>], &PlaneView),
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<wgpu::Buffer, GpuFault> {
        let [wide, high] = view.pixels();
        let first = view.place(0);
        // Places are relative to the first pixel, so that they are as fine as the view.
        let step = |pixels: u32, of: u32| {
            if pixels > 1 { (view.place(of) - first).cast() } else { Vector2::zeros() }
        };
        let (right, up) = (step(wide, 1), step(high, wide));
        let params = FieldParams {
            wide,
            pixels: wide * high,
            corners: polygon.len() as u32,
            right_x: right.x,
            right_y: right.y,
            up_x: up.x,
            up_y: up.y,
            ..FieldParams::default()
        };
        let outline: Vec<[f32; 2]> = polygon.iter().map(|p| (p - first).cast::<f32>().into()).collect();
        let FieldPass { pipeline, params: of_params, outline: of_outline, distances } = self;
        let mut list = Vec::with_capacity(3);
        for (buffer, bytes) in [
            (of_params, PARAMS_STRIDE),
            (of_outline, 8 * outline.len() as u64),
            (distances, 4 * u64::from(params.pixels)),
        ] {
            buffer.clear();
            buffer.hold(bytes, from, encoder)?;
            list.push((buffer.get().ok_or_else(no_buffer)?.clone(), buffer.generation));
        }
        queue.write_buffer(&list[0].0, 0, bytemuck::bytes_of(&params));
        queue.write_buffer(&list[1].0, 0, bytemuck::cast_slice(&outline));
        let bound: Vec<_> = list.iter().map(|(buffer, generation)| (buffer, *generation)).collect();
        let group = pipeline.bind(from.device, &bound).clone();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(FIELD.name),
            timestamp_writes: None,
        });
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &group, &[0]);
        pass.dispatch_workgroups(params.pixels.div_ceil(FIELD_GROUP), 1, 1);
        drop(pass);
        Ok(list.swap_remove(2).0)
    }
}
