//! How far two bodies must be moved to come apart, by brute force.
//!
//! Asks only the exact question whether the bodies touch, never for a depth.

use impinge::PairQuery;
use impinge::query::{QueryError, QueryScratch};
use impinge_oracle::{Search, least_translation};
use nalgebra::{Isometry3, Translation3, Vector3};

/// Fine enough for a check: the best direction to about 0.01 rad, the distance to one part in a hundred.
const SEARCH: Search = Search {
    directions: 400,
    places: 1,
    gain: 0.985,
    growth: 2.0,
    cones: 6,
    narrowing: 0.5,
    rounds: 6,
    around: 8,
    halvings: 7,
};

/// Two bodies at their poses.
pub struct Placement<'a> {
    /// The pair.
    pub query: &'a PairQuery,
    /// Pose of A (m).
    pub a: Isometry3<f64>,
    /// Pose of B (m).
    pub b: Isometry3<f64>,
}

impl Placement<'_> {
    /// Length of the shortest translation of B found that frees the pair (m): 0 where it is free, at
    /// most `limit`. Directions of `first` (unit) are tried before all others, to get short early.
    pub fn least_translation(
        &self,
        first: &[Vector3<f64>],
        limit: f64,
        scratch: &mut QueryScratch,
    ) -> Result<f64, QueryError> {
        let is_free = |shift: &Vector3<f64>| {
            let b = Translation3::from(*shift) * self.b;
            Ok(!self.query.touching_with(&self.a, &b, scratch)?)
        };
        Ok(least_translation(first, limit, &SEARCH, is_free)?.distance)
    }
}

#[cfg(test)]
mod tests {
    use impinge::{QuerySettings, Shape};

    use super::*;

    fn depth(a: &Shape, b: &Shape, at: Isometry3<f64>) -> f64 {
        let query = PairQuery::new(a, b, QuerySettings::default()).unwrap();
        let placement = Placement { query: &query, a: Isometry3::identity(), b: at };
        placement.least_translation(&[], 2.0, &mut QueryScratch::default()).unwrap()
    }

    #[test]
    fn balls_come_apart_along_the_line_of_their_centres() {
        let ball = Shape::sphere(0.5).unwrap();
        let turned = Vector3::new(0.3, -0.5, 0.77).normalize() * 0.9;
        let found = depth(&ball, &ball, Isometry3::translation(turned.x, turned.y, turned.z));
        assert!((0.1..0.1025).contains(&found), "{found}");
    }

    #[test]
    fn a_box_leaves_a_floor_upward_and_a_free_pair_needs_nothing() {
        let floor = Shape::half_space();
        let cube = Shape::cuboid([0.5; 3]).unwrap();
        let found = depth(&floor, &cube, Isometry3::translation(3.0, 1.0, 0.46));
        assert!((0.04..0.0412).contains(&found), "{found}");
        assert_eq!(depth(&floor, &cube, Isometry3::translation(3.0, 1.0, 0.51)), 0.0);
    }
}
