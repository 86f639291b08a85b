//! Settings of the contacts stage.

/// How much of what the narrow phase found a manifold list keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactSettings {
    /// Points of a manifold at most, 1 to 4 (values outside are clamped). Four carry a patch's
    /// wrench; fewer do not in general.
    pub max_points: usize,
    /// Manifolds of one pair of subshapes at most. Where there are more, those whose normals agree are
    /// merged; of what is left the deepest are kept, the rest are counted in
    /// [`ContactCounts::over_limit`](crate::ContactCounts::over_limit). 0 counts as 1. A region that winds round its normal, as
    /// on a thread, counts as one and has three manifolds of four points, where at least three and four of these are allowed.
    pub max_manifolds: usize,
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings { max_points: 4, max_manifolds: 4 }
    }
}

impl ContactSettings {
    /// With at most so many points per manifold.
    pub fn max_points(self, max_points: usize) -> ContactSettings {
        ContactSettings { max_points, ..self }
    }

    /// With at most so many manifolds per pair of subshapes.
    pub fn max_manifolds(self, max_manifolds: usize) -> ContactSettings {
        ContactSettings { max_manifolds, ..self }
    }
}
