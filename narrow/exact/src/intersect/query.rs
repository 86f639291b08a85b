//! Questions with a shorter answer than the whole stream: do two surfaces touch, and which of their
//! triangles do?

use std::ops::ControlFlow;

use impinge_geometry::SimdLevel;
use impinge_midphase::{DescentCounts, PairJob, descend};

use super::filter::pairs;
use super::{StreamScratch, Surfaces, crossing};

/// Where two surfaces touched when they were last asked about: mostly they still do there. Belongs
/// to one pair; the default remembers nothing. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastHit {
    leaves: Option<[u32; 2]>,
}

/// Whether the surfaces of a job share a point (exact). `leaf_pairs` are the job's. Faces that were
/// made up to bound volume are left out.
pub fn touching(job: &PairJob<'_>, leaf_pairs: &[[u32; 2]], scratch: &mut StreamScratch) -> bool {
    Surfaces::of_job(job).is_some_and(|s| first_touch(&s, leaf_pairs, scratch).is_some())
}

/// A triangle pair that shares a point (exact), and the index of its leaf pair, which is the first
/// that holds any.
pub fn first_touch(
    input: &Surfaces<'_>,
    leaf_pairs: &[[u32; 2]],
    scratch: &mut StreamScratch,
) -> Option<([u32; 2], usize)> {
    let mut stream = Stream::new(input, scratch);
    leaf_pairs
        .iter()
        .enumerate()
        .find_map(|(index, &leaves)| stream.touch(leaves).map(|triangles| (triangles, index)))
}

/// A triangle pair in which two surfaces share a point (exact), if there is any; made-up faces are
/// left out. Descends the trees and stops at the first touch: cheaper than collecting leaf
/// pairs for [`first_touch`]. The pair found depends on `last`, whether there is one does not.
pub fn surfaces_touch(
    input: &Surfaces<'_>,
    last: &mut LastHit,
    scratch: &mut StreamScratch,
) -> Option<[u32; 2]> {
    let mut stream = Stream::new(input, scratch);
    if let Some(triangles) = last.leaves.and_then(|leaves| stream.touch(leaves)) {
        return Some(triangles);
    }
    let mut found = None;
    last.leaves = None;
    let mut visit = |a: u32, b: u32| match stream.touch([a, b]) {
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

/// How many triangle pairs of two surfaces share a point (exact); made-up faces are left out.
pub fn count_triangle_pairs(input: &Surfaces<'_>, scratch: &mut StreamScratch) -> u64 {
    let mut count = 0;
    visit_pairs(input, scratch, |found, _| count += u64::from(found.count_ones()));
    count
}

/// Appends to `out` all pairs of triangles (of A, of B) that share a point (exact), in an order that
/// the trees and poses fix; made-up faces are left out.
pub fn triangle_pairs(input: &Surfaces<'_>, scratch: &mut StreamScratch, out: &mut Vec<[u32; 2]>) {
    visit_pairs(input, scratch, |found, leaves| {
        let [of_a, of_b] = [0, 1].map(|k| input.trees[k].leaf_triangles(leaves[k]));
        out.extend(pairs(found).map(|[i, j]| [of_a[i], of_b[j]]));
    });
}

/// Visits the pairs of leaves with triangles that share a point; the mask as in
/// [`super::filter::Verdicts`].
fn visit_pairs(input: &Surfaces<'_>, scratch: &mut StreamScratch, mut visit: impl FnMut(u32, [u32; 2])) {
    let mut stream = Stream::new(input, scratch);
    let mut each = |a: u32, b: u32| {
        let found = stream.all([a, b]);
        if found != 0 {
            visit(found, [a, b]);
        }
        ControlFlow::Continue(())
    };
    let [a, b] = input.trees;
    let _ = descend(a, b, input.frame, 0.0, &mut each, &mut DescentCounts::default());
}

/// Two surfaces, made ready to be asked about pair of leaves by pair of leaves.
struct Stream<'s> {
    input: &'s Surfaces<'s>,
    scratch: &'s mut StreamScratch,
    level: SimdLevel,
    made_up: bool,
}

impl<'s> Stream<'s> {
    fn new(input: &'s Surfaces<'_>, scratch: &'s mut StreamScratch) -> Stream<'s> {
        scratch.begin(input);
        let made_up = input.meshes.iter().any(|mesh| mesh.has_made_up());
        Stream { input, scratch, level: input.trees[0].simd(), made_up }
    }

    /// The triangles of a pair of leaves that share a point, as in [`super::filter::Verdicts`].
    #[inline]
    fn all(&mut self, leaves: [u32; 2]) -> u32 {
        let found = self.scratch.filter.judge(self.level, self.input.trees, leaves);
        let mut touching = found.cross;
        for pair in pairs(found.uncertain) {
            touching |= u32::from(self.settle(leaves, pair)) << (4 * pair[0] + pair[1]);
        }
        if self.made_up { self.without_made_up(leaves, touching) } else { touching }
    }

    /// A pair of triangles of two leaves that shares a point.
    #[inline]
    fn touch(&mut self, leaves: [u32; 2]) -> Option<[u32; 2]> {
        let found = self.scratch.filter.judge(self.level, self.input.trees, leaves);
        if found.cross | found.uncertain == 0 {
            return None;
        }
        let real = |mask: u32| if self.made_up { self.without_made_up(leaves, mask) } else { mask };
        let (cross, uncertain) = (real(found.cross), real(found.uncertain));
        let certain = pairs(cross).next();
        let [i, j] = certain.or_else(|| pairs(uncertain).find(|&pair| self.settle(leaves, pair)))?;
        let [of_a, of_b] = [0, 1].map(|k| self.input.trees[k].leaf_triangles(leaves[k]));
        Some([of_a[i], of_b[j]])
    }

    /// Whether a pair on which the filter could not decide shares a point.
    #[cold]
    fn settle(&mut self, leaves: [u32; 2], [i, j]: [usize; 2]) -> bool {
        let [of_a, of_b] = self.scratch.ready(self.input, leaves);
        let [a, b] = self.scratch.pair([of_a.start + i, of_b.start + j]);
        !a.boxes_apart(b) && crossing::touches(a, b)
    }

    #[cold]
    fn without_made_up(&self, leaves: [u32; 2], mask: u32) -> u32 {
        let made_up = |k: usize, at: usize| {
            self.input.meshes[k].is_made_up(self.input.trees[k].leaf_triangles(leaves[k])[at])
        };
        let kept = |[i, j]: &[usize; 2]| !made_up(0, *i) && !made_up(1, *j);
        pairs(mask).filter(kept).fold(0, |kept, [i, j]| kept | 1 << (4 * i + j))
    }
}
