//! An environment whose geometry lives in the caller's buffers on the device, and never comes back.

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{Aabb, PoseError, TriMesh};
use nalgebra::Isometry3;

pub use impinge_image_space::height_map::Topology;

/// What the caller knows of a piece, handed back where it is hit (a force, a temperature).
#[derive(Clone, Debug, Default)]
pub enum GpuChannels {
    /// Nothing.
    #[default]
    None,
    /// The same everywhere.
    Body([f32; 4]),
    /// Four `f32` for each vertex, interpolated between them.
    Vertices {
        /// Where they are. Needs `BufferUsages::STORAGE`.
        values: wgpu::Buffer,
        /// Words (4 bytes) before the first vertex's.
        start: u32,
        /// Words from one vertex's to the next's, at least 4.
        stride: u32,
    },
}

/// A piece of an environment: primitives in buffers of the caller's, made by whatever shader. The buffers are
/// read where they are, when a question is asked; nobody else knows what is in them.
#[derive(Clone, Debug)]
pub struct GpuPiece {
    /// What the vertices make up.
    pub topology: Topology,
    /// Places as three `f32` each (m, the piece's frame). Needs `BufferUsages::STORAGE`.
    pub vertices: wgpu::Buffer,
    /// Words (4 bytes) before the first place.
    pub start: u32,
    /// Words from one place to the next, at least 3.
    pub stride: u32,
    /// Corners as `u32`, if they are named by number. Needs `BufferUsages::STORAGE`.
    pub indices: Option<wgpu::Buffer>,
    /// How many corners are drawn: indices where there are any, else places.
    pub count: u32,
    /// Where it stands in the world.
    pub pose: Isometry3<f64>,
    /// What its pixels are to say.
    pub body: u32,
    /// A box that holds all its places (m, its frame), as the caller knows it: a piece whose box is out of
    /// reach is not drawn. What lies outside of it may be missed.
    pub bounds: Aabb,
    /// Whether the triangles bound a volume, outward: then the sides that cannot be the answer are culled
    /// where it is an object.
    pub closed: bool,
    /// What its pixels are to hand back.
    pub channels: GpuChannels,
}

/// A piece that cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// A buffer may not be read by shaders.
    #[error(
        "the {what} of piece {piece} lie in a buffer without BufferUsages::STORAGE; make it with that usage"
    )]
    Usage {
        /// Its place in the environment.
        piece: usize,
        /// `vertices`, `indices` or `channels`.
        what: &'static str,
    },
    /// A buffer is shorter than the piece says.
    #[error("the {what} of piece {piece} take {needs} bytes, and the buffer has {has}")]
    Short {
        /// Its place in the environment.
        piece: usize,
        /// `vertices`, `indices` or `channels`.
        what: &'static str,
        /// Bytes needed.
        needs: u64,
        /// Bytes there are.
        has: u64,
    },
    /// Places overlap each other.
    #[error("the places of piece {piece} are {stride} words apart; it must be at least 3")]
    Stride {
        /// Its place in the environment.
        piece: usize,
        /// Words given.
        stride: u32,
    },
    /// What is known of vertices overlaps.
    #[error("the channels of piece {piece} are {stride} words apart; it must be at least 4")]
    ChannelStride {
        /// Its place in the environment.
        piece: usize,
        /// Words given.
        stride: u32,
    },
    /// The corners make up no whole number of primitives.
    #[error("piece {piece} has {count} corners, which is no multiple of {corners}")]
    Count {
        /// Its place in the environment.
        piece: usize,
        /// Corners given.
        count: u32,
        /// Corners of a primitive.
        corners: u32,
    },
    /// The caller's box is none.
    #[error(
        "the bounds of piece {piece} are {bounds:?}; the least must be finite and not above the greatest"
    )]
    Bounds {
        /// Its place in the environment.
        piece: usize,
        /// The box given.
        bounds: Aabb,
    },
    /// The pose cannot be used.
    #[error("pose of piece {piece}: {source}")]
    Pose {
        /// Its place in the environment.
        piece: usize,
        /// What is wrong with it.
        source: PoseError,
    },
}

impl GpuPiece {
    /// A mesh sent to the device.
    pub fn upload(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        mesh: &TriMesh,
        pose: Isometry3<f64>,
        body: u32,
    ) -> GpuPiece {
        let send = |label, bytes: &[u8]| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.len().max(4) as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        let places: Vec<[f32; 3]> = mesh.vertices().iter().map(|v| (*v).into()).collect();
        GpuPiece {
            topology: Topology::Triangles,
            vertices: send("vertices", bytemuck::cast_slice(&places)),
            start: 0,
            stride: 3,
            indices: Some(send("indices", bytemuck::cast_slice(mesh.triangles()))),
            count: 3 * mesh.triangles().len() as u32,
            pose,
            body,
            bounds: mesh.aabb(),
            closed: mesh.is_closed(),
            channels: GpuChannels::None,
        }
    }

    /// Whether it can be drawn; `piece` is its place in the environment.
    pub(crate) fn check(&self, piece: usize) -> Result<(), EnvironmentError> {
        let GpuPiece { vertices, stride, start, count, bounds, .. } = self;
        let corners = self.topology.corners();
        if *stride < 3 {
            return Err(EnvironmentError::Stride { piece, stride: *stride });
        }
        if !count.is_multiple_of(corners) {
            return Err(EnvironmentError::Count { piece, count: *count, corners });
        }
        let buffer = |what, buffer: &wgpu::Buffer, words: u64| {
            if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
                return Err(EnvironmentError::Usage { piece, what });
            }
            let (needs, has) = (words * 4, buffer.size());
            if needs > has { Err(EnvironmentError::Short { piece, what, needs, has }) } else { Ok(()) }
        };
        let places = if self.indices.is_some() { 1 } else { u64::from(*count) };
        let words = |start: u32, stride: u32, each| match places {
            0 => 0,
            n => u64::from(start) + (n - 1) * u64::from(stride) + each,
        };
        buffer("vertices", vertices, words(*start, *stride, 3))?;
        if let GpuChannels::Vertices { values, start, stride } = &self.channels {
            if *stride < 4 {
                return Err(EnvironmentError::ChannelStride { piece, stride: *stride });
            }
            buffer("channels", values, words(*start, *stride, 4))?;
        }
        if let Some(indices) = &self.indices {
            buffer("indices", indices, u64::from(*count))?;
        }
        let sound = (0..3).all(|k| {
            bounds.min[k].is_finite() && bounds.max[k].is_finite() && bounds.min[k] <= bounds.max[k]
        });
        if !sound {
            return Err(EnvironmentError::Bounds { piece, bounds: *bounds });
        }
        checked_pose(&self.pose).map(|_| ()).map_err(|source| EnvironmentError::Pose { piece, source })
    }
}

/// An environment on the device: height-map and cloud answers only, since nothing of it is known here
/// but the boxes that the caller gives.
#[derive(Clone, Debug, Default)]
pub struct GpuEnvironment {
    pieces: Vec<GpuPiece>,
}

impl GpuEnvironment {
    /// An empty one.
    pub fn new() -> GpuEnvironment {
        GpuEnvironment::default()
    }

    /// Adds a piece, and gives its number.
    ///
    /// # Errors
    /// [`EnvironmentError`]; nothing is added.
    pub fn add(&mut self, piece: GpuPiece) -> Result<usize, EnvironmentError> {
        let number = self.pieces.len();
        piece.check(number)?;
        self.pieces.push(piece);
        Ok(number)
    }

    /// Moves a piece, or gives it other bounds: whatever `change` does to it.
    ///
    /// # Errors
    /// [`EnvironmentError`] for what the piece has become; it then stays as it was. No such piece: nothing.
    pub fn change(
        &mut self,
        number: usize,
        change: impl FnOnce(&mut GpuPiece),
    ) -> Result<(), EnvironmentError> {
        let Some(piece) = self.pieces.get_mut(number) else { return Ok(()) };
        let mut changed = piece.clone();
        change(&mut changed);
        changed.check(number)?;
        *piece = changed;
        Ok(())
    }

    /// The pieces.
    pub fn pieces(&self) -> &[GpuPiece] {
        &self.pieces
    }
}
