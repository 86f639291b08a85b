//! A surface's intersection with itself.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::obb_tree::{FlatBoxes, OwnLeafPair, OwnSearch};
use impinge_midphase::{DescentCounts, ObbTree};
use nalgebra::Isometry3;

use super::all_pairs::intersect_own;
use super::intersections::Intersections;
use super::scratch::IntersectScratch;
use super::surfaces::Surfaces;

/// Where a surface crosses or touches itself in triangles that share no vertex, in its own frame: every place twice, once with each of
/// both triangles as A's. [`crate::contour::keep_one_side`] leaves one of both. What was in `out` before is lost.
pub fn intersect_itself(
    (mesh, tree): (&TriMesh, &ObbTree),
    scratch: &mut IntersectScratch,
    out: &mut Intersections,
) {
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let mut boxes = std::mem::take(&mut scratch.own_boxes);
    let mut leaf_pairs = std::mem::take(&mut scratch.own_pairs);
    leaf_pairs.clear();
    let mut gather = |pair: OwnLeafPair<'_>| {
        leaf_pairs.push((pair.leaves, pair.found));
        ControlFlow::Continue(())
    };
    let flat = &FlatBoxes::default();
    let search = OwnSearch { tree, mesh, flat, margin: 0.0, strangers: true };
    let _ = search.run(&mut boxes, &mut gather, &mut DescentCounts::default());
    let surfaces = Surfaces { meshes: [mesh.into(); 2], trees: [tree; 2], frame: &frame };
    intersect_own(&surfaces, mesh, &leaf_pairs, scratch, out);
    (scratch.own_boxes, scratch.own_pairs) = (boxes, leaf_pairs);
}
