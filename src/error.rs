//! Errors of building and using a world. In every case the world stays as it was.

use impinge_geometry::{ColliderId, MassError, PartId, PoseError, ShapeId};

use crate::Backend;
use crate::query::{PointError, RayError};

/// A world that cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A setting is out of range.
    #[error("{setting} is {value}; {remedy}")]
    Setting {
        /// The builder's method.
        setting: &'static str,
        /// The value given.
        value: String,
        /// A remedy.
        remedy: &'static str,
    },
    /// The backend cannot be had.
    #[error("backend `{backend}` cannot be used: {reason}; `auto` and `cpu` always can")]
    Backend {
        /// The backend asked for.
        backend: Backend,
        /// Why not.
        reason: String,
    },
    /// The operating system gave no threads.
    #[error("{threads} worker threads could not be started: {reason}; ask for fewer with `threads`")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's message.
        reason: String,
    },
}

/// A call that a world cannot carry out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// No such collider.
    #[error("{id} is not in this world; it was removed, or belongs to another world")]
    UnknownCollider {
        /// The name given.
        id: ColliderId,
    },
    /// No such shape.
    #[error("{id} is not in this world; it was removed, or belongs to another world")]
    UnknownShape {
        /// The name given.
        id: ShapeId,
    },
    /// No such part.
    #[error("{id} is not in this world; it was removed, or belongs to another world")]
    UnknownPart {
        /// The name given.
        id: PartId,
    },
    /// A member of a part cannot be placed by itself.
    #[error(
        "{id} is a member of {part} and moves with it; use `set_part_pose`, or `set_offset` for its place there"
    )]
    OfPart {
        /// The collider.
        id: ColliderId,
        /// The part.
        part: PartId,
    },
    /// A collider that is a member of no part has no place in one.
    #[error("{id} is a member of no part; add it with `Collider::of`")]
    OfNoPart {
        /// The collider.
        id: ColliderId,
    },
    /// A member of a part has no mass properties.
    #[error("{id}: {source}")]
    Mass {
        /// The collider.
        id: ColliderId,
        /// Why not.
        source: MassError,
    },
    /// The shape cannot be removed yet.
    #[error("{id} is still placed by {colliders} collider(s); remove those first")]
    ShapeInUse {
        /// The shape.
        id: ShapeId,
        /// How many colliders place it.
        colliders: u32,
    },
    /// A pose cannot be used.
    #[error("collider pose: {0}")]
    Pose(#[from] PoseError),
    /// A path cannot be used.
    #[error("path: {0}")]
    Motion(impinge_geometry::MotionError),
    /// A chain cannot be asked about.
    #[error("chain: {0}")]
    Chain(#[from] crate::chain::ChainError),
    /// A shape has a size that cannot be used.
    #[error(transparent)]
    Shape(#[from] impinge_geometry::ShapeError),
    /// A shape cannot take vertices.
    #[error("{id}: {error}")]
    Deform {
        /// The shape.
        id: ShapeId,
        /// Why not.
        error: impinge_midphase::DeformError,
    },
    /// Vertices on a GPU cannot be used.
    #[error("{id}: vertices on a GPU: {reason}")]
    DeviceVertices {
        /// The shape.
        id: ShapeId,
        /// Why not.
        reason: String,
    },
    /// A material has a value that is not a number or is negative.
    #[error("material: {0}")]
    Material(#[from] impinge_contacts::MaterialError),
    /// A tolerance is not a number or is negative.
    #[error("collider tolerance is {tolerance} m; it must be finite and not negative")]
    Tolerance {
        /// The tolerance given (m).
        tolerance: f64,
    },
    /// A length from which motions are swept is not a number or is negative.
    #[error("collider: motions beyond {length} m are to be swept; that must be a number and not negative")]
    SweepBeyond {
        /// The length given (m).
        length: f64,
    },
    /// A velocity is not finite, or beyond 1e30.
    #[error("collider: {velocity} velocity is {value:?}; it must be finite and at most 1e30")]
    Velocity {
        /// Which one: `linear` (m/s), `angular` (rad/s) or `surface` (m/s).
        velocity: &'static str,
        /// The velocity given.
        value: [f64; 3],
    },
    /// The collider is disabled already.
    #[error("{id} is disabled already; enable it first")]
    Disabled {
        /// The collider.
        id: ColliderId,
    },
    /// The collider is not disabled.
    #[error("{id} is not disabled; only disabled colliders can be enabled")]
    NotDisabled {
        /// The collider.
        id: ColliderId,
    },
    /// A collider is named twice in one call.
    #[error("{id} is named twice; name each collider once")]
    NamedTwice {
        /// The collider.
        id: ColliderId,
    },
    /// A question about boxes that has no answer, a box that is none, or a motion that is not finite.
    #[error(transparent)]
    Boxes(#[from] impinge_broadphase::BroadPhaseError),
    /// A ray cannot be followed.
    #[error(transparent)]
    Ray(#[from] RayError),
    /// A point is nowhere.
    #[error(transparent)]
    Point(#[from] PointError),
    /// A bound is no distance.
    #[error("bound is {bound} m; it must be a number and not negative (infinity is no bound)")]
    Bound {
        /// The bound given (m).
        bound: f64,
    },
    /// The world holds as many colliders or shapes as it can name.
    #[error(
        "the world is full: no more than 2^26 colliders, 2^31 shapes and 2^31 parts can be held; it has all its {what}"
    )]
    Full {
        /// `colliders`, `shapes` or `parts`.
        what: &'static str,
    },
}

/// A call of a solver that failed; the impulses of the last step are kept.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError<E> {
    /// The step's length cannot be used.
    #[error("dt is {dt} s; it must be finite and greater than 0")]
    Dt {
        /// The length given (s).
        dt: f64,
    },
    /// The solver gave an impulse that cannot be kept.
    #[error("the solver's answer: {0}")]
    Impulses(#[from] impinge_contacts::ContactError),
    /// The solver failed.
    #[error("the solver failed: {0}")]
    Solver(E),
}

impl SolveError<std::convert::Infallible> {
    /// The same error where another solver's may stand beside it.
    pub fn of_solver<E>(self) -> SolveError<E> {
        match self {
            SolveError::Dt { dt } => SolveError::Dt { dt },
            SolveError::Impulses(source) => SolveError::Impulses(source),
            SolveError::Solver(never) => match never {},
        }
    }
}
