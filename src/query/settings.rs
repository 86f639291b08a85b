//! Settings of a query.

use impinge_contacts::ContactSettings;
use impinge_geometry::SimdLevel;
use impinge_pair::NarrowSettings;

use crate::BuildError;
use crate::config::check_resolution;

/// Settings of a [`PairQuery`](crate::PairQuery).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuerySettings {
    /// Columns per side of a view: a power of two from 4 to 256 (default 32).
    pub resolution: u32,
    /// Count all intersecting triangle pairs with the contacts (default: no).
    pub count_triangle_pairs: bool,
    /// Send primitives and hulls through columns instead of their closed forms, and keep the gradient of an
    /// overlap's volume as its normal, where it has one, without looking for a shorter way out (default: no).
    pub columns_only: bool,
    /// Pairs closer than this (m, default 0) give contact points of negative depth.
    pub margin: f64,
    /// Most points of a manifold, 1 to 4 (default 4).
    pub max_points: usize,
    /// Most manifolds of a pair of parts (default 4); the deepest are kept.
    pub max_manifolds: usize,
    /// The vector instructions to use (default: the best that the processor has). No answer depends on them.
    pub simd: SimdLevel,
}

impl Default for QuerySettings {
    fn default() -> QuerySettings {
        QuerySettings {
            resolution: 32,
            count_triangle_pairs: false,
            columns_only: false,
            margin: 0.0,
            max_points: 4,
            max_manifolds: 4,
            simd: SimdLevel::detect(),
        }
    }
}

impl QuerySettings {
    /// The settings of the stages.
    pub(super) fn checked(&self) -> Result<(NarrowSettings, ContactSettings), BuildError> {
        check_resolution("resolution", self.resolution)?;
        let out_of_range = |setting, value: String, remedy| BuildError::Setting { setting, value, remedy };
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            let value = format!("{} m", self.margin);
            return Err(out_of_range("margin", value, "it must be finite and not negative"));
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
            columns_only: self.columns_only,
        };
        let contacts = ContactSettings { max_points: self.max_points, max_manifolds: self.max_manifolds };
        Ok((narrow, contacts))
    }
}
