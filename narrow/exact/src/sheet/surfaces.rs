//! The searches: a sheet against itself, and against another surface.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::obb_tree::{FlatBoxes, LEAF_TRIANGLES, descend_own};
use impinge_midphase::{DescentCounts, ObbTree, Surface, descend};
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::prelude::*;

use super::features::{FeatureComparison, PlacedTriangle};
use super::point::{Share, SheetCounts, SheetPoint, SheetReach, SheetScratch};
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

/// All points at which a sheet is near itself, in the order of their features: appended to `out`. `rest` is where its vertices rest
/// (m), one for each: features that are nearer there than asked for need to be no farther apart now. The same for any number of threads, and
/// whatever the tree.
pub fn sheet_and_itself(
    sheet: SheetSurface<'_>,
    rest: Option<&[Point3<f64>]>,
    reach: SheetReach,
    scratch: &mut SheetScratch,
    out: &mut Vec<SheetPoint>,
) {
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    scratch.leaf_pairs.clear();
    let leaf_pairs = &mut scratch.leaf_pairs;
    let mut gather = |a: u32, b: u32| {
        leaf_pairs.push([a, b]);
        ControlFlow::Continue(())
    };
    // What is flat is near itself, too.
    let (flat, mut counts) = (FlatBoxes::default(), DescentCounts::default());
    let _ = descend_own(sheet.tree, &flat, reach.most(), &mut gather, &mut counts);
    let comparison = FeatureComparison { meshes: [sheet.mesh; 2], rest, own: true, reach };
    compare_all(&comparison, [sheet.tree; 2], &frame, scratch, out);
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
    let first = out.len();
    let SheetScratch { leaf_pairs, shares, counts } = scratch;
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
            let same = comparison.own && pair[0] == pair[1];
            compare_leaves(comparison, &leaves, same, share);
        }
    });
    for share in &shares[..count] {
        out.extend_from_slice(&share.points);
        *counts += share.counts;
    }
    out[first..].sort_unstable_by(SheetPoint::order);
    keep_one_of_each(first, out);
}

/// Triangles around a feature name it, each; the lowest is kept.
fn keep_one_of_each(first: usize, out: &mut Vec<SheetPoint>) {
    let mut kept = first;
    for k in first..out.len() {
        if k == first || out[k].features != out[kept - 1].features {
            out[kept] = out[k];
            kept += 1;
        }
    }
    out.truncate(kept);
}

fn compare_leaves(comparison: &FeatureComparison<'_>, leaves: &[Leaf; 2], same: bool, share: &mut Share) {
    for (i, p) in leaves[0].triangles.iter().flatten().enumerate() {
        let others = leaves[1].triangles.iter().flatten();
        for q in others.skip(if same { i + 1 } else { 0 }) {
            if !p.is_near(q, comparison.reach.most()) {
                continue;
            }
            share.counts.triangle_pairs += 1;
            // Of one surface the lower first, whatever the tree has made of them.
            let pair = if comparison.own && p.triangle > q.triangle { [q, p] } else { [p, q] };
            share.counts.measured += comparison.compare(pair, &mut share.points);
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
