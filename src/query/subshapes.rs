//! The subshapes of both shapes where they stand.

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{PairFrame, Side};
use impinge_midphase::{Part, PreparedShape, part_pairs};
use nalgebra::{Isometry3, Point3, Vector3};

use super::QueryError;

/// The poses of both shapes, found to be usable.
#[derive(Clone, Copy)]
pub(crate) struct Poses([Isometry3<f64>; 2]);

impl Poses {
    pub fn new(a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<Poses, QueryError> {
        let a = checked_pose(a).map_err(|source| QueryError::Pose { side: 'A', source })?;
        let b = checked_pose(b).map_err(|source| QueryError::Pose { side: 'B', source })?;
        Ok(Poses([a, b]))
    }

    /// Poses that were found to be usable before.
    pub fn checked(a: Isometry3<f64>, b: Isometry3<f64>) -> Poses {
        Poses([a, b])
    }

    pub fn of(&self, side: Side) -> &Isometry3<f64> {
        &self.0[side.index()]
    }

    /// A's, then B's.
    pub fn both(&self) -> [&Isometry3<f64>; 2] {
        self.0.each_ref()
    }

    /// As [`PlacedSubshapes::gap`].
    pub fn gap(&self, shapes: [&PreparedShape; 2], indices: [u32; 2]) -> f64 {
        let parts = [0, 1].map(|k| &shapes[k].parts()[indices[k] as usize]);
        let [a, b] = [0, 1].map(|k| self.0[k] * parts[k].pose);
        sphere_gap(parts, [&a, &b])
    }

    /// A pair of subshapes where they stand.
    pub fn pair<'s>(&self, shapes: [&'s PreparedShape; 2], indices: [u32; 2]) -> PlacedSubshapes<'s> {
        let parts = [0, 1].map(|k| &shapes[k].parts()[indices[k] as usize]);
        let [a, b] = [0, 1].map(|k| self.0[k] * parts[k].pose);
        PlacedSubshapes { parts, indices, frame: PairFrame::new(&a, &b), gap: sphere_gap(parts, [&a, &b]) }
    }

    /// All pairs of subshapes where they stand, A's in order, then B's.
    pub fn pairs<'s>(&self, shapes: [&'s PreparedShape; 2]) -> impl Iterator<Item = PlacedSubshapes<'s>> {
        let poses = *self;
        let [a, b] = [0, 1].map(|k| shapes[k].parts().len() as u32);
        (0..a).flat_map(move |i| (0..b).map(move |j| poses.pair(shapes, [i, j])))
    }

    /// The pairs of subshapes that may come as near as `margin` (m), in the same order; `near` is a buffer.
    pub fn pairs_near<'s: 'n, 'n>(
        &self,
        shapes: [&'s PreparedShape; 2],
        margin: f64,
        near: &'n mut Vec<[u32; 2]>,
    ) -> impl Iterator<Item = PlacedSubshapes<'s>> + use<'s, 'n> {
        let poses = *self;
        part_pairs(shapes, self.both(), margin, near);
        near.iter().map(move |&indices| poses.pair(shapes, indices))
    }
}

/// Two subshapes where they stand.
pub(crate) struct PlacedSubshapes<'s> {
    pub parts: [&'s Part; 2],
    pub indices: [u32; 2],
    pub frame: PairFrame,
    /// They are not nearer than this (m): the gap of their bounding spheres, negative where these meet.
    pub gap: f64,
}

impl PlacedSubshapes<'_> {
    /// A point of the pair frame in the frame of the shape on one side (m).
    pub fn local(&self, side: Side, p: &Point3<f64>) -> Point3<f64> {
        self.parts[side.index()].pose * self.frame.to_local(side, p)
    }
}

fn sphere_gap(parts: [&Part; 2], poses: [&Isometry3<f64>; 2]) -> f64 {
    let center = |k: usize| poses[k] * parts[k].sphere.center.cast::<f64>();
    let between: Vector3<f64> = center(1) - center(0);
    let radii: f64 = parts.iter().map(|part| f64::from(part.sphere.radius)).sum();
    // Far from the world's origin the centres are rounded to its scale.
    let sizes = [0, 1].map(|k| center(k).coords.abs().sum() + poses[k].translation.vector.abs().sum());
    let gap = between.norm() * (1.0 - 1e-12) - radii - 1e-14 * (sizes[0] + sizes[1]);
    // An overflow is not taken for "apart".
    if gap.is_nan() { f64::NEG_INFINITY } else { gap }
}
