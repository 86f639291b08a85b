//! Questions with a shorter answer than the whole intersection: do two surfaces touch, and which of their
//! triangles do?

use std::ops::ControlFlow;

use impinge_geometry::{PairFrame, SimdLevel, TriMesh};
use impinge_midphase::obb_tree::{FlatBoxes, OwnLeafPair, OwnSearch};
use impinge_midphase::{DescentCounts, ObbTree, descend};
use nalgebra::Isometry3;

use super::crossing;
use super::filter::pairs;
use super::scratch::IntersectScratch;
use super::surfaces::Surfaces;

/// Where two surfaces touched when they were last asked about: mostly they still do there. Belongs
/// to one pair; the default remembers nothing. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastHit {
    leaves: Option<[u32; 2]>,
}

/// A triangle pair that shares a point (exact), and the index of its leaf pair, which is the first
/// that holds any.
pub fn first_touch(
    input: &Surfaces<'_>,
    leaf_pairs: &[[u32; 2]],
    scratch: &mut IntersectScratch,
) -> Option<([u32; 2], usize)> {
    let mut tester = LeafTester::new(input, scratch);
    leaf_pairs
        .iter()
        .enumerate()
        .find_map(|(index, &leaves)| tester.touch(leaves).map(|triangles| (triangles, index)))
}

/// A triangle pair in which two surfaces share a point (exact), if there is any; virtual faces are
/// left out. Descends the trees and stops at the first touch: cheaper than collecting leaf
/// pairs for [`first_touch`]. The pair found depends on `last`, whether there is one does not.
pub fn surfaces_touch(
    input: &Surfaces<'_>,
    last: &mut LastHit,
    scratch: &mut IntersectScratch,
) -> Option<[u32; 2]> {
    let mut tester = LeafTester::new(input, scratch);
    if let Some(triangles) = last.leaves.and_then(|leaves| tester.touch(leaves)) {
        return Some(triangles);
    }
    let mut found = None;
    last.leaves = None;
    let mut visit = |a: u32, b: u32| match tester.touch([a, b]) {
        None => ControlFlow::Continue(()),
        triangles => {
            (found, last.leaves) = (triangles, Some([a, b]));
            ControlFlow::Break(())
        }
    };
    let [a, b] = input.trees;
    let _ = descend(a, b, input.frame, 0.0, &mut visit, &mut DescentCounts::default());
    found
}

/// How many triangle pairs of two surfaces share a point (exact); virtual faces are left out.
pub fn count_triangle_pairs(input: &Surfaces<'_>, scratch: &mut IntersectScratch) -> u64 {
    let mut count = 0;
    visit_pairs(input, scratch, |found, _| count += u64::from(found.count_ones()));
    count
}

/// Appends to `out` all pairs of triangles (of A, of B) that share a point (exact), in an order that
/// the trees and poses fix; virtual faces are left out.
pub fn triangle_pairs(input: &Surfaces<'_>, scratch: &mut IntersectScratch, out: &mut Vec<[u32; 2]>) {
    visit_pairs(input, scratch, |found, leaves| {
        let [of_a, of_b] = [0, 1].map(|k| input.trees[k].leaf_triangles(leaves[k]));
        out.extend(pairs(found).map(|[i, j]| [of_a[i], of_b[j]]));
    });
}

/// Gives in `out` all pairs of triangles of one surface that share a point (exact) and no vertex, the lower first, sorted; virtual faces are
/// left out. Neighbours, which share a vertex, always touch there: whether they meet elsewhere, too, is not asked. Two vertices at one
/// place are not one: a surface that was not welded touches itself along its seams. Boxes in `flat` are passed over.
pub fn own_triangle_pairs(
    (mesh, tree): (&TriMesh, &ObbTree),
    flat: &FlatBoxes,
    scratch: &mut IntersectScratch,
    out: &mut Vec<[u32; 2]>,
) -> DescentCounts {
    let here = Isometry3::identity();
    let frame = PairFrame::new(&here, &here);
    let surfaces = Surfaces { meshes: [mesh.into(); 2], trees: [tree; 2], frame: &frame };
    let mut boxes = std::mem::take(&mut scratch.own_boxes);
    let mut tester = LeafTester::new(&surfaces, scratch);
    tester.scratch.own_filter.begin(tree);
    out.clear();
    let places = mesh.vertices();
    let mut each = |pair: OwnLeafPair<'_>| {
        for at in pairs(pair.found) {
            if tester.scratch.own_filter.is_full() {
                tester.of_itself(out);
            }
            tester.scratch.own_filter.put(pair.leaves, at, places, pair.vertices(at));
        }
        ControlFlow::Continue(())
    };
    let mut counts = DescentCounts::default();
    let search = OwnSearch { tree, mesh, flat, margin: 0.0, strangers: true };
    let _ = search.run(&mut boxes, &mut each, &mut counts);
    tester.of_itself(out);
    scratch.own_boxes = boxes;
    out.sort_unstable();
    counts
}

/// Visits the pairs of leaves with triangles that share a point; the mask as in
/// [`super::filter::Verdicts`].
fn visit_pairs(input: &Surfaces<'_>, scratch: &mut IntersectScratch, mut visit: impl FnMut(u32, [u32; 2])) {
    let mut tester = LeafTester::new(input, scratch);
    let mut each = |a: u32, b: u32| {
        let found = tester.all([a, b]);
        if found != 0 {
            visit(found, [a, b]);
        }
        ControlFlow::Continue(())
    };
    let [a, b] = input.trees;
    let _ = descend(a, b, input.frame, 0.0, &mut each, &mut DescentCounts::default());
}

/// Two surfaces, made ready to be asked about pair of leaves by pair of leaves.
struct LeafTester<'s> {
    input: &'s Surfaces<'s>,
    scratch: &'s mut IntersectScratch,
    level: SimdLevel,
    virtual_face: bool,
}

impl<'s> LeafTester<'s> {
    fn new(input: &'s Surfaces<'_>, scratch: &'s mut IntersectScratch) -> LeafTester<'s> {
        scratch.begin(input);
        let virtual_face = input.meshes.iter().any(|mesh| mesh.has_virtual_faces());
        LeafTester { input, scratch, level: input.trees[0].simd(), virtual_face }
    }

    /// The triangles of a pair of leaves that share a point, as in [`super::filter::Verdicts`].
    #[inline]
    fn all(&mut self, leaves: [u32; 2]) -> u32 {
        let found = self.scratch.filter.judge(self.level, self.input.trees, leaves);
        let mut touching = found.cross;
        for pair in pairs(found.uncertain) {
            touching |= u32::from(self.decide(leaves, pair)) << (4 * pair[0] + pair[1]);
        }
        if self.virtual_face { self.without_virtual_faces(leaves, touching) } else { touching }
    }

    /// Appends those of the pairs put in the filter of a surface and itself that share a point, the lower triangle first.
    fn of_itself(&mut self, out: &mut Vec<[u32; 2]>) {
        for (bit, cross) in self.scratch.own_filter.judge(self.level).open() {
            let pair = self.scratch.own_filter.pair(bit);
            let (leaves, at) = (pair.leaves, pair.places());
            let real =
                !self.virtual_face || self.without_virtual_faces(leaves, 1 << (4 * at[0] + at[1])) != 0;
            if real && (cross || self.decide(leaves, at)) {
                let [s, t] = [0, 1].map(|k| self.input.trees[0].leaf_triangles(leaves[k])[at[k]]);
                out.push([s.min(t), s.max(t)]);
            }
        }
        self.scratch.own_filter.clear();
    }

    /// A pair of triangles of two leaves that shares a point.
    #[inline]
    fn touch(&mut self, leaves: [u32; 2]) -> Option<[u32; 2]> {
        let found = self.scratch.filter.judge(self.level, self.input.trees, leaves);
        if found.cross | found.uncertain == 0 {
            return None;
        }
        let real =
            |mask: u32| if self.virtual_face { self.without_virtual_faces(leaves, mask) } else { mask };
        let (cross, uncertain) = (real(found.cross), real(found.uncertain));
        let certain = pairs(cross).next();
        let [i, j] = certain.or_else(|| pairs(uncertain).find(|&pair| self.decide(leaves, pair)))?;
        let [of_a, of_b] = [0, 1].map(|k| self.input.trees[k].leaf_triangles(leaves[k]));
        Some([of_a[i], of_b[j]])
    }

    /// Whether a pair on which the filter could not decide shares a point.
    #[cold]
    fn decide(&mut self, leaves: [u32; 2], [i, j]: [usize; 2]) -> bool {
        let [of_a, of_b] = self.scratch.ready(self.input, leaves);
        let [a, b] = self.scratch.pair([of_a.start + i, of_b.start + j]);
        !a.boxes_apart(b) && crossing::touches(a, b)
    }

    #[cold]
    fn without_virtual_faces(&self, leaves: [u32; 2], mask: u32) -> u32 {
        let virtual_face = |k: usize, at: usize| {
            self.input.meshes[k].is_virtual(self.input.trees[k].leaf_triangles(leaves[k])[at])
        };
        let kept = |[i, j]: &[usize; 2]| !virtual_face(0, *i) && !virtual_face(1, *j);
        pairs(mask).filter(kept).fold(0, |kept, [i, j]| kept | 1 << (4 * i + j))
    }
}
