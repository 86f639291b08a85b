//! The filter of a surface and itself.
//!
//! A leaf meets many others of its surface, and both sides stand in one frame: so each leaf is made ready once in a search, when it is
//! first asked about, and serves either side. Nothing is turned, so that the bounds of [`super::filter`] hold with B's extent as it is.

use impinge_geometry::SimdLevel;
use impinge_geometry::simd;
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::LeafRoom;

use super::filter::{Bounds, FilterLeaf, Judge, Prepare, Verdicts};

/// A leaf that was made ready in some search.
#[derive(Clone, Debug, Default)]
struct OwnLeaf {
    /// The search.
    search: u32,
    count: u32,
    extent: f32,
    /// Its origin (m, in the surface's frame).
    origin: [f32; 3],
    rows: FilterLeaf,
}

/// The filter of one surface and itself.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnFilter {
    leaves: Vec<OwnLeaf>,
    search: u32,
    /// Bounds what a corner is off by in `f64` beside the canonical one (m).
    error: f32,
    /// Of a leaf whose triangles are computed.
    room: LeafRoom,
}

impl OwnFilter {
    /// Begins a search of a surface.
    pub fn begin(&mut self, tree: &ObbTree) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.leaves.clear();
            self.search = 1;
        }
        self.leaves.resize_with(tree.leaf_count(), OwnLeaf::default);
        // Canonical positions are off by under 8 · 2⁻⁵³ of their distances.
        self.error = (2.0 * tree.reach() * (1.0 / (1u64 << 45) as f64)) as f32 + 8.0 * f32::MIN_POSITIVE;
    }

    /// Judges the triangles of two leaves, or of one and itself, of which bits `4i + j` are asked.
    #[inline]
    pub fn judge(&mut self, level: SimdLevel, tree: &ObbTree, leaves: [u32; 2], asked: u32) -> Verdicts {
        for leaf in leaves {
            if self.leaves[leaf as usize].search != self.search {
                self.ready(level, tree, leaf);
            }
        }
        let [a, b] = [&self.leaves[leaves[0] as usize], &self.leaves[leaves[1] as usize]];
        let apart = [0, 1, 2].map(|k| (f64::from(b.origin[k]) - f64::from(a.origin[k])) as f32);
        let bounds = Bounds::new(apart, a.extent, b.extent, self.error);
        let of_one = (1u32 << b.count) - 1;
        let valid = (of_one * 0x1111) & ((1u32 << (4 * a.count)) - 1) & asked;
        let found = simd::run(level, Judge { a: &a.rows, b: &b.rows, bounds: &bounds, valid });
        Verdicts { tested: valid.count_ones(), ..found }
    }

    fn ready(&mut self, level: SimdLevel, tree: &ObbTree, leaf: u32) {
        let OwnFilter { leaves, search, room, .. } = self;
        let rows = tree.leaf_rows(leaf, room);
        let own = &mut leaves[leaf as usize];
        (own.search, own.count, own.extent, own.origin) =
            (*search, rows.count() as u32, rows.extent, rows.origin);
        simd::run(level, Prepare { corners: rows.corners(), turn: None, out: &mut own.rows });
    }
}
