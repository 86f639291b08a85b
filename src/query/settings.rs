//! Settings of a query.

use impinge_contacts::ContactSettings;
use impinge_geometry::{FARTHEST, SimdLevel};
use impinge_pair::{NarrowMethod, NarrowSettings, SEARCH_BUDGET};

use crate::BuildError;
use crate::config::{check_patch_samples, check_resolution, check_search_budget};

/// Settings of a [`PairQuery`](crate::PairQuery).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct QuerySettings {
    /// Columns per side of a view: a power of two from 4 to 256 (default 32).
    pub resolution: u32,
    /// Count all intersecting triangle pairs with the contacts (default: no).
    pub count_triangle_pairs: bool,
    /// Makes the contacts of two closed meshes from their exact overlaps, without views, where each overlap is one
    /// contact (default: yes). Otherwise all pairs are seen in views; for comparisons.
    #[doc(hidden)]
    pub exact_regions: bool,
    /// Samples along the longer side of each contact region: [`Manifold::patch`](crate::Manifold::patch) has its outline, and
    /// at each sample the depth and both surfaces' normals. From 4 to 256; 0 (the default) for none.
    pub patch_samples: u32,
    /// How many tests of boxes and of pairs of leaves the search for a least translation may take, at least 1 (default 250,000, some ten
    /// milliseconds). When they are spent, the shortest that was found is taken, and the status says
    /// [`SEARCH_CUT`](crate::StepStatus::SEARCH_CUT).
    pub search_budget: u64,
    /// How contacts of two surfaces are found (default: [`NarrowMethod::Exact`]).
    pub narrow_method: NarrowMethod,
    /// Pairs closer than this (m, default 0) give contact points of negative depth.
    pub margin: f64,
    /// Most points of a manifold, 1 to 4 (default 4).
    pub max_points: usize,
    /// Most manifolds of a pair of subshapes (default 4); the deepest are kept.
    pub max_manifolds: usize,
    /// The vector instructions to use (default: the best that the processor has). No answer depends on them.
    pub simd: SimdLevel,
}

impl Default for QuerySettings {
    fn default() -> QuerySettings {
        QuerySettings {
            resolution: 32,
            count_triangle_pairs: false,
            exact_regions: true,
            patch_samples: 0,
            search_budget: SEARCH_BUDGET,
            narrow_method: NarrowMethod::Exact,
            margin: 0.0,
            max_points: 4,
            max_manifolds: 4,
            simd: SimdLevel::detect(),
        }
    }
}

impl QuerySettings {
    /// With so many columns per side of a view: a power of two from 4 to 256.
    pub fn resolution(self, resolution: u32) -> QuerySettings {
        QuerySettings { resolution, ..self }
    }

    /// With or without the number of all intersecting triangle pairs.
    pub fn count_triangle_pairs(self, count_triangle_pairs: bool) -> QuerySettings {
        QuerySettings { count_triangle_pairs, ..self }
    }

    /// With the outline and a field of depths of each contact region, so many samples along its longer side.
    pub fn patch_samples(self, patch_samples: u32) -> QuerySettings {
        QuerySettings { patch_samples, ..self }
    }

    /// With so many tests for the search for a least translation.
    pub fn search_budget(self, search_budget: u64) -> QuerySettings {
        QuerySettings { search_budget, ..self }
    }

    /// With contacts of two surfaces found in this way.
    pub fn narrow_method(self, narrow_method: NarrowMethod) -> QuerySettings {
        QuerySettings { narrow_method, ..self }
    }

    /// With contact points of negative depth for pairs closer than this (m).
    pub fn margin(self, margin: f64) -> QuerySettings {
        QuerySettings { margin, ..self }
    }

    /// With at most so many points per manifold, 1 to 4.
    pub fn max_points(self, max_points: usize) -> QuerySettings {
        QuerySettings { max_points, ..self }
    }

    /// With at most so many manifolds per pair of subshapes.
    pub fn max_manifolds(self, max_manifolds: usize) -> QuerySettings {
        QuerySettings { max_manifolds, ..self }
    }

    /// With these vector instructions; no answer depends on them.
    pub fn simd(self, simd: SimdLevel) -> QuerySettings {
        QuerySettings { simd, ..self }
    }

    /// Sets [`QuerySettings::exact_regions`].
    #[doc(hidden)]
    pub fn exact_regions(self, exact_regions: bool) -> QuerySettings {
        QuerySettings { exact_regions, ..self }
    }

    /// The settings of the stages.
    pub(super) fn checked(&self) -> Result<(NarrowSettings, ContactSettings), BuildError> {
        check_resolution("resolution", self.resolution)?;
        check_patch_samples(self.patch_samples)?;
        check_search_budget(self.search_budget)?;
        let out_of_range = |setting, value: String, remedy| BuildError::Setting { setting, value, remedy };
        if !(0.0..=FARTHEST).contains(&self.margin) {
            let value = format!("{} m", self.margin);
            return Err(out_of_range("margin", value, "it must be from 0 to 1e30 m"));
        }
        if !(1..=4).contains(&self.max_points) {
            let value = self.max_points.to_string();
            return Err(out_of_range("max_points", value, "it must be from 1 to 4"));
        }
        if self.max_manifolds == 0 {
            return Err(out_of_range("max_manifolds", "0".to_owned(), "it must be at least 1"));
        }
        let narrow = NarrowSettings {
            resolution: self.resolution,
            margin: self.margin,
            count_triangle_pairs: self.count_triangle_pairs,
            exact_regions: self.exact_regions,
            patch_samples: self.patch_samples,
            search_budget: self.search_budget,
            method: self.narrow_method,
            full_views: false,
        };
        let contacts =
            ContactSettings::default().max_points(self.max_points).max_manifolds(self.max_manifolds);
        Ok((narrow, contacts))
    }
}
