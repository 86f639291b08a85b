//! Settings of the narrow phase.

/// How the contacts of two surfaces are found. Whether they touch is exact with each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NarrowMethod {
    /// Views as close as it takes, exact volumes, and the least translation that separates the bodies.
    #[default]
    Exact,
    /// One height map of each body over each contact, along its contours' area vector: where A ends and where B begins on every
    /// line. For bodies that are seen whole from one side where they touch, as on terrain. Hollows in between count as overlap, the
    /// normal is that of the area vector, and depths are those of lines. What it does not do for is answered as by
    /// [`NarrowMethod::Exact`], in the same step.
    HeightMap,
}

/// Settings of the narrow phase, the same for every pair of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NarrowSettings {
    /// OverlapIntervals per side of a view, a power of two from 4 to 256; 32 is usual. Cost grows with its
    /// square. Views along a contour's normal use half of it and zoom in on the deepest column.
    pub resolution: u32,
    /// Pairs closer than this (m) may be reported with negative depth. Not negative.
    pub margin: f64,
    /// Count every intersecting triangle pair, even where the answer does not need them.
    pub count_triangle_pairs: bool,
    /// Send primitives and hulls through columns too, instead of testing them as convex solids, and keep the gradient
    /// of the overlap's volume as its normal, where it has one, without searching a shorter translation (for
    /// comparisons with convex contacts).
    pub columns_only: bool,
    /// Samples along the longer side of each patch's region; 0 for patches without regions.
    pub patch_samples: u32,
    /// How many tests of boxes and of pairs of leaves a pair's searches for the least translation may take before the best that was
    /// found is taken. At least 1.
    pub search_budget: u64,
    /// How the contacts of two surfaces are found.
    pub method: NarrowMethod,
}

/// The usual [`NarrowSettings::search_budget`]: some ten milliseconds.
pub const SEARCH_BUDGET: u64 = 250_000;

impl NarrowSettings {
    /// Pixels per side of a view along a contour's normal.
    pub fn coarse(&self) -> u32 {
        (self.resolution / 2).max(4)
    }
}

impl Default for NarrowSettings {
    fn default() -> NarrowSettings {
        NarrowSettings {
            resolution: 32,
            margin: 0.0,
            count_triangle_pairs: false,
            columns_only: false,
            patch_samples: 0,
            search_budget: SEARCH_BUDGET,
            method: NarrowMethod::Exact,
        }
    }
}
