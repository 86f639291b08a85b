//! The filter of a surface and itself, triangle pair by triangle pair.
//!
//! Of the sixteen pairs of triangles of two leaves a search of a surface against itself asks about one or two. So pairs are gathered from
//! many leaves, each with the corners of its two triangles, and judged side by side, as many at once as there are lanes.
//!
//! **The bounds** are those of [`super::filter`], of every pair its own: each triangle is a leaf whose origin is its first corner, where it stands
//! exactly. Corners and the translation are differences of two vertices, rounded once, and nothing is turned, so that the bounds hold
//! with B's extent as it is.

#![allow(clippy::needless_range_loop, reason = "axes and corners of several arrays are walked together")]

use impinge_geometry::SimdLevel;
use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_midphase::ObbTree;
use nalgebra::Point3;

use super::filter::{FAR, MORE, UNIT};
use super::signs::{LaneBounds, cross, difference, dot3, meet};

/// Pairs that are judged at once, at most: a bit for each, and rows that stay in the cache.
const ROOM: usize = 64;

/// A pair of triangles: two leaves, and which of their triangles they are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnPair {
    pub leaves: [u32; 2],
    pub at: [u16; 2],
}

impl OwnPair {
    /// Which of the leaves' triangles they are.
    pub fn places(&self) -> [usize; 2] {
        self.at.map(usize::from)
    }
}

/// The corners of pairs of triangles: triangle, corner, axis, pair.
type Rows = [[[[f32; ROOM]; 3]; 3]; 2];

/// The filter of one surface and itself.
#[derive(Clone, Debug)]
pub(super) struct OwnFilter {
    /// How many were put since the last ones were judged, and which.
    count: usize,
    pairs: [OwnPair; ROOM],
    rows: Box<Rows>,
    /// Bounds what a corner is off by in `f64` beside the canonical one (m).
    error: f32,
}

impl Default for OwnFilter {
    fn default() -> OwnFilter {
        OwnFilter {
            count: 0,
            pairs: [OwnPair::default(); ROOM],
            rows: Box::new([[[[0.0; ROOM]; 3]; 3]; 2]),
            error: 0.0,
        }
    }
}

/// What is known of pairs, a bit for each: as in [`super::filter::Verdicts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PairVerdicts {
    pub cross: u64,
    pub uncertain: u64,
}

impl OwnFilter {
    /// Begins a search of a surface.
    pub fn begin(&mut self, tree: &ObbTree) {
        self.count = 0;
        // Canonical positions are off by under 8 · 2⁻⁵³ of their distances.
        self.error = (2.0 * tree.reach() * (1.0 / (1u64 << 45) as f64)) as f32 + 8.0 * f32::MIN_POSITIVE;
    }

    /// Whether those that were put have to be judged before more are.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.count >= ROOM
    }

    /// Puts a pair of triangles of the leaves, by the places of all vertices (m) and the vertices of both; one that there is no room for is left out.
    ///
    /// Plain loops: maps of arrays in arrays are functions of their own.
    #[inline(always)]
    pub fn put(
        &mut self,
        leaves: [u32; 2],
        [i, j]: [usize; 2],
        places: &[Point3<f32>],
        vertices: [[u32; 3]; 2],
    ) {
        let lane = self.count;
        if lane >= ROOM {
            return;
        }
        self.count += 1;
        self.pairs[lane] = OwnPair { leaves, at: [i as u16, j as u16] };
        for side in 0..2 {
            for corner in 0..3 {
                let place = &places[vertices[side][corner] as usize];
                let rows = &mut self.rows[side][corner];
                (rows[0][lane], rows[1][lane], rows[2][lane]) = (place.x, place.y, place.z);
            }
        }
    }

    /// Judges the pairs that were put.
    pub fn judge(&self, level: SimdLevel) -> PairVerdicts {
        simd::run(level, JudgePairs { rows: &self.rows, count: self.count, error: self.error })
    }

    /// Which pair has a bit.
    #[inline]
    pub fn pair(&self, bit: u32) -> OwnPair {
        self.pairs.get(bit as usize).copied().unwrap_or_default()
    }

    /// Forgets the pairs that were put.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}

impl PairVerdicts {
    /// The bits of the pairs that cross or are uncertain, in their order, and whether they cross.
    pub fn open(self) -> impl Iterator<Item = (u32, bool)> {
        let mut open = self.cross | self.uncertain;
        std::iter::from_fn(move || {
            let bit = open.trailing_zeros();
            open &= open.wrapping_sub(1);
            (bit < 64).then(|| (bit, self.cross >> bit & 1 == 1))
        })
    }
}

/// How pairs of triangles meet, as far as the filter can tell.
struct JudgePairs<'j> {
    rows: &'j Rows,
    count: usize,
    error: f32,
}

impl Kernel for JudgePairs<'_> {
    type Output = PairVerdicts;

    #[inline(always)]
    fn run<S: Simd>(self) -> PairVerdicts {
        judge_pairs::<S::F32>(self.rows, self.count, self.error)
    }
}

/// [`JudgePairs`] on one kind of lanes, each of which has a pair.
#[inline(always)]
fn judge_pairs<V: F32Lanes>(rows: &Rows, count: usize, error: f32) -> PairVerdicts {
    let zero = V::splat(0.0);
    let mut found = PairVerdicts::default();
    let mut at = 0;
    while at < count {
        let left = count - at;
        let asked = if left < V::LANES { (1u32 << left) - 1 } else { V::ALL };
        let mut first = [[zero; 3]; 2];
        // The edges from the first corner of each.
        let mut edges = [[[zero; 3]; 2]; 2];
        for side in 0..2 {
            for k in 0..3 {
                first[side][k] = V::load(&rows[side][0][k][at..]);
                for i in 0..2 {
                    edges[side][i][k] = V::load(&rows[side][i + 1][k][at..]).sub(first[side][k]);
                }
            }
        }
        let apart = difference(&first[1], &first[0]);
        let [of_a, of_b] = [&edges[0], &edges[1]];
        let bounds = bounds(&apart, greatest(of_a), greatest(of_b), error);
        let (na, nb) = (cross(&of_a[0], &of_a[1]), cross(&of_b[0], &of_b[1]));
        let ca = [[zero; 3], of_a[0], of_a[1]];
        let cb = [apart, sum(&of_b[0], &apart), sum(&of_b[1], &apart)];
        let db = dot3(&nb, &apart);
        let sides_a = [zero.sub(db), dot3(&nb, &ca[1]).sub(db), dot3(&nb, &ca[2]).sub(db)];
        let sides_b = [dot3(&na, &cb[0]), dot3(&na, &cb[1]), dot3(&na, &cb[2])];
        let [crossing, uncertain] = meet(&ca, &cb, &sides_a, &sides_b, &bounds, asked);
        found.cross |= u64::from(crossing) << at;
        found.uncertain |= u64::from(uncertain) << at;
        at += V::LANES;
    }
    found
}

#[inline(always)]
fn sum<V: F32Lanes>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// The greatest component of two edges.
#[inline(always)]
fn greatest<V: F32Lanes>(edges: &[[V; 3]; 2]) -> V {
    let mut most = V::splat(0.0);
    for edge in edges {
        for k in 0..3 {
            most = most.max(edge[k].abs());
        }
    }
    most
}

/// [`super::filter::Bounds::new`] for as many pairs as there are lanes.
#[inline(always)]
fn bounds<V: F32Lanes>(translation: &[V; 3], e: V, f: V, error: f32) -> LaneBounds<V> {
    let t = translation[0].abs().max(translation[1].abs()).max(translation[2].abs());
    let s = e.add(f).add(t);
    let d = V::splat(error);
    let least = V::splat(256.0 * error);
    let in_range = least.at_most(e).and(least.at_most(f)).and(s.at_most(V::splat(FAR)));
    let (more, room) = (V::splat(MORE), V::splat(f32::MIN_POSITIVE));
    let (d36, d96) = (V::splat(36.0).mul(d), V::splat(96.0).mul(d));
    let over_a = more.mul(e.mul(s).mul(V::splat(432.0 * UNIT).mul(e).add(d96))).add(room);
    let over_b = more.mul(f.mul(s).mul(V::splat(672.0 * UNIT).mul(f).add(d96))).add(room);
    let turns = V::splat(552.0).mul(f).add(V::splat(48.0).mul(t));
    let order = V::splat(UNIT).mul(e.mul(s)).mul(turns).add(d36.mul(s.mul(s)));
    let order = more.mul(order).add(room);
    let never = V::splat(f32::INFINITY);
    LaneBounds {
        over_a: in_range.select(over_a, never),
        over_b: in_range.select(over_b, never),
        order: in_range.select(order, never),
    }
}
