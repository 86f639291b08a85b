//! Height maps: the nearest or farthest surface on an image plane, with what was hit there.
//!
//! The cheap answer for terrain, particles and objects that are height fields along some direction
//! (Fabrizio, "Easy Real-Time Collision Detection"), and the way pictures of a scene are drawn. The
//! view is orthographic; meshes are scanned, primitives answer by their closed forms.

mod against;
mod compare;
mod direction;
mod draw;
mod gate;
mod loose;
mod map;
mod maps;
mod obstacle;
mod plane;
mod profile;
mod pyramid;
mod reached;
mod tight;

#[cfg(test)]
mod tests;

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Vector3};

pub use against::{AgainstCounts, AgainstScratch};
pub use compare::{Overlap, OverlapPixel, OverlapSums, compare};
pub use direction::{Candidates, best_direction, directions, waste};
pub(crate) use draw::{beyond, face_normal, primitive_normal, primitive_points};
pub use gate::Bounds;
pub use loose::{Environment, LooseError, LooseObstacle, Topology};
pub use map::HeightMap;
pub use obstacle::{Channels, Obstacle};
pub use plane::{HeightMapError, ImagePlane, MAX_PIXELS};
pub use profile::Profile;
pub(crate) use tight::least_axis;

/// Stands for "no triangle" in [`Hit::triangle`]: a primitive was hit.
pub const NO_TRIANGLE: u32 = u32::MAX;

/// Which surface a height map holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one of least depth: what a viewer sees.
    Near,
    /// The one of greatest depth: what an object pushes against when it moves along the direction.
    Far,
}

/// What a pixel holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Depth along the direction from the image plane (m).
    pub depth: f64,
    /// The body that was hit, as the caller named it.
    pub body: u32,
    /// The triangle that was hit, of the body's mesh (of a composite: of the child's); else
    /// [`NO_TRIANGLE`].
    pub triangle: u32,
    /// Outward unit normal of the surface there, in the world.
    pub normal: Vector3<f32>,
}

/// A shape to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The shape.
    pub shape: &'s Shape,
    /// Where it stands in the world.
    pub pose: Isometry3<f64>,
    /// What the pixels that it fills are to say.
    pub body: u32,
}
