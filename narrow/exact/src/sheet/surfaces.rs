//! A sheet against another surface.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::obb_tree::LEAF_TRIANGLES;
use impinge_midphase::{DescentCounts, ObbTree, Surface, descend};
use nalgebra::Vector3;
use rayon::prelude::*;

use super::features::{FeatureComparison, PlacedTriangle};
use super::order::put_in_order;
use super::point::{Share, SheetCounts, SheetPoint, SheetReach};
use super::scratch::SheetScratch;
use crate::distance::Feature;

/// Pairs of leaves that are compared by one thread at a time.
const SHARE: usize = 1024;

/// A sheet and its tree.
#[derive(Clone, Copy, Debug)]
pub struct SheetSurface<'s> {
    /// The triangles.
    pub mesh: &'s TriMesh,
    /// The tree over them, fitted to the vertices.
    pub tree: &'s ObbTree,
}

impl<'s> SheetSurface<'s> {
    /// A surface as a sheet; `None` of one whose triangles are not stored.
    pub fn of(surface: &'s Surface) -> Option<SheetSurface<'s>> {
        Some(SheetSurface { mesh: surface.mesh()?, tree: &surface.tree })
    }
}

/// All points at which a sheet (A) is near another surface (B) where they stand, in the order of their features: appended to `out`. Of
/// a vertex of the sheet that is in a closed B, and nearest to the inside of a face, only that is told, with a negative distance.
pub fn sheet_and_surface(
    [sheet, other]: [SheetSurface<'_>; 2],
    frame: &PairFrame,
    reach: SheetReach,
    scratch: &mut SheetScratch,
    out: &mut Vec<SheetPoint>,
) {
    scratch.leaf_pairs.clear();
    let leaf_pairs = &mut scratch.leaf_pairs;
    let mut gather = |a: u32, b: u32| {
        leaf_pairs.push([a, b]);
        ControlFlow::Continue(())
    };
    let trees = [sheet.tree, other.tree];
    let _ = descend(trees[0], trees[1], frame, reach.most(), &mut gather, &mut DescentCounts::default());
    let comparison = FeatureComparison { meshes: [sheet.mesh, other.mesh], rest: None, own: false, reach };
    let first = out.len();
    compare_all(&comparison, trees, frame, scratch, out);
    if other.mesh.is_closed() {
        sign(other.mesh, frame, first, out);
    }
}

/// Compares the triangles of all pairs of leaves, shares of them at the same time.
fn compare_all(
    comparison: &FeatureComparison<'_>,
    trees: [&ObbTree; 2],
    frame: &PairFrame,
    scratch: &mut SheetScratch,
    out: &mut Vec<SheetPoint>,
) {
    let SheetScratch { leaf_pairs, shares, counts, order, .. } = scratch;
    let count = leaf_pairs.len().div_ceil(SHARE);
    shares.resize_with(shares.len().max(count), Share::default);
    // They are made when first asked for, and not by many at once.
    for mesh in comparison.meshes {
        let _ = mesh.vertex_owners();
    }
    let work = shares[..count].par_iter_mut().zip(leaf_pairs.par_chunks(SHARE));
    work.for_each(|(share, leaf_pairs)| {
        share.points.clear();
        share.counts = SheetCounts { leaf_pairs: leaf_pairs.len() as u64, ..SheetCounts::default() };
        let mut leaves = [Leaf::NONE; 2];
        for &pair in leaf_pairs {
            for side in Side::BOTH {
                let k = side.index();
                leaves[k].place(comparison.meshes[k], trees[k], pair[k], frame, side);
            }
            compare_leaves(comparison, &leaves, share);
        }
    });
    shares[..count].iter().for_each(|share| *counts += share.counts);
    put_in_order(comparison.meshes[0], &shares[..count], order, out);
}

fn compare_leaves(comparison: &FeatureComparison<'_>, leaves: &[Leaf; 2], share: &mut Share) {
    for p in leaves[0].triangles.iter().flatten() {
        for q in leaves[1].triangles.iter().flatten() {
            if p.is_near(q, comparison.reach.most()) {
                share.counts.triangle_pairs += 1;
                share.counts.measured += comparison.compare([p, q], &mut share.points);
            }
        }
    }
}

/// The triangles of a leaf where they stand.
#[derive(Clone, Copy)]
struct Leaf {
    leaf: u32,
    triangles: [Option<PlacedTriangle>; LEAF_TRIANGLES],
}

impl Leaf {
    const NONE: Leaf = Leaf { leaf: u32::MAX, triangles: [None; LEAF_TRIANGLES] };

    fn place(&mut self, mesh: &TriMesh, tree: &ObbTree, leaf: u32, frame: &PairFrame, side: Side) {
        if self.leaf == leaf {
            return;
        }
        *self = Leaf { leaf, ..Leaf::NONE };
        let real = tree.leaf_triangles(leaf).into_iter().filter(|&t| !mesh.is_virtual(t));
        for (to, t) in self.triangles.iter_mut().zip(real) {
            let corners = mesh.corners(t).map(|p| frame.place(side, &p));
            *to = Some(PlacedTriangle::new(mesh, t, corners));
        }
    }
}

/// Of vertices of the sheet in a closed body: the nearest place alone, and on which side they are.
fn sign(body: &TriMesh, frame: &PairFrame, first: usize, out: &mut Vec<SheetPoint>) {
    let outward = |face: u32| -> Vector3<f64> {
        let [p, q, r] = body.corners(face).map(|p| frame.place(Side::B, &p));
        (q - p).cross(&(r - p))
    };
    let (mut kept, mut from) = (first, first);
    while from < out.len() {
        let of = out[from].features[0];
        let to = from + out[from..].iter().take_while(|point| point.features[0] == of).count();
        let nearest = (from..to).min_by(|&p, &q| out[p].distance.total_cmp(&out[q].distance));
        let inside = nearest.filter(|&k| match (of, out[k].features[1]) {
            (Feature::Vertex(_), Feature::Face(face)) => {
                outward(face).dot(&(out[k].points[0] - out[k].points[1])) < 0.0
            }
            _ => false,
        });
        match inside {
            Some(k) => {
                let point = out[k];
                // From inside the separating translation leads to the face.
                out[kept] = SheetPoint { distance: -point.distance, normal: -point.normal, ..point };
                kept += 1;
            }
            None => {
                out.copy_within(from..to, kept);
                kept += to - from;
            }
        }
        from = to;
    }
    out.truncate(kept);
}
