//! A point at which a sheet is near something.

use std::cmp::Ordering;

use nalgebra::{Point3, Vector3};

use crate::distance::Feature;

/// How near is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetReach {
    /// How far apart surfaces should be (m).
    pub thickness: f64,
    /// What is farther apart than that by less than this is told, too (m).
    pub margin: f64,
}

impl SheetReach {
    /// What is not nearer than this is not told (m).
    pub fn most(&self) -> f64 {
        self.thickness + self.margin
    }
}

/// A place at which a sheet is near itself, or something else. A is the sheet, B the other; of a sheet and itself, A is the lower
/// feature (vertices before edges before faces).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetPoint {
    /// What comes near what: a vertex a vertex, an edge or a face, or an edge an edge; [`Feature::Smooth`] of what has no features.
    pub features: [Feature; 2],
    /// The subshape that B is: a child of a composite, else 0.
    pub subshape: u32,
    /// A triangle that has each.
    pub triangles: [Option<u32>; 2],
    /// Where in these triangles the points lie: what each corner weighs, 1 in all. Zero without a triangle.
    pub weights: [[f64; 3]; 2],
    /// The nearest points (m, pair frame; of a sheet and itself its own).
    pub points: [Point3<f64>; 2],
    /// Unit, from A's point to B's; where they are one, the face's or the edges'. Inside a body, into it.
    pub normal: Vector3<f64>,
    /// How far apart they are (m); negative of a vertex of the sheet in a body.
    pub distance: f64,
    /// How far apart they should be (m): the thickness, or less where they were nearer in the sheet's rest.
    pub keep: f64,
}

impl SheetPoint {
    /// By how much they are too near (m); negative where they are only within the margin.
    pub fn depth(&self) -> f64 {
        self.keep - self.distance
    }

    /// The order of points: that of their features, and of several that say the same, by all that could tell them apart.
    pub(super) fn order(&self, other: &SheetPoint) -> Ordering {
        let named = |point: &SheetPoint| (point.features, point.triangles);
        let by_numbers = |p: [f64; 3], q: [f64; 3]| {
            (0..3).map(|k| p[k].total_cmp(&q[k])).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        named(self)
            .cmp(&named(other))
            .then_with(|| self.distance.total_cmp(&other.distance))
            .then_with(|| by_numbers(self.normal.into(), other.normal.into()))
            .then_with(|| by_numbers(self.weights[0], other.weights[0]))
            .then_with(|| by_numbers(self.weights[1], other.weights[1]))
    }
}

/// What searches have cost, summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SheetCounts {
    /// Pairs of leaves whose boxes are near.
    pub leaf_pairs: u64,
    /// Pairs of triangles whose boxes are near.
    pub triangle_pairs: u64,
    /// Vertices with faces, and edges with edges, that were measured.
    pub measured: u64,
}

impl std::ops::AddAssign for SheetCounts {
    fn add_assign(&mut self, other: SheetCounts) {
        self.leaf_pairs += other.leaf_pairs;
        self.triangle_pairs += other.triangle_pairs;
        self.measured += other.measured;
    }
}

/// What a share of the work has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub points: Vec<SheetPoint>,
    pub counts: SheetCounts,
}
