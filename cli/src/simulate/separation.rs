//! How far two bodies must be moved to come apart, by brute force.
//!
//! Asks only the exact question whether the bodies touch, never for a depth: hundreds of directions
//! over the whole sphere, then finer and finer around the best. Every answer is a translation that
//! was seen to free the pair, so the result is never less than the true least one.

use std::f64::consts::TAU;

use impinge::PairQuery;
use impinge::query::{QueryError, QueryScratch};
use nalgebra::{Isometry3, Translation3, Vector3};

/// Directions over the whole sphere.
const DIRECTIONS: u32 = 400;
/// Half angles of the cones searched around the best direction (rad).
const CONES: [f64; 6] = [0.16, 0.08, 0.04, 0.02, 0.01, 0.004];
/// How often a cone is searched again around a better direction.
const ROUNDS: u32 = 6;
/// Directions on each cone.
const AROUND: u32 = 8;
/// A direction is followed only where it promises to be better by this factor.
const GAIN: f64 = 0.985;
/// Halvings of the interval between touching and free.
const HALVINGS: u32 = 7;

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
        if self.is_free(&Vector3::zeros(), scratch)? {
            return Ok(0.0);
        }
        let mut best = (limit, Vector3::z());
        for direction in first {
            self.double(direction, &mut best, scratch)?;
        }
        for k in 0..DIRECTIONS {
            self.follow(&fibonacci(k, DIRECTIONS), &mut best, scratch)?;
        }
        for angle in CONES {
            for _ in 0..ROUNDS {
                let axis = best.1;
                for direction in cone(&axis, angle) {
                    self.follow(&direction, &mut best, scratch)?;
                }
                if best.1 == axis {
                    break;
                }
            }
        }
        Ok(best.0)
    }

    /// Goes along a direction in doubling steps until the pair is free, then back by halves.
    fn double(
        &self,
        direction: &Vector3<f64>,
        best: &mut (f64, Vector3<f64>),
        scratch: &mut QueryScratch,
    ) -> Result<(), QueryError> {
        let mut reach = best.0 * 2.0f64.powi(-16);
        let mut touching = 0.0;
        while reach < best.0 {
            if self.is_free(&(direction * reach), scratch)? {
                *best = (self.halve(direction, touching, reach, scratch)?, *direction);
                return Ok(());
            }
            touching = reach;
            reach *= 2.0;
        }
        Ok(())
    }

    /// Tries whether a direction is better than the best so far, and by how much.
    fn follow(
        &self,
        direction: &Vector3<f64>,
        best: &mut (f64, Vector3<f64>),
        scratch: &mut QueryScratch,
    ) -> Result<(), QueryError> {
        let reach = GAIN * best.0;
        if self.is_free(&(direction * reach), scratch)? {
            *best = (self.halve(direction, 0.0, reach, scratch)?, *direction);
        }
        Ok(())
    }

    fn halve(
        &self,
        direction: &Vector3<f64>,
        mut touching: f64,
        mut free: f64,
        scratch: &mut QueryScratch,
    ) -> Result<f64, QueryError> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (touching + free);
            if self.is_free(&(direction * middle), scratch)? {
                free = middle;
            } else {
                touching = middle;
            }
        }
        Ok(free)
    }

    fn is_free(&self, shift: &Vector3<f64>, scratch: &mut QueryScratch) -> Result<bool, QueryError> {
        let b = Translation3::from(*shift) * self.b;
        Ok(!self.query.touching_with(&self.a, &b, scratch)?)
    }
}

/// The `k`-th of `count` directions spread evenly over the sphere.
///
/// Source: Swinbank, Purser, "Fibonacci grids: A novel approach to global modelling", 2006.
fn fibonacci(k: u32, count: u32) -> Vector3<f64> {
    let golden = 0.5 * (5.0f64.sqrt() - 1.0);
    let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
    let (sin, cos) = (TAU * golden * f64::from(k)).sin_cos();
    let r = (1.0 - z * z).sqrt();
    Vector3::new(r * cos, r * sin, z)
}

/// Directions at an angle (rad) from an axis, evenly around it.
fn cone(axis: &Vector3<f64>, angle: f64) -> impl Iterator<Item = Vector3<f64>> {
    let least = axis.iamin();
    let u = axis.cross(&Vector3::ith(least, 1.0)).normalize();
    let v = axis.cross(&u);
    let (sin, cos) = angle.sin_cos();
    let axis = *axis;
    (0..AROUND).map(move |k| {
        let (s, c) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
        axis * cos + (u * c + v * s) * sin
    })
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
