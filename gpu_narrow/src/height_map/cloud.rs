//! Clouds of points on the device.

use impinge_narrow::cloud::Bounce;
use impinge_narrow::height_map::ImagePlane;
use nalgebra::Isometry3;

use super::answer::{MapStatus, in_reach};
use super::draw::{Mask, Params, offset};
use super::layout::CloudParams;
use super::profile::{Depths, Picture};
use super::{MapEngine, MapError, missing, pass};
use crate::GpuFault;
use crate::environment::{GpuEnvironment, GpuPiece};

/// The most workgroups along one dimension of a dispatch.
const ROW: u32 = 65_535;

/// Points in the caller's buffers: three `f32` each, at the start of every `stride` words. All need
/// `BufferUsages::STORAGE`.
#[derive(Clone, Debug)]
pub struct GpuPoints {
    /// Where each was before the step (m).
    pub before: wgpu::Buffer,
    /// Where each would come to (m); changed for those that hit something.
    pub places: wgpu::Buffer,
    /// How fast each is (m/s); changed likewise.
    pub velocities: wgpu::Buffer,
    /// Words from one point to the next, in all three.
    pub stride: u32,
    /// How many.
    pub count: u32,
}

/// What became of a cloud.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuCloudAnswer {
    /// What is left open: with [`MapStatus::NOT_EVALUATED`] the points may or may not have been changed.
    pub status: MapStatus,
    /// What went wrong then.
    pub fault: Option<GpuFault>,
    /// Points that were turned back.
    pub turned: u32,
    /// Points that are no numbers.
    pub unusable: u32,
}

impl GpuPoints {
    fn check(&self) -> Result<(), MapError> {
        let GpuPoints { stride, count, .. } = *self;
        for (what, buffer) in
            [("places before", &self.before), ("places", &self.places), ("velocities", &self.velocities)]
        {
            let wrong = |reason| Err(MapError::Points { what, count, stride, reason });
            if stride < 3 {
                return wrong("they must be at least 3 words apart");
            }
            if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
                return wrong("make the buffer with BufferUsages::STORAGE");
            }
            let words = u64::from(count).saturating_sub(1) * u64::from(stride) + 3;
            if count > 0 && words * 4 > buffer.size() {
                return wrong("the buffer is shorter");
            }
        }
        Ok(())
    }
}

impl MapEngine {
    /// Draws the environment's nearest surfaces on `plane`, between its depths, which must be finite, and
    /// has every point that goes through one in this step put before it and turned back. Points and
    /// environment stay on the device.
    ///
    /// # Errors
    /// [`MapError`] for a plane, points or a bounce that cannot be used. A fault is no error: the answer's
    /// status says that it was not evaluated.
    pub fn cloud(
        &mut self,
        plane: &ImagePlane,
        environment: &GpuEnvironment,
        points: &GpuPoints,
        bounce: &Bounce,
    ) -> Result<GpuCloudAnswer, MapError> {
        points.check()?;
        let bounce = bounce.checked()?;
        let [near, far] = plane.depths();
        let depths = Depths::new(near, far)?;
        let [width, height] = plane.pixels();
        let most = self.device.limits().max_texture_dimension_2d;
        if width > most || height > most {
            return Err(MapError::Texture { width, height, most });
        }
        let pieces: Vec<GpuPiece> = environment
            .pieces()
            .iter()
            .filter(|piece| in_reach(plane, &piece.pose, piece, [near, far]))
            .cloned()
            .collect();
        let answer = self.guarded(|engine| engine.turn_back(plane, &depths, &pieces, points, &bounce));
        Ok(answer.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "the cloud was not evaluated");
            let status = MapStatus::NOT_EVALUATED;
            GpuCloudAnswer { status, fault: Some(fault), ..GpuCloudAnswer::default() }
        }))
    }

    fn turn_back(
        &mut self,
        plane: &ImagePlane,
        depths: &Depths,
        pieces: &[GpuPiece],
        points: &GpuPoints,
        bounce: &Bounce,
    ) -> Result<GpuCloudAnswer, GpuFault> {
        let mut encoder = self.encoder();
        let draws: Vec<_> = pieces.iter().map(|piece| plane.params(piece, &piece.pose, depths, 0)).collect();
        let groups = self.bind(pieces, &draws, &mut encoder)?;
        let kept = self.cloud_picture.take().filter(|(size, ..)| *size == plane.pixels());
        let (size, picture, other) = kept.unwrap_or_else(|| {
            let picture = |label| Picture::new(&self.device, label, plane.pixels());
            (plane.pixels(), picture("cloud"), picture("no object"))
        });
        self.draw_environment(&mut encoder, &picture, &Mask::None(&other), pieces, &groups);
        let rows = plane.projection(&Isometry3::identity()).rows;
        let depth = rows[2].map(|x| x / depths.span);
        let rows = [rows[0], rows[1], [depth[0], depth[1], depth[2], depth[3] - depths.near / depths.span]];
        let d = plane.direction();
        let groups_of_points = points.count.div_ceil(pass::CLOUD.workgroup[0]).max(1);
        let row = groups_of_points.min(ROW);
        let params = CloudParams {
            to_image: rows.map(|row| row.map(|x| x as f32)),
            direction: [d.x as f32, d.y as f32, d.z as f32, depths.span as f32],
            size: plane.pixels(),
            stride: points.stride,
            count: points.count,
            restitution: bounce.restitution,
            friction: bounce.friction,
            gap: bounce.gap,
            row,
        };
        let counts = self.hold_answers(4, 4, &mut encoder)?;
        let at = offset(pieces.len());
        let uniform = self.params.get().ok_or_else(missing)?;
        self.queue.write_buffer(uniform, u64::from(at), bytemuck::bytes_of(&params));
        let uniform = wgpu::BufferBinding {
            buffer: uniform,
            offset: 0,
            size: std::num::NonZeroU64::new(size_of::<CloudParams>() as u64),
        };
        let view = |binding, view| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        };
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(pass::CLOUD.name),
            layout: &self.pipelines.cloud_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(uniform) },
                view(1, &picture.depth),
                view(2, &picture.seen),
                wgpu::BindGroupEntry { binding: 3, resource: points.before.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 4, resource: points.places.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 5, resource: points.velocities.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 6, resource: counts.as_entire_binding() },
            ],
        });
        {
            let mut cloud = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            cloud.set_pipeline(&self.pipelines.cloud);
            cloud.set_bind_group(0, &group, &[at]);
            cloud.dispatch_workgroups(row, groups_of_points.div_ceil(row), 1);
        }
        self.cloud_picture = Some((size, picture, other));
        let found = self.submit(encoder, 4)?;
        Ok(GpuCloudAnswer { turned: found[0], unusable: found[1], ..GpuCloudAnswer::default() })
    }
}
