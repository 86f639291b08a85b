//! How far the parts of a body reach from what it turns about.

use impinge_geometry::{PairPath, Side};

/// No point that is within `reach` (m) of a part's origin is farther from the axis that its body turns about (m).
pub(super) fn farthest(path: &PairPath, side: Side, reach: f64) -> f64 {
    path.arm_of(side, &path.at(0.0).offset[side.index()], 0.0) + reach
}
