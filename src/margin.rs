//! From how far apart colliders have contacts.

use impinge_midphase::PreparedShape;

use crate::config::Config;
use crate::pipeline::PlacedCollider;
use crate::query::default_gap;

/// Contacts of a fast collider begin at this many times the gap that its sweeps leave: what a sweep has stopped is held by
/// contacts from the next step on, before it touches.
const FAST_GAPS: f64 = 4.0;

/// From how far apart a pair has contacts (m).
pub(crate) fn pair_margin(sides: &[PlacedCollider<'_>; 2], config: &Config) -> f64 {
    let given = config.narrow.margin;
    if sides.iter().any(|side| side.fast) {
        given.max(FAST_GAPS * default_gap(sides.map(|side| side.shape)))
    } else {
        given
    }
}

/// By how much a collider's box is grown, so that the boxes of pairs closer than their margin meet (m).
pub(crate) fn box_margin(shape: &PreparedShape, fast: bool, config: &Config) -> f32 {
    let half = config.box_margin();
    // The gap is a part of the smaller one's radius: its own grows a box enough for both.
    if fast { half + (1.01 * FAST_GAPS * default_gap([shape; 2])) as f32 } else { half }
}
