//! Errors of calls.

use impinge_geometry::Aabb;

/// A call that was refused. The structure is as it was before the call.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BroadPhaseError {
    /// The slot already holds a collider.
    #[error("slot {slot} already holds a collider; remove it first or use a free slot")]
    SlotInUse {
        /// The slot.
        slot: u32,
    },
    /// The slot number is above the greatest that can be used.
    #[error("slot {slot} is above the greatest usable slot, {}", crate::MAX_SLOT)]
    SlotTooHigh {
        /// The slot.
        slot: u32,
    },
    /// The slot holds no collider.
    #[error("slot {slot} holds no collider; insert one first")]
    UnknownSlot {
        /// The slot.
        slot: u32,
    },
    /// The collider is disabled already.
    #[error("the collider of slot {slot} is disabled already; enable it first")]
    Disabled {
        /// The slot.
        slot: u32,
    },
    /// The collider is not disabled.
    #[error("the collider of slot {slot} is not disabled; only disabled colliders can be enabled")]
    NotDisabled {
        /// The slot.
        slot: u32,
    },
    /// A motion is not finite.
    #[error("the motion of slot {slot} is {motion:?}; give finite numbers")]
    Motion {
        /// The slot.
        slot: u32,
        /// The motion as given (m).
        motion: [f32; 3],
    },
    /// A query with invalid arguments.
    #[error("{what}; give finite numbers, each minimum at most its maximum")]
    Query {
        /// The argument that is invalid, and how.
        what: &'static str,
    },
    /// The same slot stands twice in one batch.
    #[error("slot {slot} stands more than once in the batch; name each slot once")]
    DuplicateSlot {
        /// The slot.
        slot: u32,
    },
    /// A bound of the box is NaN, or a minimum is above its maximum.
    #[error(
        "the box of slot {slot} is {:?}..{:?}; no bound may be NaN and each minimum must be at most its maximum",
        aabb.min,
        aabb.max
    )]
    InvalidAabb {
        /// The slot.
        slot: u32,
        /// The box as given (m).
        aabb: Aabb,
    },
}
