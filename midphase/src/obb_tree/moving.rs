//! During which interval of a motion may one box overlap the children of a node? Eight at a time.
//!
//! A box moves by `s·m`, `m` a unit vector. Two convex bodies share a point at those `s` at which no separating
//! axis parts them; along one axis `L` that is `|L·d − s L·m| ≤ r`, where `d` is the vector from the moving box's centre
//! to the node's and `r` the sum of both reaches: one interval of `s`. The interval is the intersection over the 15 axes
//! of two boxes.
//!
//! **The bound.** Every number here is `f32`; no interval may come out too short. With `u = 2⁻²⁴`, `h` and `g` the half
//! extents of both boxes, and `d` formed as `(c − hi) − lo`, an axis of length at most 1 has, to first order,
//!
//! - `L·d` off by at most `9u|d|` on a face of the node, `40u|d|` on a face of the moving box, `60u|d|` on two edges
//!   (two products of a `t` that is off by `9u|d|` with entries of the rotation that are off by `10u`, twice);
//! - `r` off by at most `60u(|h|₁ + |g|₁)`, with what the axes lack to right angles, as in [`super::super::sat`];
//! - `L·m` off by at most `60u`, for the same reasons as `L·d`, of a unit vector.
//!
//! An interval is only used inside of that of the parents, which reaches no farther than `range` from where the box
//! stands: there `s L·m` is off by at most `60u·range`, and a quotient's own roundings, `3u|s|` at most, move the box by
//! no more than `3u·range`. [`PAD`] = 128u of the sum `|d|₁ + |h|₁ + |g|₁ + range` is added to `r` and covers all of it
//! twice over where it counts; [`slack`] has the error of the pose in `f64`. A speed below [`STILL`] is raised to it: the axis then
//! parts the boxes always or never, which is right within the pad. An overflow gives infinities and NaN, which cut
//! nothing off.

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};
use impinge_geometry::{PairFrame, Side};
use nalgebra::Vector3;

use super::super::node::{Node, OrientedBox, WIDTH};
use super::super::sat::slack;

/// `128u`.
const PAD: f32 = 128.0 / 16_777_216.0;

/// No axis passes a box more slowly than this (m per m).
const STILL: f32 = 1e-20;

/// How boxes of one side stand in the frame of the other, and move.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// `columns[c][r]` of the rotation.
    columns: [[f64; 3]; 3],
    columns32: [[f32; 3]; 3],
    translation: [f64; 3],
    /// Unit.
    direction: [f64; 3],
    slack: f32,
}

impl Motion {
    /// As boxes of `from` appear to the nodes of the other side while B moves along `direction` (unit, pair frame). No
    /// vertex is farther than `reach[side]` (m) from its mesh's origin, and B moves by no more than `far` (m).
    pub fn new(frame: &PairFrame, from: Side, reach: [f64; 2], direction: &Vector3<f64>, far: f64) -> Motion {
        let (f, t) = (from.index(), from.other().index());
        let rotation = frame.rotation[t].tr_mul(&frame.rotation[f]);
        let v = frame.rotation[t].tr_mul(&(frame.offset[f] - frame.offset[t]));
        // To B's nodes it is A that moves, the other way.
        let along = frame.rotation[t].tr_mul(direction) * if from == Side::B { 1.0 } else { -1.0 };
        let columns = [0, 1, 2].map(|c| [rotation[(0, c)], rotation[(1, c)], rotation[(2, c)]]);
        Motion {
            columns,
            columns32: columns.map(|c| c.map(|x| x as f32)),
            translation: v.into(),
            direction: along.into(),
            slack: slack(reach[0] + reach[1] + v.norm() + far),
        }
    }

    /// A box after a shift of `base` (m), that may go on by no more than `range` (m).
    pub fn aim(&self, b: &OrientedBox, base: f64, range: f64) -> Aim {
        let (m, n, c) = (&self.columns, &self.columns32, b.center.map(f64::from));
        let mut aim = Aim {
            hi: [0.0; 3],
            lo: [0.0; 3],
            axes: [[0.0; 3]; 3],
            half: b.half,
            motion: self.direction.map(|x| x as f32),
            base: PAD * (b.half[0] + b.half[1] + b.half[2] + range as f32) + self.slack,
        };
        for r in 0..3 {
            let center = (m[0][r] * c[0] + m[1][r] * c[1] + m[2][r] * c[2])
                + (self.translation[r] + base * self.direction[r]);
            let hi = center as f32;
            (aim.hi[r], aim.lo[r]) = (hi, (center - f64::from(hi)) as f32);
            for j in 0..3 {
                let a = &b.axes[j];
                aim.axes[j][r] = (n[0][r] * a[0] + n[1][r] * a[1]) + n[2][r] * a[2];
            }
        }
        aim
    }
}

/// One box in the frame of the mesh whose boxes it passes (m).
#[derive(Clone, Debug)]
pub(super) struct Aim {
    /// The centre is `hi + lo`.
    hi: [f32; 3],
    lo: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
    motion: [f32; 3],
    /// The part of the pad that is the same for every box.
    base: f32,
}

/// When a box may overlap the children of a node (m from where it stands); lanes that it does not pass, or that have
/// no child, end before they begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    pub begin: [f32; WIDTH],
    pub end: [f32; WIDTH],
}

/// Finds the intervals of a moving box and the children of a node.
pub(super) struct Pass<'a> {
    pub aim: &'a Aim,
    pub node: &'a Node,
    /// Intervals that begin later are of no interest (m).
    pub range: f32,
}

impl Kernel for Pass<'_> {
    type Output = Intervals;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> Intervals {
        let Pass { aim, node, range } = self;
        let zero = S::F32x8::splat(0.0);
        let loose = S::F32x8::splat(PAD);
        let (mut d, mut h, mut g, mut motion) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
        for k in 0..3 {
            d[k] = S::F32x8::load(&node.center[k])
                .sub(S::F32x8::splat(aim.hi[k]))
                .sub(S::F32x8::splat(aim.lo[k]));
            h[k] = S::F32x8::load(&node.half[k]);
            g[k] = S::F32x8::splat(aim.half[k]);
            motion[k] = S::F32x8::splat(aim.motion[k]);
        }
        let size = d[0].abs().add(d[1].abs()).add(d[2].abs()).add(h[0].add(h[1]).add(h[2]));
        let pad = size.mul(S::F32x8::splat(PAD)).add(S::F32x8::splat(aim.base));
        let (mut t, mut v) = ([zero; 3], [zero; 3]);
        let (mut r, mut m) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        let mut out = Cut { begin: zero, end: S::F32x8::splat(range) };
        for i in 0..3 {
            let a = [
                S::F32x8::load(&node.axes[i][0]),
                S::F32x8::load(&node.axes[i][1]),
                S::F32x8::load(&node.axes[i][2]),
            ];
            t[i] = dot(&a, &d);
            v[i] = dot(&a, &motion);
            for j in 0..3 {
                let b = [
                    S::F32x8::splat(aim.axes[j][0]),
                    S::F32x8::splat(aim.axes[j][1]),
                    S::F32x8::splat(aim.axes[j][2]),
                ];
                r[i][j] = dot(&a, &b);
                m[i][j] = r[i][j].abs().add(loose);
            }
            out.cut(t[i], v[i], dot(&g, &m[i]).add(h[i]).add(pad));
        }
        for j in 0..3 {
            let along = [r[0][j], r[1][j], r[2][j]];
            let reach = dot(&h, &[m[0][j], m[1][j], m[2][j]]).add(g[j]).add(pad);
            out.cut(dot(&t, &along), dot(&v, &along), reach);
        }
        if out.begin.at_most(out.end).bits() != 0 {
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                for j in 0..3 {
                    let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                    let of_a = h[i1].mul(m[i2][j]).add(h[i2].mul(m[i1][j]));
                    let of_b = g[j1].mul(m[i][j2]).add(g[j2].mul(m[i][j1]));
                    let along = t[i2].mul(r[i1][j]).sub(t[i1].mul(r[i2][j]));
                    let speed = v[i2].mul(r[i1][j]).sub(v[i1].mul(r[i2][j]));
                    out.cut(along, speed, of_a.add(of_b).add(pad));
                }
            }
        }
        let mut found = Intervals { begin: [0.0; WIDTH], end: [0.0; WIDTH] };
        out.begin.store(&mut found.begin);
        out.end.store(&mut found.end);
        found
    }
}

/// Intervals while axis after axis cuts them.
struct Cut<V> {
    begin: V,
    end: V,
}

impl<V: F32Lanes> Cut<V> {
    /// Keeps of the intervals where `|along − s·speed| ≤ reach`. What is not a number cuts nothing off.
    #[inline(always)]
    fn cut(&mut self, along: V, speed: V, reach: V) {
        let sign = speed.xor(speed.abs());
        let slowness = V::splat(1.0).div(speed.abs().max(V::splat(STILL)));
        let ahead = along.xor(sign);
        self.begin = ahead.sub(reach).mul(slowness).max(self.begin);
        self.end = ahead.add(reach).mul(slowness).min(self.end);
    }
}

#[inline(always)]
fn dot<V: F32Lanes>(a: &[V; 3], b: &[V; 3]) -> V {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
