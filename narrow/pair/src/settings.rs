//! Settings of the narrow phase.

use std::fmt;
use std::str::FromStr;

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

impl NarrowMethod {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [NarrowMethod; 2] = [NarrowMethod::Exact, NarrowMethod::HeightMap];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            NarrowMethod::Exact => "exact",
            NarrowMethod::HeightMap => "height-map",
        }
    }
}

impl fmt::Display for NarrowMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no method has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNarrowMethod {
    /// The name given.
    pub name: String,
}

impl fmt::Display for UnknownNarrowMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown method `{}`; it is one of exact, height-map", self.name)
    }
}

impl std::error::Error for UnknownNarrowMethod {}

impl FromStr for NarrowMethod {
    type Err = UnknownNarrowMethod;

    fn from_str(name: &str) -> Result<NarrowMethod, UnknownNarrowMethod> {
        let found = NarrowMethod::ALL.into_iter().find(|method| method.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownNarrowMethod { name: name.to_owned() })
    }
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
    /// Make the contacts of two closed meshes from their exact overlaps, without views, where each overlap is one contact.
    pub exact_regions: bool,
    /// Samples along the longer side of each patch's region; 0 for patches without regions.
    pub patch_samples: u32,
    /// How many tests of boxes and of pairs of leaves a pair's searches for the least translation may take before the best that was
    /// found is taken. At least 1.
    pub search_budget: u64,
    /// How the contacts of two surfaces are found.
    pub method: NarrowMethod,
    /// Lay all views with as many lines as a device samples, so that it can go on with them.
    pub full_views: bool,
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
            exact_regions: true,
            patch_samples: 0,
            search_budget: SEARCH_BUDGET,
            method: NarrowMethod::Exact,
            full_views: false,
        }
    }
}
