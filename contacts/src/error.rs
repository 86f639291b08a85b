//! Errors of materials and impulses.

use thiserror::Error;

/// A material that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A coefficient is negative, infinite or not a number.
    #[error("material {coefficient} is {value}; it must be finite and not negative")]
    Coefficient {
        /// Which one: `friction`, `restitution`, `stiffness` or `damping`.
        coefficient: &'static str,
        /// The value given.
        value: f64,
    },
    /// A table entry for materials of no kind.
    #[error("kind 0 names no kind of material; number the kinds from 1")]
    NoKind,
}

/// Impulses that cannot be taken back from a solver.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ContactError {
    /// Not one impulse per row.
    #[error("{impulses} impulses for {points} contact points; give one per row, in the order of the rows")]
    ImpulseCount {
        /// Impulses given.
        impulses: usize,
        /// Points of all manifolds.
        points: usize,
    },
    /// An impulse is infinite or not a number.
    #[error("the impulse of row {row} is not finite ({value}); the solver diverged or was given bad masses")]
    ImpulseNotFinite {
        /// Index of the row.
        row: usize,
        /// The first component that is not finite.
        value: f64,
    },
}
