//! What an intersection reuses from pair to pair.

use std::ops::Range;

use impinge_geometry::Side;
use impinge_midphase::obb_tree::OwnBoxes;

use super::crossing;
use super::filter::{Filter, Verdicts, pairs};
use super::own_filter::OwnFilter;
use super::placed::{Face, PlacedSide};
use super::surfaces::Surfaces;

/// Buffers of an intersection, reused from pair to pair: nothing is allocated once it is warm.
#[derive(Clone, Debug, Default)]
pub struct IntersectScratch {
    pub(super) filter: Filter,
    pub(super) own_filter: OwnFilter,
    /// Of a surface and itself.
    pub(super) own_boxes: OwnBoxes,
    /// Pairs of leaves of one surface, and of their triangles those whose boxes overlap.
    pub(super) own_pairs: Vec<([u32; 2], u32)>,
    faces: [PlacedSide; 2],
    pub(super) met: Vec<Met>,
    pub(super) room: Vec<Met>,
    /// Sides of A's corners to B's plane, and of B's to A's, of those that met.
    pub(super) sides: Vec<[[f64; 3]; 2]>,
}

/// Two faces that reach each other's plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// The triangle of A and that of B.
    pub triangles: [u32; 2],
    /// Where their faces are kept.
    pub faces: [u32; 2],
    /// Where their sides are kept.
    pub sides: u32,
}

impl IntersectScratch {
    pub(super) fn begin(&mut self, input: &Surfaces<'_>) {
        self.filter.begin(input.frame, input.trees);
        for (faces, tree) in self.faces.iter_mut().zip(input.trees) {
            faces.begin(tree);
        }
        self.met.clear();
        self.sides.clear();
    }

    /// Where the faces of a pair of leaves are, made ready in `f64`; nowhere for a leaf that does not
    /// exist.
    #[inline]
    pub(super) fn ready(&mut self, input: &Surfaces<'_>, leaves: [u32; 2]) -> [Range<usize>; 2] {
        Side::BOTH.map(|side| {
            let k = side.index();
            self.faces[k].ready((input.meshes[k], input.trees[k]), input.frame, side, leaves[k])
        })
    }

    /// A face of each side, by where it is.
    #[inline]
    pub(super) fn pair(&self, [a, b]: [usize; 2]) -> [&Face; 2] {
        [self.faces[0].face(a), self.faces[1].face(b)]
    }

    /// Collects the pairs of a pair of leaves that reach each other's plane.
    pub(super) fn gather(&mut self, input: &Surfaces<'_>, leaves: [u32; 2], found: Verdicts) {
        let [of_a, of_b] = self.ready(input, leaves);
        for [i, j] in pairs(found.cross | found.uncertain) {
            let at = [of_a.start + i, of_b.start + j];
            let [a, b] = self.pair(at);
            if found.uncertain >> (4 * i + j) & 1 == 1 && a.boxes_apart(b) {
                continue;
            }
            if let Some(sides) = crossing::sides(a, b) {
                let (triangles, faces) = ([a.triangle, b.triangle], at.map(|x| x as u32));
                self.met.push(Met { triangles, faces, sides: self.sides.len() as u32 });
                self.sides.push(sides);
            }
        }
    }
}
