//! The table of all passes on the device, room by room. A row more, a shader more and a struct of inputs and outputs
//! make a new pass.

use crate::device::pass::Pass;
use crate::{classic, height_map, image, intersect, ldi, manifold, surfaces};

/// The passes of an engine's step, in the order in which they run.
pub const STEP_PASSES: &[Pass] = &[
    intersect::passes::INTERSECT,
    image::passes::VIEW,
    image::passes::SNAP,
    image::passes::LAYERS,
    image::capture::passes::UNORDERED,
    image::capture::passes::PEELING,
    image::passes::INTERVALS,
    manifold::passes::PLACE_PAIRS,
    manifold::passes::GROUP_PASS,
    manifold::passes::CONTACT_VIEW_PASS,
    manifold::passes::SOLIDS_PASS,
    manifold::passes::PATCHES_PASS,
    manifold::passes::INTERVAL_PLACES_PASS,
    manifold::passes::VIEW_INTERVALS_PASS,
];

/// All passes.
pub const PASSES: &[Pass] = &[
    intersect::passes::INTERSECT,
    image::passes::VIEW,
    image::passes::SNAP,
    image::passes::LAYERS,
    image::capture::passes::UNORDERED,
    image::capture::passes::PEELING,
    image::passes::INTERVALS,
    manifold::passes::PLACE_PAIRS,
    manifold::passes::GROUP_PASS,
    manifold::passes::CONTACT_VIEW_PASS,
    manifold::passes::SOLIDS_PASS,
    manifold::passes::PATCHES_PASS,
    manifold::passes::INTERVAL_PLACES_PASS,
    manifold::passes::VIEW_INTERVALS_PASS,
    image::capture::passes::SPANS,
    image::capture::passes::FIRST_LAYER,
    image::capture::passes::COLLECT,
    ldi::passes::PEEL,
    ldi::passes::STOP,
    ldi::passes::COUNT,
    ldi::passes::SCAN_BLOCKS,
    ldi::passes::SCAN_SUMS,
    ldi::passes::SCAN_ADD,
    ldi::passes::SCATTER,
    ldi::passes::SORT,
    height_map::passes::DRAW,
    height_map::passes::COMPARE,
    height_map::passes::CLOUD,
    classic::passes::FIGURE,
    classic::passes::FIELD,
    surfaces::passes::SKIN,
    surfaces::passes::GATHER,
    surfaces::passes::FIT,
    surfaces::passes::MEET,
    surfaces::passes::SUM,
];
