//! Which of eight pairs of triangles may be in the way beyond a shift? In `f32`, with a bound that never lies.
//!
//! Corners are taken beside the first corner of A's leaf, B's where the shift has brought them, and scaled by a power of
//! two so that none exceeds 1. Any axis bounds the interval of shifts from outside, *whatever* the axis is: so the axes
//! (both normals, the products of the edges) are used as they come out in `f32`, and only what is measured along them may
//! err. With `u = 2⁻²⁴` and an axis of L1 norm `n`, a coordinate is off by `u` for having been rounded, its product with
//! the axis by `4u n` in all, on either side, and the speed along the axis by `5u n`, times the range; `16u n (1 + range)`
//! is added to the reach. Quotients err by `3u` of the range at a speed of `n` at most, which the same sum covers. What is not a
//! number cuts nothing off.

use impinge_geometry::simd::{self, F32Lanes, F32x8, Kernel, Simd};
use impinge_geometry::{SimdLevel, volume::round_up};
use impinge_midphase::obb_tree::LEAF_TRIANGLES;
use nalgebra::{Point3, Vector3};

/// `16u`.
const ERROR: f32 = 16.0 / 16_777_216.0;

/// No axis is followed more slowly than this part of its length.
const STILL: f32 = 1e-20;

/// The corners of two leaves beside an origin, scaled.
struct Rows {
    /// Triangle, corner, axis.
    a: [[[f32; 3]; 3]; LEAF_TRIANGLES],
    /// Corner, axis, triangle.
    b: [[[f32; LEAF_TRIANGLES]; 3]; 3],
    /// How many triangles there are of each.
    count: [usize; 2],
}

/// The corners of a triangle (m).
type Corners = [Point3<f64>; 3];

/// A translation of B: it begins at a shift (m) along a unit direction, and goes on by `range` (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<'d> {
    pub direction: &'d Vector3<f64>,
    pub shift: f64,
    pub range: f64,
    /// By how much corners of both triangles together may be off (m).
    pub growth: f64,
}

/// The pairs of triangles of two leaves that may meet on a passage, or be in the way of B beyond its shift: bit `4i + j` for
/// triangle `i` of A's and `j` of B's. Of a pair that begins beyond the passage's range nothing is known.
pub(crate) fn open([a, b]: [&[Corners]; 2], passage: &Passage<'_>, level: SimdLevel) -> u32 {
    let &Passage { direction, shift, range, growth } = passage;
    let Some(first) = a.first() else { return 0 };
    let origin = first[0];
    let moved = direction * shift;
    let mut largest = 0.0f64;
    let mut grow = |v: Vector3<f64>| largest = largest.max(v.amax());
    a.iter().flatten().for_each(|p| grow(p - origin));
    b.iter().flatten().for_each(|p| grow(p + moved - origin));
    let scale = below_one(largest);
    let local = |p: &Point3<f64>, by: &Vector3<f64>| ((p - origin + by) * scale).map(|x| x as f32);
    let mut rows = Rows {
        a: [[[0.0; 3]; 3]; LEAF_TRIANGLES],
        b: [[[0.0; LEAF_TRIANGLES]; 3]; 3],
        count: [a.len(), b.len()],
    };
    for (to, own) in rows.a.iter_mut().zip(a) {
        *to = own.each_ref().map(|p| local(p, &Vector3::zeros()).into());
    }
    for (triangle, own) in b.iter().enumerate().take(LEAF_TRIANGLES) {
        for (to, p) in rows.b.iter_mut().zip(own) {
            let at = local(p, &moved);
            (to[0][triangle], to[1][triangle], to[2][triangle]) = (at.x, at.y, at.z);
        }
    }
    let (range, growth) = (round_up(range * scale), round_up(growth * scale));
    let direction: [f32; 3] = direction.map(|x| x as f32).into();
    simd::run(level, Pass { rows: &rows, direction, range, growth })
}

/// A power of two that brings numbers up to `largest` to at most 1.
fn below_one(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((1022 - exponent.clamp(-900, 900)) as u64) << 52)
}

struct Pass<'a> {
    rows: &'a Rows,
    direction: [f32; 3],
    range: f32,
    growth: f32,
}

type Row3<V> = [V; 3];

#[inline(always)]
fn dot<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> V {
    x[0].mul(y[0]).add(x[1].mul(y[1])).add(x[2].mul(y[2]))
}

#[inline(always)]
fn sub<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [x[0].sub(y[0]), x[1].sub(y[1]), x[2].sub(y[2])]
}

#[inline(always)]
fn cross<V: F32Lanes>(x: &Row3<V>, y: &Row3<V>) -> Row3<V> {
    [
        x[1].mul(y[2]).sub(x[2].mul(y[1])),
        x[2].mul(y[0]).sub(x[0].mul(y[2])),
        x[0].mul(y[1]).sub(x[1].mul(y[0])),
    ]
}

/// The shifts at which nothing that was looked at parts the triangles.
struct Cut<'c, V> {
    a: &'c [Row3<V>; 3],
    b: &'c [Row3<V>; 3],
    direction: &'c Row3<V>,
    /// 16u (1 + range), and the growth.
    error: V,
    begin: V,
    end: V,
}

impl<V: F32Lanes> Cut<'_, V> {
    /// Keeps of the shifts those at which an axis does not part the triangles.
    #[inline(always)]
    fn cut(&mut self, axis: &Row3<V>) {
        let of_a = [dot(axis, &self.a[0]), dot(axis, &self.a[1]), dot(axis, &self.a[2])];
        let of_b = [dot(axis, &self.b[0]), dot(axis, &self.b[1]), dot(axis, &self.b[2])];
        let length = axis[0].abs().add(axis[1].abs()).add(axis[2].abs());
        let pad = length.mul(self.error);
        let low = of_a[0].min(of_a[1]).min(of_a[2]).sub(of_b[0].max(of_b[1]).max(of_b[2])).sub(pad);
        let high = of_a[0].max(of_a[1]).max(of_a[2]).sub(of_b[0].min(of_b[1]).min(of_b[2])).add(pad);
        // Along the motion the first comes before the second; against it they change places.
        let speed = dot(axis, self.direction);
        let slowness = V::splat(1.0).div(speed.abs().max(length.mul(V::splat(STILL))));
        let zero = V::splat(0.0);
        let first = speed.select_by_sign(zero.sub(high), low);
        let second = speed.select_by_sign(zero.sub(low), high);
        self.begin = first.mul(slowness).max(self.begin);
        self.end = second.mul(slowness).min(self.end);
    }
}

impl Kernel for Pass<'_> {
    type Output = u32;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> u32 {
        let zero = S::F32x8::splat(0.0);
        let [count_a, count_b] = self.rows.count;
        let direction = [
            S::F32x8::splat(self.direction[0]),
            S::F32x8::splat(self.direction[1]),
            S::F32x8::splat(self.direction[2]),
        ];
        let mut b = [[zero; 3]; 3];
        for (corner, rows) in b.iter_mut().zip(&self.rows.b) {
            for (axis, four) in corner.iter_mut().zip(rows) {
                *axis = S::F32x8::repeat(four);
            }
        }
        let of_b = [sub(&b[1], &b[0]), sub(&b[2], &b[1]), sub(&b[0], &b[2])];
        let normal_b = cross(&of_b[0], &of_b[1]);
        let mut open = 0;
        let mut first = 0;
        while first < count_a {
            let [p, q] = [&self.rows.a[first], &self.rows.a[first + 1]];
            let mut a = [[zero; 3]; 3];
            for corner in 0..3 {
                for axis in 0..3 {
                    a[corner][axis] = S::F32x8::halves(p[corner][axis], q[corner][axis]);
                }
            }
            let there = ((1 << count_b) - 1) * if first + 1 < count_a { 0x11 } else { 0x01 };
            let of_a = [sub(&a[1], &a[0]), sub(&a[2], &a[1]), sub(&a[0], &a[2])];
            let mut left = Cut {
                a: &a,
                b: &b,
                direction: &direction,
                error: S::F32x8::splat(ERROR * (1.0 + self.range) + self.growth),
                begin: zero,
                end: S::F32x8::splat(self.range),
            };
            left.cut(&cross(&of_a[0], &of_a[1]));
            left.cut(&normal_b);
            if left.begin.at_most(left.end).bits() & there != 0 {
                for u in &of_a {
                    for v in &of_b {
                        left.cut(&cross(u, v));
                    }
                }
                open |= (left.begin.at_most(left.end).bits() & there) << (LEAF_TRIANGLES * first);
            }
            first += 2;
        }
        open
    }
}
