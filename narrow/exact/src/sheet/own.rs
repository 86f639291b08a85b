//! A sheet against itself.

use std::ops::ControlFlow;

use impinge_geometry::simd::{self, Kernel, Simd};
use impinge_midphase::DescentCounts;
use impinge_midphase::obb_tree::{FlatBoxes, OwnLeafPair, OwnSearch};
use nalgebra::Point3;
use rayon::prelude::*;

use super::features::FeatureComparison;
use super::order::put_in_order;
use super::point::{Share, SheetCounts, SheetPoint, SheetReach};
use super::rows::FeatureRows;
use super::scratch::SheetScratch;
use super::surfaces::SheetSurface;

/// Pairs of leaves that are compared by one thread at a time.
const SHARE: usize = 1024;

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
    let SheetScratch { own_boxes, own_pairs, rows, shares, counts, .. } = scratch;
    own_pairs.clear();
    let mut gather = |pair: OwnLeafPair<'_>| {
        own_pairs.push((pair.leaves, pair.found));
        ControlFlow::Continue(())
    };
    // What is flat is near itself, too, and so are neighbours.
    let SheetSurface { mesh, tree } = sheet;
    let search =
        OwnSearch { tree, mesh, flat: &FlatBoxes::default(), margin: reach.most(), strangers: false };
    let _ = search.run(own_boxes, &mut gather, &mut DescentCounts::default());
    rows.fill(mesh, tree, reach.most());
    let comparison = FeatureComparison { meshes: [mesh; 2], rest, own: true, reach };
    let count = own_pairs.len().div_ceil(SHARE);
    shares.resize_with(shares.len().max(count), Share::default);
    let work = shares[..count].par_iter_mut().zip(own_pairs.par_chunks(SHARE));
    work.for_each(|(share, leaf_pairs)| {
        share.points.clear();
        share.counts = SheetCounts { leaf_pairs: leaf_pairs.len() as u64, ..SheetCounts::default() };
        let compare = CompareOwn { comparison: &comparison, rows, leaf_pairs, share };
        simd::run(tree.simd(), compare);
    });
    let found = || shares[..count].iter();
    found().for_each(|share| *counts += share.counts);
    put_in_order(mesh, &shares[..count], &mut scratch.order, out);
}

/// Compares the features of pairs of leaves.
struct CompareOwn<'c> {
    comparison: &'c FeatureComparison<'c>,
    rows: &'c FeatureRows,
    /// With the pairs of triangles whose boxes are near.
    leaf_pairs: &'c [([u32; 2], u32)],
    share: &'c mut Share,
}

impl Kernel for CompareOwn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let CompareOwn { comparison, rows, leaf_pairs, share } = self;
        for &(leaves, found) in leaf_pairs {
            share.counts.triangle_pairs += u64::from(found.count_ones());
            // One bit for each triangle of both that is near one of the other.
            let across = (found | found >> 4 | found >> 8 | found >> 12) & 15;
            let rows_of = found | found >> 1 | found >> 2 | found >> 3;
            let along = rows_of & 1 | rows_of >> 3 & 2 | rows_of >> 6 & 4 | rows_of >> 9 & 8;
            let (own, other) = (rows.real(leaves[0]), rows.real(leaves[1]));
            if leaves[0] == leaves[1] {
                let near = (along | across) & own;
                vertices::<S>(comparison, rows, leaves, near, share);
                edges::<S>(comparison, rows, leaves, near, share);
            } else {
                vertices::<S>(comparison, rows, leaves, across & other, share);
                vertices::<S>(comparison, rows, [leaves[1], leaves[0]], along & own, share);
                edges::<S>(comparison, rows, leaves, along & own, share);
            }
        }
    }
}

/// Compares the vertices of a leaf with some triangles (one bit each) of another, or of itself.
#[inline(always)]
fn vertices<S: Simd>(
    comparison: &FeatureComparison<'_>,
    rows: &FeatureRows,
    [own, other]: [u32; 2],
    near: u32,
    share: &mut Share,
) {
    for block in rows.vertices(own) {
        let mut left = near;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut mask = block.overlapping::<S>(rows.around(other, lane));
            while mask != 0 {
                let at = usize::from(block.at[mask.trailing_zeros() as usize % 8]);
                mask &= mask - 1;
                if own == other && at / 3 == lane {
                    continue;
                }
                share.counts.measured += 1;
                let (of, face) = (rows.triangle(own, at / 3), rows.triangle(other, lane));
                comparison.own_vertex(of, at % 3, face, &mut share.points);
            }
        }
    }
}

/// Compares the edges of some triangles (one bit each) of a leaf with those of another, or of itself.
#[inline(always)]
fn edges<S: Simd>(
    comparison: &FeatureComparison<'_>,
    rows: &FeatureRows,
    leaves: [u32; 2],
    near: u32,
    share: &mut Share,
) {
    for (first, block) in rows.edges(leaves[0]).iter().enumerate() {
        for lane in 0..block.count {
            let at = usize::from(block.at[lane % 8]);
            if near >> (at / 3) & 1 == 0 {
                continue;
            }
            let edge = block.of(lane);
            for (second, others) in rows.edges(leaves[1]).iter().enumerate() {
                let mut mask = others.overlapping::<S>(&edge);
                if leaves[0] == leaves[1] && second <= first {
                    // Those behind it.
                    mask &= if second == first { u32::MAX << (lane + 1) } else { 0 };
                }
                while mask != 0 {
                    let to = usize::from(others.at[mask.trailing_zeros() as usize % 8]);
                    mask &= mask - 1;
                    share.counts.measured += 1;
                    let (one, two) = (rows.triangle(leaves[0], at / 3), rows.triangle(leaves[1], to / 3));
                    comparison.own_edges([(one, at % 3), (two, to % 3)], &mut share.points);
                }
            }
        }
    }
}
