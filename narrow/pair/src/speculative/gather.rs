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
use impinge_exact::id_table::IdTable;
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
    /// Which of the triangles of each side they are that were placed.
    placed: [u32; 2],
}

/// A triangle of a leaf that is near the other side.
#[derive(Clone, Copy, Debug)]
struct PlacedTriangle {
    triangle: u32,
    /// (m, pair frame)
    corners: [Point3<f64>; 3],
    /// Unit; zero of what is too thin to have one.
    normal: Vector3<f64>,
}

/// Buffers for the pairs that are near.
#[derive(Debug, Default)]
pub(crate) struct MarginScratch {
    leaf_pairs: Vec<[u32; 2]>,
    pub(super) near: Vec<NearPair>,
    sides: [NearSide; 2],
    shared: Vec<Shared>,
}

/// The triangles of one side that are near the other.
#[derive(Debug, Default)]
struct NearSide {
    /// Of a leaf the first of its triangles in `placed`.
    leaves: IdTable,
    placed: Vec<PlacedTriangle>,
    /// Of each placed triangle its outline along a region's normal, or [`UNSEEN`].
    seen: Vec<u32>,
    outlines: Vec<Outline>,
}

/// A triangle that was not looked at along a normal.
const UNSEEN: u32 = u32::MAX;

impl NearSide {
    fn begin(&mut self, leaves: u32) {
        self.leaves.begin(leaves);
        self.placed.clear();
    }

    /// Places the triangles of a leaf, once: the number of the first.
    fn place(&mut self, leaf: &Leaf, number: u32) -> u32 {
        if let Some(first) = self.leaves.get(number) {
            return first;
        }
        let first = self.placed.len() as u32;
        self.leaves.set(number, first);
        let own = leaf.triangles.iter().zip(&leaf.corners).take(leaf.count);
        self.placed.extend(own.map(|(&triangle, &corners)| {
            let normal = unit_normal(&corners).unwrap_or_default();
            PlacedTriangle { triangle, corners, normal }
        }));
        first
    }

    fn begin_region(&mut self) {
        self.seen.clear();
        self.seen.resize(self.placed.len(), UNSEEN);
        self.outlines.clear();
    }

    /// The outline of a placed triangle along a region's normal.
    fn outline(&mut self, mesh: FacesRef<'_>, placed: u32, region: &GapRegion) -> u32 {
        let at = placed as usize;
        if self.seen[at] == UNSEEN {
            self.seen[at] = self.outlines.len() as u32;
            let PlacedTriangle { triangle, corners, .. } = &self.placed[at];
            self.outlines.push(triangle_outline(mesh, *triangle, corners, region));
        }
        self.seen[at]
    }
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
        for (side, tree) in self.sides.iter_mut().zip(input.trees) {
            side.begin(tree.leaf_count() as u32);
        }
        let mut leaves = [Leaf::NONE, Leaf::NONE];
        for &pair in &self.leaf_pairs {
            for side in Side::BOTH {
                let k = side.index();
                leaves[k].place(input.meshes[k], input.trees[k], input.frame, side, pair[k]);
            }
            let [a, b] = &leaves;
            let [of_a, of_b] = &mut self.sides;
            judge(a, b, margin.next_up(), level, &mut |judged: &Judged| {
                let mut open = judged.open;
                while open != 0 {
                    let lane = open.trailing_zeros() as usize;
                    open &= open - 1;
                    let [i, j] = judged.pair(lane);
                    let placed = [of_a.place(a, pair[0]) + i as u32, of_b.place(b, pair[1]) + j as u32];
                    let normals =
                        [of_a.placed[placed[0] as usize].normal, of_b.placed[placed[1] as usize].normal];
                    self.near.push(NearPair {
                        triangles: [a.triangles[i], b.triangles[j]],
                        least: judged.least[lane],
                        axis: Vector3::from_fn(|k, _| f64::from(judged.axis[k][lane])),
                        normals,
                        placed,
                    });
                }
            });
        }
    }

    /// The corners of a near pair's triangles (m, pair frame).
    pub(super) fn corners(&self, near: &NearPair) -> [[Point3<f64>; 3]; 2] {
        Side::BOTH.map(|side| {
            let k = side.index();
            self.sides[k].placed[near.placed[k] as usize].corners
        })
    }

    /// Adds to a region what the near pairs share along its normal: gaps greater than `more` and not
    /// greater than `margin` (m). Of a closed surface only what faces the other side counts.
    pub(super) fn gather(&mut self, input: &Surfaces<'_>, more: f64, margin: f64, region: &mut GapRegion) {
        let closed = input.meshes.map(FacesRef::is_closed);
        let MarginScratch { near, sides: [of_a, of_b], shared, .. } = self;
        of_a.begin_region();
        of_b.begin_region();
        let normal = region.normal;
        for near in near.iter().filter(|near| near.faces(&normal, closed, tunables::GAP_FACING)) {
            let [a, b] = [
                of_a.outline(input.meshes[0], near.placed[0], region),
                of_b.outline(input.meshes[1], near.placed[1], region),
            ];
            let (a, b) = (&of_a.outlines[a as usize], &of_b.outlines[b as usize]);
            if a.is_clear_of(b, [more, margin]) {
                continue;
            }
            shared.clear();
            a.meet(b, &mut |s| shared.push(s));
            let within = |s: &&Shared| {
                let gap = s.heights[1] - s.heights[0];
                gap > more && gap <= margin
            };
            let count = shared.iter().filter(within).count();
            if count == 0 {
                continue;
            }
            let share = a.shared_area(b) / shared.len() as f64;
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
