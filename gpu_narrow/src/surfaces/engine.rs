//! The engine of surfaces that live on the device.

use std::time::Duration;

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::Vector3;

use super::passes::{FIT, GATHER, MEET, SUM};
use super::store::{SurfaceId, SurfaceSource, SurfaceStore};
use crate::device::buffer::GrowBuffer;
use crate::device::error_scope::{DeviceErrors, in_error_scope};
use crate::device::pipeline::Pipeline;
use crate::device::readback::ReadbackRing;
use crate::{Capacities, Engine, GpuFault, IntersectAnswer};

/// Two surfaces that may meet.
#[derive(Clone, Copy, Debug)]
pub struct SurfacePair {
    /// A and B.
    pub surfaces: [SurfaceId; 2],
    /// Where they stand.
    pub frame: PairFrame,
}

/// What is known of a pair of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeetingState {
    /// Certainly no two triangles meet.
    Apart,
    /// Certainly some cross.
    Crossing,
    /// None crosses for certain, and for some it is too close for `f32`.
    Uncertain,
    /// Vertices are outside of the bounds that the caller gave, or no numbers.
    Astray,
    /// The bodies' size, or how far apart they are, leaves nothing certain in `f32`.
    OutOfRange,
    /// Nobody looked.
    #[default]
    NotEvaluated,
}

/// What was found for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceMeeting {
    /// What is known.
    pub state: MeetingState,
    /// Sums over all triangles that certainly cross (A's frame).
    pub answer: IntersectAnswer,
}

/// A surface that the device cannot be given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// No such surface.
    #[error("{id:?} is not on this device; it was removed, or belongs to another engine")]
    Unknown {
        /// The name given.
        id: SurfaceId,
    },
    /// No room.
    #[error(
        "a surface of {triangles} triangles has no room: surfaces may hold {most} words; raise `Capacities::mesh_words`"
    )]
    Full {
        /// Its triangles.
        triangles: usize,
        /// What is allowed.
        most: u32,
    },
    /// A buffer that cannot be read by shaders.
    #[error("the vertices lie in a buffer without BufferUsages::STORAGE; make it with that usage")]
    Usage,
    /// Places overlap each other.
    #[error("the vertices are {stride} words apart; it must be at least 3")]
    Stride {
        /// Words given.
        stride: u32,
    },
    /// A buffer that is too short.
    #[error("{count} vertices take {needs} bytes, and the buffer has {has}")]
    Short {
        /// Vertices.
        count: u32,
        /// Bytes needed.
        needs: u64,
        /// Bytes there are.
        has: u64,
    },
    /// The caller's box is none.
    #[error("the least corner of the bounds must be finite and not above the greatest")]
    Bounds,
}

/// Compares surfaces that live on one device. Everything is called from one thread.
#[derive(Debug)]
pub struct SurfaceEngine {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) errors: DeviceErrors,
    pub(super) patience: Duration,
    pub(super) pipelines: [Pipeline; 4],
    pub(super) store: SurfaceStore,
    pub(super) params: GrowBuffer,
    pub(super) meshes: GrowBuffer,
    pub(super) flags: GrowBuffer,
    pub(super) answers: GrowBuffer,
    pub(super) ring: ReadbackRing,
    pub(super) sequence: u32,
    pub(super) capacities: Capacities,
    pub(super) created: u64,
    /// Bytes sent and read back by the last question.
    pub(super) bytes: [u64; 2],
}

impl SurfaceEngine {
    /// An engine on a device that surfaces' buffers must belong to.
    ///
    /// # Errors
    /// [`GpuFault`]: the passes could not be made ready.
    pub fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        capacities: Capacities,
        patience: Duration,
    ) -> Result<SurfaceEngine, GpuFault> {
        use wgpu::BufferUsages as U;
        let sent = U::STORAGE | U::COPY_DST | U::COPY_SRC;
        let errors = DeviceErrors::default();
        let pipelines = in_error_scope(&device, &errors, || {
            Ok([&GATHER, &FIT, &MEET, &SUM].map(|pass| Pipeline::new(&device, pass)))
        })?;
        Ok(SurfaceEngine {
            errors,
            patience,
            pipelines,
            store: SurfaceStore::default(),
            params: GrowBuffer::new("surface params", U::UNIFORM | U::COPY_DST | U::COPY_SRC),
            meshes: GrowBuffer::new("surfaces", sent),
            flags: GrowBuffer::new("surface flags", sent),
            answers: GrowBuffer::new("surface answers", sent),
            ring: ReadbackRing::new(),
            sequence: 0,
            capacities,
            created: 0,
            bytes: [0; 2],
            device,
            queue,
        })
    }

    /// An engine on the device of another, with its capacities and patience.
    ///
    /// # Errors
    /// As [`SurfaceEngine::new`].
    pub fn beside(engine: &Engine) -> Result<SurfaceEngine, GpuFault> {
        SurfaceEngine::new(engine.device.clone(), engine.queue.clone(), engine.capacities, engine.patience)
    }

    /// Adds a surface; its triangles are taken in an order in which neighbours are near each other, as the leaves of a tree are. Until
    /// it has a [source](SurfaceEngine::set_source) its vertices are the mesh's, sent once.
    ///
    /// # Errors
    /// [`SurfaceError::Full`].
    pub fn add(&mut self, mesh: &TriMesh, order: &[u32]) -> Result<SurfaceId, SurfaceError> {
        let most = self.capacities.mesh_words.min((self.capacities.buffer_bytes / 4) as u32);
        let triangles = order.len();
        self.store.add(mesh, order, most).ok_or(SurfaceError::Full { triangles, most })
    }

    /// Has the vertices of a surface sent again, as a mesh of the same triangles has them; it has no source then.
    ///
    /// # Errors
    /// [`SurfaceError::Unknown`].
    pub fn set_vertices(&mut self, id: SurfaceId, mesh: &TriMesh) -> Result<(), SurfaceError> {
        let own = self.store.get_mut(id).ok_or(SurfaceError::Unknown { id })?;
        own.send(mesh);
        Ok(())
    }

    /// Has the vertices of a surface taken from a buffer of the caller's, again with each question.
    ///
    /// # Errors
    /// [`SurfaceError`]; nothing has changed then.
    pub fn set_source(&mut self, id: SurfaceId, source: SurfaceSource) -> Result<(), SurfaceError> {
        let own = self.store.get_mut(id).ok_or(SurfaceError::Unknown { id })?;
        source.check(own.vertices[1])?;
        own.bounds = source.bounds;
        own.source = Some(source);
        Ok(())
    }

    /// Lets a surface go.
    pub fn remove(&mut self, id: SurfaceId) {
        self.store.remove(id);
    }

    /// Which pairs meet, one answer for each. All of it is one submission and one wait.
    ///
    /// # Errors
    /// [`GpuFault`]: nothing was evaluated; surfaces without a source have to be added again.
    pub fn meet(&mut self, pairs: &[SurfacePair]) -> Result<Vec<SurfaceMeeting>, GpuFault> {
        let (device, errors) = (self.device.clone(), self.errors.clone());
        in_error_scope(&device, &errors, || self.ask(pairs))
    }

    /// Bytes sent to the device by the last question, and read back.
    pub fn bytes(&self) -> [u64; 2] {
        self.bytes
    }
}

impl SurfaceSource {
    /// Whether so many vertices can be read from it.
    ///
    /// # Errors
    /// [`SurfaceError`].
    pub fn check(&self, count: u32) -> Result<(), SurfaceError> {
        let SurfaceSource { vertices, start, stride, bounds } = self;
        if *stride < 3 {
            return Err(SurfaceError::Stride { stride: *stride });
        }
        if !vertices.usage().contains(wgpu::BufferUsages::STORAGE) {
            return Err(SurfaceError::Usage);
        }
        let words = u64::from(*start) + u64::from(count.saturating_sub(1)) * u64::from(*stride) + 3;
        let (needs, has) = (4 * words, vertices.size());
        if needs > has {
            return Err(SurfaceError::Short { count, needs, has });
        }
        let sound = |k: usize| {
            bounds.min[k].is_finite() && bounds.max[k].is_finite() && bounds.min[k] <= bounds.max[k]
        };
        if (0..3).all(sound) { Ok(()) } else { Err(SurfaceError::Bounds) }
    }
}

impl SurfaceMeeting {
    /// Of a pair that nobody has looked at.
    pub(super) fn without(state: MeetingState) -> SurfaceMeeting {
        SurfaceMeeting { state, answer: IntersectAnswer::none() }
    }

    /// The direction that parts B from A, as far as the triangles that cross can tell (unit, A's frame): along the area vector that their segments bound.
    /// `None` where nothing crosses.
    pub fn normal(&self) -> Option<Vector3<f64>> {
        self.answer.area.try_normalize(0.0).filter(|_| self.state == MeetingState::Crossing)
    }
}

/// Where the middle of A's bounds is (m, pair frame).
pub(super) fn middle(frame: &PairFrame, bounds: &impinge_geometry::Aabb) -> nalgebra::Point3<f64> {
    let at = [0, 1, 2].map(|k| 0.5 * (f64::from(bounds.min[k]) + f64::from(bounds.max[k])));
    frame.place_f64(Side::A, &at.into())
}
