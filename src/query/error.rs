//! Questions that cannot be answered.

use impinge_geometry::{FARTHEST, MotionError, PoseError};
use nalgebra::Point3;

/// A question that cannot be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A pose cannot be used.
    #[error("pose of {side}: {source}")]
    Pose {
        /// `A` or `B`.
        side: char,
        /// The reason.
        source: PoseError,
    },
    /// A motion cannot be used.
    #[error("motion of {side}: {source}")]
    Motion {
        /// `A` or `B`.
        side: char,
        /// The reason.
        source: MotionError,
    },
    /// A sheet was asked about near a height field.
    #[error(
        "subshape {subshape} is a height field, which a sheet is not compared with; ask about the mesh that `HeightField::to_mesh` makes of it"
    )]
    SheetOnField {
        /// Which subshape of the body.
        subshape: u32,
    },
    /// The pose of an obstacle of the environment cannot be used.
    #[error("pose of obstacle {index}: {source}")]
    Obstacle {
        /// Its place in the environment.
        index: usize,
        /// The reason.
        source: PoseError,
    },
    /// A piece of the environment without a tree cannot be looked at.
    #[error("loose obstacle {index}: {source}")]
    Loose {
        /// Its place in the environment.
        index: usize,
        /// The reason.
        source: impinge_image_space::height_map::LooseError,
    },
    /// An articulated object is given by another number of poses than it has subshapes.
    #[error(
        "{given} poses for an object of {subshapes} subshapes with projections of their own: give one for each"
    )]
    SubshapePoses {
        /// How many were given.
        given: usize,
        /// How many subshapes there are.
        subshapes: usize,
    },
    /// A bound is no distance.
    #[error("bound is {bound} m; it must be a number and not negative (infinity is no bound)")]
    Bound {
        /// The bound given (m).
        bound: f64,
    },
    /// A ray cannot be followed.
    #[error(transparent)]
    Ray(RayError),
    /// A point is nowhere.
    #[error(transparent)]
    Point(PointError),
    /// A margin is no distance.
    #[error("margin is {margin} m; it must be from 0 to 1e30 m")]
    Margin {
        /// The margin given (m).
        margin: f64,
    },
    /// A sheet has no such thickness.
    #[error("thickness of a sheet is {thickness} m; it must be greater than 0 and at most 1e30 m")]
    Thickness {
        /// The thickness given (m).
        thickness: f64,
    },
    /// Triangles are asked about, and a side has none.
    #[error(
        "subshape {subshape} of {side} has no triangles to list: half-spaces, spheres, capsules and cylinders are \
         smooth; ask about a mesh, a hull or a cuboid"
    )]
    NoTriangles {
        /// `A` or `B`.
        side: char,
        /// The child of a composite; 0 of a simple shape.
        subshape: usize,
    },
}

/// A question of a [`PoseBatch`](super::PoseBatch) that cannot be answered: the first of them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("pair {pair} at pose {pose}: {source}")]
pub struct BatchError {
    /// Which of the pairs.
    pub pair: usize,
    /// Which of its poses.
    pub pose: usize,
    /// The reason.
    pub source: QueryError,
}

/// Poses that cannot be shared out to pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{poses} poses for {pairs} pairs; their number must be a multiple of the number of pairs")]
pub struct UnevenPoses {
    /// How many poses were given.
    pub poses: usize,
    /// How many pairs.
    pub pairs: usize,
}

/// A ray that cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RayError {
    /// The origin is nowhere.
    #[error("origin of the ray: {0}")]
    Origin(#[from] PointError),
    /// The direction is none.
    #[error(
        "direction of the ray is {direction:?}; it must be finite, with a greatest component from 1e-250 to 1e250"
    )]
    Direction {
        /// The direction given (m).
        direction: [f64; 3],
    },
    /// The length is none.
    #[error("length of the ray is {length}; it must be a number and not negative (infinity is no end)")]
    Length {
        /// The length given, in units of the direction.
        length: f64,
    },
}

/// A point that is not finite, or too far away.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("point is {point:?} m; its coordinates must be finite and at most {FARTHEST:e} m")]
pub struct PointError {
    /// The point given (m).
    pub point: [f64; 3],
}

impl PointError {
    /// Checks that a point (m) can be used.
    pub(crate) fn check(point: &Point3<f64>) -> Result<(), PointError> {
        let near = point.iter().all(|x| x.abs() <= FARTHEST);
        if near { Ok(()) } else { Err(PointError { point: (*point).into() }) }
    }
}
