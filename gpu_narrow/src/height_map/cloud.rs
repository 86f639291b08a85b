//! Clouds of points on the device.

use impinge_image_space::cloud::{Bounce, CloudError, CloudView};
use nalgebra::{Point3, Vector3};

use super::answer::MapStatus;
use super::draw::offset;
use super::environment::{GpuChannels, GpuEnvironment};
use super::layout::{CLOUD_RECORD_WORDS, CLOUD_THREADS, CloudParams, CloudRecord, HEADER_WORDS};
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
    /// Those that were turned back, in the order of the points, where they were asked for ([`MapEngine::cloud_hits`]).
    pub hits: Vec<GpuCloudHit>,
}

/// A point that was turned back, as it came: [`CloudHit`](impinge_image_space::cloud::CloudHit) of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuCloudHit {
    /// Which point.
    pub point: u32,
    /// How far behind the surface it came, or what is a radius ahead of it, along its line of sight (m).
    pub depth: f32,
    /// Where its line of sight meets the surface (m, world).
    pub position: Point3<f32>,
    /// Unit normal of a triangle there, toward the cloud; `None` of lines and points.
    pub normal: Option<Vector3<f32>>,
    /// The piece's body.
    pub body: u32,
    /// Its triangle, line or point.
    pub primitive: u32,
    /// What the caller knows of the piece there.
    pub channels: Option<[f32; 4]>,
}

impl GpuCloudHit {
    fn new(words: &[u32]) -> GpuCloudHit {
        let record: CloudRecord = bytemuck::pod_read_unaligned(bytemuck::cast_slice(words));
        let [x, y, z, depth] = record.place;
        let [along_x, along_y, along_z, _] = record.normal;
        GpuCloudHit {
            point: record.point,
            depth,
            position: Point3::new(x, y, z),
            normal: (record.bits & 1 == 1).then(|| Vector3::new(along_x, along_y, along_z)),
            body: record.body,
            primitive: record.primitive,
            channels: (record.bits & 2 == 2).then_some(record.channels),
        }
    }
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
        self.turned(view, environment, points, bounce, 0)
    }

    /// As [`MapEngine::cloud`], and says of each point that was turned back what it had hit: 64 bytes come back for each, and nothing of
    /// the others. Of more than [`Capacities::buffer_bytes`](crate::Capacities) has room for, or one binding of the device, the answer has some, and
    /// [`MapStatus::TRUNCATED`]; all of them are turned back and counted.
    ///
    /// # Errors
    /// As there.
    pub fn cloud_hits(
        &mut self,
        view: &CloudView,
        environment: &GpuEnvironment,
        points: &GpuPoints,
        bounce: &Bounce,
    ) -> Result<GpuCloudAnswer, MapError> {
        let bytes = self.limit.min(self.device.limits().max_storage_buffer_binding_size);
        let room = (bytes / 4).saturating_sub(u64::from(HEADER_WORDS)) / u64::from(CLOUD_RECORD_WORDS);
        let records = u64::from(points.count).min(room) as u32;
        self.turned(view, environment, points, bounce, records)
    }

    /// With room for the records of so many points.
    fn turned(
        &mut self,
        view: &CloudView,
        environment: &GpuEnvironment,
        points: &GpuPoints,
        bounce: &Bounce,
        records: u32,
    ) -> Result<GpuCloudAnswer, MapError> {
        points.check()?;
        let bounce = bounce.checked()?;
        let sight = Sight::new(self, view, environment)?;
        let answer = self.in_error_scope(|engine| engine.turn_back(&sight, points, &bounce, records));
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
        records: u32,
    ) -> Result<GpuCloudAnswer, GpuFault> {
        let mut encoder = self.encoder();
        let pieces = &sight.pieces;
        let groups = self.bind(pieces, &sight.draws, &mut encoder)?;
        let kept = self.cloud_picture.take().filter(|(size, ..)| *size == sight.size);
        let (size, picture, other) = kept.unwrap_or_else(|| {
            let picture = |label| Picture::new(&self.device, label, sight.size);
            (sight.size, picture("cloud"), picture("no object"))
        });
        let knows = records > 0 && pieces.iter().any(|p| !matches!(p.channels, GpuChannels::None));
        let known = knows.then(|| self.hold_known(size));
        let values = known.as_ref().map(|(_, values)| values);
        self.draw_environment(&mut encoder, &picture, &sight.mask(&other), pieces, &groups, values);
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
            records,
            known: u32::from(knows),
            ..sight.params
        };
        let header = u64::from(HEADER_WORDS);
        let words = header + u64::from(records) * u64::from(CLOUD_RECORD_WORDS);
        let answers = self.hold_answers(words, header, &mut encoder)?;
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
                wgpu::BindGroupEntry { binding: 6, resource: answers.as_entire_binding() },
                view(7, values.unwrap_or(&self.unknown)),
            ],
        });
        {
            let mut cloud = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            cloud.set_pipeline(&self.pipelines.cloud);
            cloud.set_bind_group(0, &group, &[at]);
            cloud.dispatch_workgroups(row, groups_of_points.div_ceil(row), 1);
        }
        self.cloud_picture = Some((size, picture, other));
        if known.is_some() {
            self.known = known;
        }
        let found = self.submit(encoder, header)?;
        let (turned, unusable) = (found[0], found[1]);
        let kept = turned.min(records);
        let mut hits = Vec::new();
        if kept > 0 {
            // Now that it is known how many there are, no more than these come back.
            let words = header + u64::from(kept) * u64::from(CLOUD_RECORD_WORDS);
            let found = self.submit(self.encoder(), words)?;
            let own = found[HEADER_WORDS as usize..].chunks_exact(CLOUD_RECORD_WORDS as usize);
            hits.extend(own.map(GpuCloudHit::new));
            // They come in the order in which threads happened to write them.
            hits.sort_unstable_by_key(|hit| hit.point);
        }
        let truncated = records > 0 && turned > records;
        let status = if truncated { MapStatus::TRUNCATED } else { MapStatus::NONE };
        Ok(GpuCloudAnswer { status, turned, unusable, hits, fault: None })
    }
}
