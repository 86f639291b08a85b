//! What a user may choose.

use crate::lanes::Simd;

/// Settings of a [`BroadPhase`](crate::BroadPhase). The grid needs none: its axes and cells follow
/// from the boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BroadPhaseSettings {
    /// The instructions that boxes are tested with; the result does not depend on it.
    pub simd: Simd,
}
