//! Pairs of triangles that are near each other.

use crate::tunables;
use std::ops::ControlFlow;

use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::{DescentCounts, descend};
use nalgebra::{Point3, Vector3};

use super::outline::{Corner, Outline, Shared};
use super::region::GapRegion;
use impinge_convex::unit_normal;
use impinge_exact::distance::{Judged, Leaf, judge};
use impinge_exact::intersect::Surfaces;

/// Two triangles that may be nearer than the margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub triangles: [u32; 2],
    /// They are not nearer than this (m).
    pub least: f32,
    /// From A to B, roughly unit and roughly along the line of their nearest points.
    pub axis: Vector3<f64>,
    /// Their unit normals; zero of what is too thin to have one.
    pub normals: [Vector3<f64>; 2],
}

/// Buffers for the pairs that are near.
#[derive(Debug, Default)]
pub(crate) struct MarginScratch {
    leaf_pairs: Vec<[u32; 2]>,
    pub(super) near: Vec<NearPair>,
}

/// The corners of a triangle where it stands (m, pair frame).
pub(super) fn place(mesh: FacesRef<'_>, frame: &PairFrame, side: Side, triangle: u32) -> [Point3<f64>; 3] {
    mesh.corners(triangle).map(|p| frame.place(side, &p))
}

impl MarginScratch {
    /// Finds the pairs of triangles that may be nearer than `margin` (m). (The job's pairs of leaves will
    /// not do: a backend may have taken out those in which nothing meets.)
    pub(super) fn find(&mut self, input: &Surfaces<'_>, margin: f64) {
        self.near.clear();
        self.leaf_pairs.clear();
        let leaf_pairs = &mut self.leaf_pairs;
        let constraint = &mut |a, b| {
            leaf_pairs.push([a, b]);
            ControlFlow::Continue(())
        };
        let mut counts = DescentCounts::default();
        let _ = descend(input.trees[0], input.trees[1], input.frame, margin, constraint, &mut counts);
        let level = input.trees[0].simd();
        let mut leaves = [Leaf::NONE, Leaf::NONE];
        for &pair in &self.leaf_pairs {
            for side in Side::BOTH {
                let k = side.index();
                leaves[k].place(input.meshes[k], input.trees[k], input.frame, side, pair[k]);
            }
            let [a, b] = &leaves;
            judge(a, b, margin.next_up(), level, &mut |judged: &Judged| {
                let mut open = judged.open;
                while open != 0 {
                    let lane = open.trailing_zeros() as usize;
                    open &= open - 1;
                    let [i, j] = judged.pair(lane);
                    let normal = |t: &[Point3<f64>; 3]| unit_normal(t).unwrap_or_default();
                    self.near.push(NearPair {
                        triangles: [a.triangles[i], b.triangles[j]],
                        least: judged.least[lane],
                        axis: Vector3::from_fn(|k, _| f64::from(judged.axis[k][lane])),
                        normals: [normal(&a.corners[i]), normal(&b.corners[j])],
                    });
                }
            });
        }
    }

    /// Adds to a region what the near pairs share along its normal: gaps greater than `more` and not
    /// greater than `margin` (m). Of a closed surface only what faces the other side counts.
    pub(super) fn gather(&self, input: &Surfaces<'_>, more: f64, margin: f64, region: &mut GapRegion) {
        let closed = input.meshes.map(FacesRef::is_closed);
        let mut shared: Vec<Shared> = Vec::new();
        for near in &self.near {
            if !near.faces(&region.normal, closed, tunables::GAP_FACING) {
                continue;
            }
            let [a, b] = Side::BOTH.map(|side| {
                let k = side.index();
                let corners = place(input.meshes[k], input.frame, side, near.triangles[k]);
                triangle_outline(input.meshes[k], near.triangles[k], &corners, region)
            });
            shared.clear();
            a.meet(&b, &mut |s| shared.push(s));
            let within = |s: &&Shared| {
                let gap = s.heights[1] - s.heights[0];
                gap > more && gap <= margin
            };
            let count = shared.iter().filter(within).count();
            if count == 0 {
                continue;
            }
            let share = a.shared_area(&b) / shared.len() as f64;
            region.area += share * count as f64;
            for s in shared.iter().filter(within) {
                region.add(s.at, s.heights, share, s.key);
            }
        }
    }
}

impl NearPair {
    /// Whether A's triangle looks along `n` and B's against it, by at least `least` (cosine). One of a
    /// surface without an inside looks both ways.
    pub fn faces(&self, n: &Vector3<f64>, closed: [bool; 2], least: f64) -> bool {
        let looks = |k: usize, n: Vector3<f64>| {
            let along = self.normals[k].dot(&n);
            if closed[k] { along >= least } else { along.abs() >= least }
        };
        looks(0, *n) && looks(1, -n)
    }
}

/// A triangle of a mesh seen along a region's normal.
pub(super) fn triangle_outline(
    mesh: FacesRef<'_>,
    triangle: u32,
    corners: &[Point3<f64>; 3],
    region: &GapRegion,
) -> Outline {
    let (vertices, edges) = (mesh.vertices_of(triangle), mesh.edges_of(triangle));
    Outline::new(&[0, 1, 2].map(|k| {
        let (at, height) = region.locate(&corners[k]);
        Corner { at, height, name: vertices[k], edge: edges[k] }
    }))
}
