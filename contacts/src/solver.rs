//! The interface to a solver: rows out, impulses back.

use impinge_geometry::ColliderId;
use nalgebra::{Point3, Vector3};

pub use crate::manifold::Impulse;

/// One contact point as a constraint solver wants it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// The colliders A and B; A has the lower index.
    pub colliders: [ColliderId; 2],
    /// The caller's own number of each collider's body (`Collider::user_data`).
    pub user_data: [u64; 2],
    /// Index of the manifold among the step's manifolds; rows of a manifold are neighbours.
    pub manifold: u32,
    /// Where the contact is (m, world).
    pub position: Point3<f64>,
    /// The point on A's surface, in the frame of collider A (m).
    pub local_a: Point3<f32>,
    /// The point on B's surface, in the frame of collider B (m).
    pub local_b: Point3<f32>,
    /// The point's name from step to step ([`ContactPoint::key`](crate::ContactPoint::key)): unique among
    /// the rows of its two colliders' subshapes.
    pub key: u64,
    /// Unit normal from A to B (world): the point's own, see [`Manifold::normal_at`](crate::Manifold::normal_at).
    pub normal: Vector3<f64>,
    /// Two unit tangents that make a right-handed frame with the normal, the same from step to step
    /// while the normal is.
    pub tangents: [Vector3<f64>; 2],
    /// Overlap along the manifold's normal (m); negative for a gap, over which the bodies may still approach each other: by
    /// `−depth / dt` (m/s) and no faster.
    pub depth: f64,
    /// The area the point stands for (m²): over the rows of a manifold `weight · normal` adds up to its
    /// [`force`](crate::Manifold::force), as [`Manifold::normal_at`](crate::Manifold::normal_at) has it.
    pub weight: f64,
    /// Mean velocity over the step of B's surface against A's at the point (m/s, world), beside the motion of the bodies that the solver
    /// moves: that of fixed colliders whose velocity is said, and of belts. A solver adds it to the relative velocity
    /// of the bodies, B's less A's, in normal and tangential rows alike.
    pub surface_velocity: Vector3<f64>,
    /// Angular velocity of B's surface against A's (rad/s, world axes), beside that of the bodies that the solver moves:
    /// resistance against rolling and spinning acts on the sum.
    pub surface_spin: Vector3<f64>,
    /// Coefficient of friction of the two materials.
    pub friction: f64,
    /// Coefficient of restitution of the two materials.
    pub restitution: f64,
    /// Contact stiffness of the two materials (N/m); `None` leaves it to the solver.
    pub stiffness: Option<f64>,
    /// Contact damping of the two materials (N·s/m); `None` leaves it to the solver.
    pub damping: Option<f64>,
    /// The impulse found for this point in the last step.
    pub warm: Impulse,
}

/// A solver that takes contact rows and gives impulses back.
pub trait Solver {
    /// The solver's error.
    type Error;

    /// Solves the rows over a step of `dt` (s) and writes each row's impulse to the same index of
    /// `impulses`, which comes in holding the rows' warm-start values.
    ///
    /// # Errors
    /// Whatever the solver cannot do; the impulses written are then dropped.
    fn solve(&mut self, rows: &[ContactRow], impulses: &mut [Impulse], dt: f64) -> Result<(), Self::Error>;

    /// The normal impulse (N·s) that each row had over all of the last [`solve`](Solver::solve), in the order of the
    /// rows; `None` where that is what was written to `impulses`. A solver in substeps that starts the next step from
    /// its last substep has others: a hit in the first substep is over in the last. They are what
    /// [`TouchSummary::impulse`](crate::TouchSummary::impulse) and events report.
    fn total_impulses(&self) -> Option<&[f64]> {
        None
    }
}
