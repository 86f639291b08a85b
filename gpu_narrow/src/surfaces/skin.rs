//! Skins whose vertices follow bones on the device.

use impinge_geometry::{Skin, SkinError};
use nalgebra::Isometry3;

use super::layout::{SKIN_WORDS, SURFACE_GROUP, SkinParams};
use super::passes::SKIN;
use crate::device::pipeline::Pipeline;
use crate::intersect::UNIT_ERROR;
use crate::step::ROW;

/// A [`Skin`] on the device: its vertices are placed there by as many poses as it has bones, and never come back. What they are placed in is a
/// [piece](crate::GpuPiece) of an environment, or the [source](super::SurfaceSource) of a surface.
#[derive(Debug)]
pub struct GpuSkin {
    skin: Skin,
    count: u32,
    pipeline: Pipeline,
    bones: wgpu::Buffer,
    places: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl GpuSkin {
    /// A skin on a device; its vertices are yet to be placed.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, skin: &Skin) -> GpuSkin {
        use wgpu::BufferUsages as U;
        let count = skin.rest().len() as u32;
        let mut words = Vec::with_capacity((SKIN_WORDS * count) as usize);
        for (vertex, rest) in (0..).zip(skin.rest()) {
            let own = skin.influences(vertex);
            words.extend([rest.x, rest.y, rest.z].map(f32::to_bits));
            words.extend(own.map(|(bone, _)| bone));
            words.extend(own.map(|(_, weight)| (weight as f32).to_bits()));
        }
        let buffer = |label, words: u64, usage| {
            let size = 4 * words.max(4);
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let own = buffer("skin", words.len() as u64, U::STORAGE | U::COPY_DST);
        queue.write_buffer(&own, 0, bytemuck::cast_slice(&words));
        let params =
            buffer("skin params", crate::device::pipeline::PARAMS_STRIDE / 4, U::UNIFORM | U::COPY_DST);
        let groups = count.div_ceil(SURFACE_GROUP).max(1);
        let of_all = SkinParams { count, start: 0, stride: 3, row: groups.min(ROW) };
        queue.write_buffer(&params, 0, bytemuck::bytes_of(&of_all));
        let bones = buffer("bones", 12 * skin.bones() as u64, U::STORAGE | U::COPY_DST);
        let places = buffer("skin places", 3 * u64::from(count), U::STORAGE | U::COPY_SRC);
        let pipeline = Pipeline::new(device, &SKIN);
        let group = pipeline.group(device, &[&params, &own, &bones, &places]);
        GpuSkin { skin: skin.clone(), count, pipeline, bones, places, group }
    }

    /// Places the vertices, as [`Skin::place`] does, in `f32`: 48 bytes go up for each bone.
    ///
    /// # Errors
    /// [`SkinError::BoneCount`] or [`SkinError::BonePose`]; nothing is placed then. What goes wrong on the device is told by whoever reads the places.
    pub fn place(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        bones: &[Isometry3<f64>],
    ) -> Result<(), SkinError> {
        let rows: Vec<f32> = self
            .skin
            .matrices(bones)?
            .iter()
            .flat_map(|(turn, shift)| {
                (0..3).flat_map(move |k| [turn[(k, 0)], turn[(k, 1)], turn[(k, 2)], shift[k]])
            })
            .map(|x| x as f32)
            .collect();
        queue.write_buffer(&self.bones, 0, bytemuck::cast_slice(&rows));
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some(SKIN.name) });
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(SKIN.name),
                timestamp_writes: None,
            });
            pass.set_pipeline(&self.pipeline.pipeline);
            pass.set_bind_group(0, &self.group, &[0]);
            let groups = self.count.div_ceil(SURFACE_GROUP).max(1);
            let row = groups.min(ROW);
            pass.dispatch_workgroups(row, groups.div_ceil(row), 1);
        }
        queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Where the vertices are: three `f32` each (m), without gaps. A buffer with `STORAGE` and `COPY_SRC`.
    pub fn places(&self) -> &wgpu::Buffer {
        &self.places
    }

    /// No coordinate is farther from that of [`Skin::place`] than this (m): of a product of three, its sum, the weight and the sum over four bones twelve
    /// roundings of 2⁻²³ of all that is added up, and one that the CPU makes.
    ///
    /// # Errors
    /// As [`GpuSkin::place`].
    pub fn error(&self, bones: &[Isometry3<f64>]) -> Result<f64, SkinError> {
        let matrices = self.skin.matrices(bones)?;
        let mut most = 0.0f64;
        for (vertex, rest) in (0..).zip(self.skin.rest()) {
            let x = rest.coords.cast::<f64>().abs();
            let all = self.skin.influences(vertex).iter().map(|(bone, weight)| {
                let (turn, shift) = &matrices[*bone as usize];
                (turn.abs() * x + shift.abs()) * *weight
            });
            most = most.max(all.fold(nalgebra::Vector3::zeros(), |sum, own| sum + own).amax());
        }
        Ok(13.0 * UNIT_ERROR * most + f64::from(f32::MIN_POSITIVE))
    }
}
