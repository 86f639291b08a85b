//! Settings.

use impinge_geometry::SimdLevel;

use crate::registry::margin::Margin;

/// Settings of a [`BroadPhase`](crate::BroadPhase). The grid needs none: its axes and cells follow
/// from the boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BroadPhaseSettings {
    /// The vector instructions that boxes are tested with; the result does not depend on them.
    pub simd: SimdLevel,
    /// Fat boxes; `None` for exact ones.
    pub margin: Option<Margin>,
}
