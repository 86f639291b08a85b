//! The signs that tell how two triangles meet, for as many pairs as there are lanes.
//!
//! See [`super::filter`] for the predicates and what bounds them.

#![allow(clippy::needless_range_loop, reason = "axes of several arrays are walked together")]

use impinge_geometry::simd::F32Lanes;

/// How far signs may be wrong in every lane: of B's corners to A's plane, of A's to B's, and of the order of two edges; infinite where nothing is
/// certain.
pub(super) struct LaneBounds<V> {
    pub over_a: V,
    pub over_b: V,
    pub order: V,
}

/// How the triangles in the lanes meet, of those that are asked about: bits for those that cross, and those that are not certain. `of_a` has
/// the sides of A's corners to B's plane, `of_b` those of B's to A's.
#[inline(always)]
pub(super) fn meet<V: F32Lanes>(
    ca: &[[V; 3]; 3],
    cb: &[[V; 3]; 3],
    of_a: &[V; 3],
    of_b: &[V; 3],
    bounds: &LaneBounds<V>,
    asked: u32,
) -> [u32; 2] {
    let zero = V::splat(0.0);
    let LaneBounds { over_a, over_b, order: over } = *bounds;
    let (under_a, under_b) = (zero.sub(over_a), zero.sub(over_b));
    let apart = over_a.less(of_b[0].min(of_b[1]).min(of_b[2])).bits()
        | of_b[0].max(of_b[1]).max(of_b[2]).less(under_a).bits()
        | over_b.less(of_a[0].min(of_a[1]).min(of_a[2])).bits()
        | of_a[0].max(of_a[1]).max(of_a[2]).less(under_b).bits();
    let open = !apart & asked;
    if open == 0 {
        return [0; 2];
    }
    let clear = over_a.less(of_b[0].abs().min(of_b[1].abs()).min(of_b[2].abs())).bits()
        & over_b.less(of_a[0].abs().min(of_a[1].abs()).min(of_a[2].abs())).bits();
    let (p, q) = (turned(ca, of_a), turned(cb, of_b));
    // The edge of A by which the line enters is compared with that of B by which it leaves.
    let differ = p.side.xor(q.side);
    let (mut v, mut w) = ([zero; 3], [zero; 3]);
    for k in 0..3 {
        v[k] = differ.select_by_sign(q.next[k], q.previous[k]);
        w[k] = differ.select_by_sign(q.previous[k], q.next[k]);
    }
    let between = difference(&q.lone, &p.lone);
    let first = volume(&difference(&p.previous, &p.lone), &difference(&v, &q.lone), &between);
    let second = volume(&difference(&p.next, &p.lone), &difference(&w, &q.lone), &between);
    // With the sign of B's lone corner: they cross where `first` < 0 < `second`.
    let sign = q.side.xor(q.side.abs());
    let (first, second) = (first.xor(sign), second.xor(sign));
    let under = zero.sub(over);
    let cross = first.less(under).bits() & over.less(second).bits();
    let miss = over.less(first).bits() | second.less(under).bits();
    [open & clear & cross, open & !(clear & (cross | miss))]
}

#[inline(always)]
pub(super) fn dot3<V: F32Lanes>(a: &[V; 3], b: &[V; 3]) -> V {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
pub(super) fn difference<V: F32Lanes>(a: &[V; 3], b: &[V; 3]) -> [V; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
pub(super) fn cross<V: F32Lanes>(u: &[V; 3], v: &[V; 3]) -> [V; 3] {
    [
        u[1].mul(v[2]).sub(u[2].mul(v[1])),
        u[2].mul(v[0]).sub(u[0].mul(v[2])),
        u[0].mul(v[1]).sub(u[1].mul(v[0])),
    ]
}

/// (u × v) · w.
#[inline(always)]
fn volume<V: F32Lanes>(u: &[V; 3], v: &[V; 3], w: &[V; 3]) -> V {
    dot3(&cross(u, v), w)
}

/// A triangle turned so that its first corner is the one alone on its side.
struct Turned<V> {
    lone: [V; 3],
    next: [V; 3],
    previous: [V; 3],
    /// The side of the lone corner.
    side: V,
}

/// Plain loops without closures, here and below: this is compiled once for every level, and a
/// closure would be a function of its own, without that level's instructions.
#[inline(always)]
fn turned<V: F32Lanes>(c: &[[V; 3]; 3], sides: &[V; 3]) -> Turned<V> {
    // Where corners 1 and 2 differ it is not 0 that is alone; then it is 2 if 0 and 2 differ.
    let not_0 = sides[1].xor(sides[2]);
    let is_2 = sides[0].xor(sides[2]);
    let mut out = Turned { lone: c[0], next: c[1], previous: c[2], side: sides[0] };
    for k in 0..3 {
        out.lone[k] = not_0.select_by_sign(is_2.select_by_sign(c[2][k], c[1][k]), c[0][k]);
        out.next[k] = not_0.select_by_sign(is_2.select_by_sign(c[0][k], c[2][k]), c[1][k]);
        out.previous[k] = not_0.select_by_sign(is_2.select_by_sign(c[1][k], c[0][k]), c[2][k]);
    }
    out.side = not_0.select_by_sign(is_2.select_by_sign(sides[2], sides[1]), sides[0]);
    out
}
