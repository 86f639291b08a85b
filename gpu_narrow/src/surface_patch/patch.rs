//! Triangles that stand for a part of a surface, with the surface's own names for them.

use std::collections::BTreeMap;

use impinge_geometry::Side;
use impinge_image_space::crossing::{FARTHEST, NEAREST};
use impinge_image_space::intervals::Interval;
use impinge_midphase::{ObbTree, PairJob};
use nalgebra::{Point3, Vector3};

/// Cells beyond what the bodies may share, on each side: more than places are rounded by.
pub(super) const BORDER: i64 = 1;

/// The surface in a box of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfacePatch {
    pub vertices: Vec<Point3<f32>>,
    /// Corners of its triangles, those of leaves first.
    pub triangles: Vec<[u32; 3]>,
    /// What the surface calls them; of one that closes the patch where it is cut a triangle that no test looks at.
    pub names: Vec<u32>,
    /// Whether they close the patch where it is cut.
    pub(super) cut: Vec<bool>,
    /// Where the triangles of each leaf begin, and one more.
    pub starts: Vec<u32>,
    /// The number here of each leaf that was asked for.
    leaves: BTreeMap<u32, u32>,
}

impl SurfacePatch {
    /// A patch without triangles.
    pub(super) fn of_vertices(vertices: Vec<Point3<f32>>) -> SurfacePatch {
        SurfacePatch { vertices, ..SurfacePatch::default() }
    }

    pub(super) fn put(&mut self, name: u32, corners: [u32; 3], cut: bool) {
        self.triangles.push(corners);
        self.names.push(name);
        self.cut.push(cut);
    }

    /// Puts the triangles of leaves, `corners` by what the surface calls them; gives these names, or `None` where one has no corners.
    pub(super) fn put_leaves(
        &mut self,
        leaves: &[u32],
        tree: &ObbTree,
        corners: impl Fn(u32) -> Option<[u32; 3]>,
    ) -> Option<Vec<u32>> {
        for &leaf in leaves {
            self.leaves.insert(leaf, self.starts.len() as u32);
            self.starts.push(self.triangles.len() as u32);
            for triangle in tree.leaf_triangles(leaf) {
                self.put(triangle, corners(triangle)?, false);
            }
        }
        self.starts.push(self.triangles.len() as u32);
        Some(self.names.clone())
    }

    /// Gives the ends of an interval inside the body the names of the surface's triangles. Where the patch was cut the body goes on: such an
    /// end is as far as there is a depth. Whether there are such triangles.
    pub fn rename(&self, interval: &mut Interval) -> bool {
        let far = |depth: &mut i32, triangle: &mut u32, end: i32| {
            let own = *triangle as usize;
            let (Some(name), Some(cut)) = (self.names.get(own), self.cut.get(own)) else { return false };
            *triangle = *name;
            if *cut {
                *depth = end;
            }
            true
        };
        // What the view does not show has no triangle.
        (interval.open <= NEAREST || far(&mut interval.open, &mut interval.open_triangle, NEAREST))
            && (interval.close > FARTHEST || far(&mut interval.close, &mut interval.close_triangle, FARTHEST))
    }

    /// The number of a leaf of the surface's tree among the patch's.
    pub fn leaf(&self, leaf: u32) -> Option<u32> {
        self.leaves.get(&leaf).copied()
    }

    /// The greatest coordinate along each axis, either way (m).
    pub fn reach(&self) -> Vector3<f64> {
        self.vertices.iter().fold(Vector3::zeros(), |most, v| most.sup(&v.coords.abs().cast()))
    }
}

/// The leaves on one side of pairs, rising.
pub(super) fn leaves_of(leaf_pairs: &[[u32; 2]], side: Side) -> Vec<u32> {
    let mut leaves: Vec<u32> = leaf_pairs.iter().map(|pair| pair[side.index()]).collect();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

/// Least and greatest coordinates of all that the bodies of a job may share (m, the frame of one of them).
pub(super) fn interest_in(job: &PairJob<'_>, side: Side) -> [[f64; 3]; 2] {
    let [low, high] = job.interest;
    let (mut from, mut to) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for corner in 0..8 {
        let at = Point3::from(Vector3::from_fn(|k, _| if corner >> k & 1 == 0 { low[k] } else { high[k] }));
        let own = job.frame.to_local(side, &at);
        for k in 0..3 {
            from[k] = from[k].min(own[k]);
            to[k] = to[k].max(own[k]);
        }
    }
    [from, to]
}

#[cfg(test)]
impl SurfacePatch {
    /// How many triangles close it where it is cut.
    pub(super) fn cuts(&self) -> usize {
        self.cut.iter().filter(|cut| **cut).count()
    }

    /// Every edge is run along as often one way as the other, and no triangle of the surface is there twice.
    pub(super) fn assert_closed(&self) {
        let mut runs: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for corners in &self.triangles {
            for k in 0..3 {
                let [p, q] = [corners[k], corners[(k + 1) % 3]];
                *runs.entry([p.min(q), p.max(q)]).or_default() += if p < q { 1 } else { -1 };
            }
        }
        assert!(runs.values().all(|sum| *sum == 0), "{runs:?}");
        let own = self.names.iter().zip(&self.cut).filter(|(_, cut)| !**cut);
        let mut names: Vec<u32> = own.map(|(name, _)| *name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "every triangle is there once");
    }
}
