//! A surface's intersection with itself.

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::obb_tree::{FlatBoxes, descend_own};
use impinge_midphase::{DescentCounts, ObbTree};
use nalgebra::Isometry3;

use super::all_pairs::intersect_own;
use super::intersections::Intersections;
use super::scratch::IntersectScratch;
use super::surfaces::Surfaces;

/// Where a surface crosses or touches itself in triangles that share no vertex, in its own frame: every place twice, once with each of
/// both triangles as A's. [`crate::contour::keep_one_side`] leaves one of both. What was in `out` before is lost; `leaf_pairs` is a buffer.
pub fn intersect_itself(
    (mesh, tree): (&TriMesh, &ObbTree),
    leaf_pairs: &mut Vec<[u32; 2]>,
    scratch: &mut IntersectScratch,
    out: &mut Intersections,
) {
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    leaf_pairs.clear();
    let mut gather = |a: u32, b: u32| {
        leaf_pairs.push([a, b]);
        ControlFlow::Continue(())
    };
    let _ = descend_own(tree, &FlatBoxes::default(), 0.0, &mut gather, &mut DescentCounts::default());
    let surfaces = Surfaces { meshes: [mesh.into(); 2], trees: [tree; 2], frame: &frame };
    intersect_own(&surfaces, leaf_pairs, scratch, out);
}
