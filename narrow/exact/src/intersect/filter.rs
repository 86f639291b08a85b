//! Which triangles of two leaves cross, in `f32`, many pairs at once, with bounds that never lie.
//!
//! Everything is judged in the frame of A's mesh beside the origin of A's leaf. There A's corners
//! stand where the leaf has them; B's are turned, and moved by a translation from leaf to leaf
//! that is formed in `f64` and rounded once. The predicates are those of [`super::crossing`]: the
//! sides of the corners to the other's plane and, where these are mixed on both sides, the order in
//! which two pairs of edges meet the line common to both planes.
//!
//! **The bounds.** Let `u = 2⁻²⁴`; `e` the extent of A's leaf; `f` that of B's times √3, which no
//! turned corner exceeds; `T` the largest component of the translation; `S = e + f + T`; and `d` what
//! the canonical geometry, the relative pose and the translation may be off by in `f64`
//! ([`Relative::error`]), underflow included. To first order a coordinate
//!
//! - of A is off by `ue + d` (it was rounded once);
//! - of B, turned, by `6uf + d`: for having been stored, for the matrix, the products and each
//!   of two sums `uf` at most;
//! - of B, moved, by `u(7f + 2T) + d`: the translation rounded, and the sum.
//!
//! An edge with components up to `L`, each off by `η` (twice the above and a rounding `uL`), gives a
//! normal with components up to `2L²`, off by `4ηL + 4uL²`. A side `n·y − n·x` takes at most `30u` of
//! `L²(|y| + |x|)` in roundings, so that it is off by at most
//! `L²((12η/L + 42u)(|y| + |x|) + 6(δy + δx))`. With `L = 2e`, `η = 4ue + 2d` for A's planes and
//! `L = 2f`, `η = 14uf + 2d` for B's this is
//!
//! - `eS(432ue + 96d)` for B's corners and A's planes,
//! - `fS(672uf + 96d)` for A's corners and B's planes.
//!
//! The order of two edges is a determinant of an edge of A, one of B and the vector between two
//! corners (components up to `2e`, `2f`, `S`; off by `4ue + 2d`, `u(16f + 4T) + 2d`, `8uS + 2d`): six
//! products of three, off by at most `ueS(552f + 48T) + 36dS²`, `30u` for the roundings of each
//! product included. A sixteenth more covers the higher orders while every error is at most 1/64
//! of its length, and the rounding of the bounds. Beyond that, or where numbers might leave the
//! range of `f32`, nothing is certain.

#![allow(clippy::needless_range_loop, reason = "axes and corners of several arrays are walked together")]

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::{PairFrame, SimdLevel};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::LeafRoom;
use nalgebra::{Matrix3, Vector3};

use super::signs::{LaneBounds, cross, difference, dot3, meet};

pub(super) const UNIT: f32 = f32::EPSILON / 2.0;

/// Beyond this (m) products of three may leave the range of `f32`: 2⁴⁰.
pub(super) const FAR: f32 = 1_099_511_627_776.0;

/// What bounds are more by, for the higher orders.
pub(super) const MORE: f32 = 17.0 / 16.0;

/// Verdicts on the pairs of triangles of two leaves: bit `4i + j` for triangle `i` of A's
/// leaf and `j` of B's. Neither bit: they do not share a point and do not cross after any small
/// enough shift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdicts {
    /// They cross, all signs being certain.
    pub cross: u32,
    /// Some sign that matters is not certain.
    pub uncertain: u32,
    /// How many pairs were looked at.
    pub tested: u32,
}

/// The pairs of triangles in a mask of [`Verdicts`], by triangles of A, then of B.
#[inline]
pub(super) fn pairs(mut mask: u32) -> impl Iterator<Item = [usize; 2]> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (bit < 32).then_some([bit / 4, bit % 4])
    })
}

/// The triangles of a leaf, four side by side, with their planes.
#[derive(Clone, Debug, Default)]
struct FilterLeaf {
    corners: [[[f32; 4]; 3]; 3],
    /// Edge 0 × edge 2 reversed: twice the area vector.
    normal: [[f32; 4]; 3],
    /// The normal's product with the first corner.
    offset: [f32; 4],
}

/// The corners of a leaf's triangles: corner, axis, triangle.
type Corners<'t> = [[&'t [f32; 4]; 3]; 3];

/// Fills a leaf from its corners, turned by `turn` (rows of the matrix) where there is one.
struct Prepare<'p> {
    corners: Corners<'p>,
    turn: Option<&'p [[f32; 3]; 3]>,
    out: &'p mut FilterLeaf,
}

impl Kernel for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        prepare::<S::F32x4>(&self.corners, self.turn, self.out);
    }
}

/// [`Prepare`] on one kind of lanes, of which there are four.
#[inline(always)]
fn prepare<V: F32Lanes>(corners: &Corners<'_>, turn: Option<&[[f32; 3]; 3]>, out: &mut FilterLeaf) {
    let zero = V::splat(0.0);
    let mut c = [[zero; 3]; 3];
    for i in 0..3 {
        for k in 0..3 {
            c[i][k] = V::load(corners[i][k]);
        }
    }
    if let Some(m) = turn {
        let mut turned = c;
        for k in 0..3 {
            let row = [V::splat(m[k][0]), V::splat(m[k][1]), V::splat(m[k][2])];
            for i in 0..3 {
                turned[i][k] = dot3(&row, &c[i]);
            }
        }
        c = turned;
    }
    let n = cross(&difference(&c[1], &c[0]), &difference(&c[2], &c[0]));
    dot3(&n, &c[0]).store(&mut out.offset);
    for k in 0..3 {
        n[k].store(&mut out.normal[k]);
        for i in 0..3 {
            c[i][k].store(&mut out.corners[i][k]);
        }
    }
}

/// Where B's mesh stands in the frame of A's.
#[derive(Clone, Debug, Default)]
struct Relative {
    turn: Matrix3<f64>,
    turn32: [[f32; 3]; 3],
    /// Where B's origin stands (m).
    translation: Vector3<f64>,
    /// Bounds what a corner of B is off by in `f64` beside the canonical one (m).
    error: f32,
}

impl Relative {
    fn new(frame: &PairFrame, trees: [&ObbTree; 2]) -> Relative {
        let back = frame.rotation[0].transpose();
        let turn = back * frame.rotation[1];
        let apart = frame.offset[1] - frame.offset[0];
        let translation = back * apart;
        // Canonical positions are off by under 8 · 2⁻⁵³ of the distances, the inverse of a rotation
        // by 32 · 2⁻⁵³ of its transpose, products of matrices and points by as much: under 128 · 2⁻⁵³
        // in all.
        let far = trees[0].reach() + trees[1].reach() + apart.abs().sum();
        Relative {
            turn,
            turn32: [0, 1, 2].map(|i| [0, 1, 2].map(|k| turn[(i, k)] as f32)),
            translation,
            error: (far * (1.0 / (1u64 << 45) as f64)) as f32 + 8.0 * f32::MIN_POSITIVE,
        }
    }
}

/// How far a sign may be wrong, see the head of this file; infinite where nothing is certain.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// From leaf to leaf (m).
    translation: [f32; 3],
    over_a: f32,
    over_b: f32,
    order: f32,
}

impl Bounds {
    #[inline]
    fn new(translation: [f32; 3], e: f32, f: f32, d: f32) -> Bounds {
        let [x, y, z] = translation.map(f32::abs);
        let larger = |x: f32, y: f32| if x > y { x } else { y };
        let t = larger(larger(x, y), z);
        let s = e + f + t;
        // Written so that NaN is out of range, and in one branch that is nearly always taken.
        let in_range = (256.0 * d <= e) & (256.0 * d <= f) & (s <= FAR);
        if !in_range {
            let never = f32::INFINITY;
            return Bounds { translation, over_a: never, over_b: never, order: never };
        }
        let least = f32::MIN_POSITIVE;
        Bounds {
            translation,
            over_a: MORE * (e * s * (432.0 * UNIT * e + 96.0 * d)) + least,
            over_b: MORE * (f * s * (672.0 * UNIT * f + 96.0 * d)) + least,
            order: MORE * (UNIT * (e * s) * (552.0 * f + 48.0 * t) + 36.0 * d * (s * s)) + least,
        }
    }
}

/// A leaf that was made ready.
#[derive(Clone, Debug)]
struct Ready {
    leaf: u32,
    count: usize,
    extent: f32,
    /// Its origin in the frame of A's mesh (m).
    origin: Vector3<f64>,
    rows: FilterLeaf,
}

impl Default for Ready {
    fn default() -> Ready {
        Ready { leaf: u32::MAX, count: 0, extent: 0.0, origin: Vector3::zeros(), rows: FilterLeaf::default() }
    }
}

/// The filter of one pair of surfaces; remembers the last leaf of each side.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    relative: Relative,
    ready: [Ready; 2],
    /// Of a leaf whose triangles are computed.
    room: LeafRoom,
}

impl Filter {
    /// Forgets the last pair.
    pub fn begin(&mut self, frame: &PairFrame, trees: [&ObbTree; 2]) {
        self.relative = Relative::new(frame, trees);
        self.ready[0].leaf = u32::MAX;
        self.ready[1].leaf = u32::MAX;
    }

    /// Judges the triangles of two leaves.
    #[inline]
    pub fn judge(&mut self, level: SimdLevel, trees: [&ObbTree; 2], leaves: [u32; 2]) -> Verdicts {
        if self.ready[0].leaf != leaves[0] {
            self.ready_a(level, trees[0], leaves[0]);
        }
        if self.ready[1].leaf != leaves[1] {
            self.ready_b(level, trees[1], leaves[1]);
        }
        let [a, b] = &self.ready;
        let apart = b.origin - a.origin;
        let translation = [apart.x as f32, apart.y as f32, apart.z as f32];
        let bounds = Bounds::new(translation, a.extent, b.extent, self.relative.error);
        let of_one = (1u32 << b.count) - 1;
        let valid = (of_one * 0x1111) & ((1u32 << (4 * a.count)) - 1);
        let found = simd::run(level, Judge { a: &a.rows, b: &b.rows, bounds: &bounds, valid });
        Verdicts { tested: (a.count * b.count) as u32, ..found }
    }

    fn ready_a(&mut self, level: SimdLevel, tree: &ObbTree, leaf: u32) {
        let rows = tree.leaf_rows(leaf, &mut self.room);
        let a = &mut self.ready[0];
        (a.leaf, a.count, a.extent) = (leaf, rows.count(), rows.extent);
        a.origin = Vector3::from(rows.origin).cast();
        simd::run(level, Prepare { corners: rows.corners(), turn: None, out: &mut a.rows });
    }

    fn ready_b(&mut self, level: SimdLevel, tree: &ObbTree, leaf: u32) {
        let rows = tree.leaf_rows(leaf, &mut self.room);
        let (b, relative) = (&mut self.ready[1], &self.relative);
        // √3, rounded up.
        (b.leaf, b.count, b.extent) = (leaf, rows.count(), rows.extent * 1.732_051_1);
        b.origin = relative.turn * Vector3::from(rows.origin).cast::<f64>() + relative.translation;
        let turn = Some(&relative.turn32);
        simd::run(level, Prepare { corners: rows.corners(), turn, out: &mut b.rows });
    }
}

/// How the triangles of two leaves meet, as far as the filter can tell. `valid` has a bit for each pair
/// to be looked at.
struct Judge<'j> {
    a: &'j FilterLeaf,
    b: &'j FilterLeaf,
    bounds: &'j Bounds,
    valid: u32,
}

impl Kernel for Judge<'_> {
    type Output = Verdicts;

    #[inline(always)]
    fn run<S: Simd>(self) -> Verdicts {
        judge::<S::F32>(self.a, self.b, self.bounds, self.valid)
    }
}

/// [`Judge`] on one kind of lanes: four triangles of B and one or two of A.
#[inline(always)]
fn judge<V: F32Lanes>(a: &FilterLeaf, b: &FilterLeaf, bounds: &Bounds, valid: u32) -> Verdicts {
    let zero = V::splat(0.0);
    let mut found = Verdicts::default();
    // B's side is the same for all of A's triangles.
    let (mut cb, mut nb) = ([[zero; 3]; 3], [zero; 3]);
    let mut db = V::repeat(&b.offset);
    for k in 0..3 {
        let t = V::splat(bounds.translation[k]);
        nb[k] = V::repeat(&b.normal[k]);
        db = db.add(nb[k].mul(t));
        for i in 0..3 {
            cb[i][k] = V::repeat(&b.corners[i][k]).add(t);
        }
    }
    let Bounds { over_a, over_b, order, .. } = *bounds;
    let bounds = LaneBounds { over_a: V::splat(over_a), over_b: V::splat(over_b), order: V::splat(order) };
    let mut at = 0;
    while at < 4 && valid >> (4 * at) != 0 {
        let (mut ca, mut na) = ([[zero; 3]; 3], [zero; 3]);
        let da = V::spread(&a.offset, at);
        for k in 0..3 {
            na[k] = V::spread(&a.normal[k], at);
            for i in 0..3 {
                ca[i][k] = V::spread(&a.corners[i][k], at);
            }
        }
        let (mut of_a, mut of_b) = ([zero; 3], [zero; 3]);
        for i in 0..3 {
            of_b[i] = dot3(&na, &cb[i]).sub(da);
            of_a[i] = dot3(&nb, &ca[i]).sub(db);
        }
        let [cross, uncertain] = meet(&ca, &cb, &of_a, &of_b, &bounds, (valid >> (4 * at)) & V::ALL);
        found.cross |= cross << (4 * at);
        found.uncertain |= uncertain << (4 * at);
        at += V::LANES / 4;
    }
    found
}
