//! Clouds of points on the device.

use impinge_image_space::cloud::{Bounce, CloudError, CloudView};

use super::answer::MapStatus;
use super::draw::offset;
use super::environment::GpuEnvironment;
use super::layout::{CLOUD_THREADS, CloudParams};
use super::profile::Picture;
use super::sight::Sight;
use super::{MapEngine, MapError, missing, passes};
use crate::GpuFault;

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
    /// Radius of each (m), as [`Points::radius`](impinge_image_space::cloud::Points::radius).
    pub radius: f32,
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
        let GpuPoints { stride, count, radius, .. } = *self;
        CloudError::check_radius(radius)?;
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
    /// Draws the nearest surfaces of the environment as `view` sees them, along one plane whose depths must be
    /// finite or through the faces of a cube, and has every point that goes through one in this step put
    /// before it and turned back. Points and environment stay on the device.
    ///
    /// # Errors
    /// [`MapError`] for a view, points or a bounce that cannot be used. A fault is no error: the answer's
    /// status says that it was not evaluated.
    pub fn cloud(
        &mut self,
        view: &CloudView,
        environment: &GpuEnvironment,
        points: &GpuPoints,
        bounce: &Bounce,
    ) -> Result<GpuCloudAnswer, MapError> {
        points.check()?;
        let bounce = bounce.checked()?;
        let sight = Sight::new(self, view, environment)?;
        let answer = self.in_error_scope(|engine| engine.turn_back(&sight, points, &bounce));
        Ok(answer.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "the cloud was not evaluated");
            let status = MapStatus::NOT_EVALUATED;
            GpuCloudAnswer { status, fault: Some(fault), ..GpuCloudAnswer::default() }
        }))
    }

    fn turn_back(
        &mut self,
        sight: &Sight,
        points: &GpuPoints,
        bounce: &Bounce,
    ) -> Result<GpuCloudAnswer, GpuFault> {
        let mut encoder = self.encoder();
        let pieces = &sight.pieces;
        let groups = self.bind(pieces, &sight.draws, &mut encoder)?;
        let kept = self.cloud_picture.take().filter(|(size, ..)| *size == sight.size);
        let (size, picture, other) = kept.unwrap_or_else(|| {
            let picture = |label| Picture::new(&self.device, label, sight.size);
            (sight.size, picture("cloud"), picture("no object"))
        });
        self.draw_environment(&mut encoder, &picture, &sight.mask(&other), pieces, &groups, None);
        let groups_of_points = points.count.div_ceil(CLOUD_THREADS).max(1);
        let row = groups_of_points.min(ROW);
        let params = CloudParams {
            stride: points.stride,
            count: points.count,
            restitution: bounce.restitution,
            friction: bounce.friction,
            gap: bounce.gap,
            row,
            radius: points.radius,
            ..sight.params
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
            label: Some(passes::CLOUD.name),
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
