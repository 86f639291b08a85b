//! While one box moves past another, when may they overlap? One box and all children of a node at once.
//!
//! A box moves by `s·m`, its axes standing still. Two convex bodies share a point at those `s` at which no separating
//! axis parts them; along one axis `L` that is `|L·d − s L·m| ≤ r`, where `d` is the vector from the moving box's centre
//! to the node's and `r` the sum of both reaches: one interval of `s`. The interval is the intersection over the 15 axes
//! of two boxes. How a box moves past each child is its [`BoxCourse`]: all alike along a unit vector (`s` in metres), or each at
//! its own velocity, boxes that turn grown by what they stray (`s` in parts of a motion).
//!
//! **The bound.** Every number here is `f32`; no interval may come out too short. With `u = 2⁻²⁴`, `h` and `g` the half
//! extents of both boxes, and `d` formed as `(c − hi) − lo`, an axis of length at most 1 has, to first order,
//!
//! - `L·d` off by at most `9u|d|` on a face of the node, `40u|d|` on a face of the moving box, `60u|d|` on two edges
//!   (two products of a `t` that is off by `9u|d|` with entries of the rotation that are off by `10u`, twice);
//! - `r` off by at most `60u(|h|₁ + |g|₁)`, with what the axes lack to right angles, as in [`super::sat`];
//! - `L·m` off by at most `60u|m|`, for the same reasons as `L·d`.
//!
//! An interval is only used inside of that of the parents, in which nothing moves farther than `range` (m): there `s L·m` is
//! off by at most `60u·range`, a velocity of a child's own by `20u·range` more, and a quotient's own roundings, `3u|s|` at most,
//! move the box by no more than `3u·range`. (Children that are brought to a time by velocities of their own are off by `2u·range` more; there
//! `range` is that of the whole motion.) [`PAD`] = 128u of the sum `|d|₁ + |h|₁ + |g|₁ + range` is added to `r` and covers
//! all of it where it counts; [`slack`] has the error of the pose in `f64`. A speed below [`STILL`] is raised to it: the axis then
//! parts the boxes always or never, which is right within the pad. An overflow gives infinities and NaN, which cut
//! nothing off.

use impinge_geometry::simd::{F32Lanes, Kernel, Simd};
use impinge_geometry::{PairFrame, Side};

use super::node::{Node, OrientedBox, WIDTH};
use super::sat::slack;

/// `128u`.
const PAD: f32 = 128.0 / 16_777_216.0;

/// No axis passes a box more slowly than this (m per m).
const STILL: f32 = 1e-20;

/// How boxes of one side stand in the frame of the other.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// `columns[c][r]` of the rotation.
    columns: [[f64; 3]; 3],
    columns32: [[f32; 3]; 3],
    translation: [f64; 3],
    slack: f32,
}

impl Seen {
    /// As boxes of `from` appear to the nodes of the other side. No vertex is farther than `reach[side]` (m) from its mesh's
    /// origin, and nothing moves by more than `far` (m).
    pub fn new(frame: &PairFrame, from: Side, reach: [f64; 2], far: f64) -> Seen {
        let (f, t) = (from.index(), from.other().index());
        let rotation = frame.rotation[t].tr_mul(&frame.rotation[f]);
        let v = frame.rotation[t].tr_mul(&(frame.offset[f] - frame.offset[t]));
        let columns = [0, 1, 2].map(|c| [rotation[(0, c)], rotation[(1, c)], rotation[(2, c)]]);
        Seen {
            columns,
            columns32: columns.map(|c| c.map(|x| x as f32)),
            translation: v.into(),
            slack: slack(reach[0] + reach[1] + v.norm() + far),
        }
    }

    /// A box that stands `aside` (m) of where it is seen, and moves by no more than `range` (m).
    pub fn aim(&self, b: &OrientedBox, aside: [f64; 3], range: f64) -> Aim {
        let (m, n, c) = (&self.columns, &self.columns32, b.center.map(f64::from));
        let mut aim = Aim {
            hi: [0.0; 3],
            lo: [0.0; 3],
            axes: [[0.0; 3]; 3],
            half: b.half,
            base: PAD * (b.half[0] + b.half[1] + b.half[2] + range as f32) + self.slack,
        };
        for r in 0..3 {
            let center =
                (m[0][r] * c[0] + m[1][r] * c[1] + m[2][r] * c[2]) + (self.translation[r] + aside[r]);
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
    /// The part of the pad that is the same for every box.
    base: f32,
}

impl Aim {
    /// Grown by `by` (m).
    pub fn grown(mut self, by: f32) -> Aim {
        self.base += by;
        self
    }
}

/// How a box moves past the children of a node.
pub(super) trait BoxCourse: Copy {
    /// The box's velocity as each child sees it, and by how much both together are to be grown beyond the pad; `center` and `half`
    /// are the children's (m).
    fn past<V: F32Lanes>(&self, center: &[V; 3], half: &[V; 3], pad: V) -> ([V; 3], V);

    /// Brings the vector from the box to each child to the time that intervals count from; children stand there already,
    /// unless they have velocities of their own.
    #[inline(always)]
    fn bring<V: F32Lanes>(&self, _: &mut [V; 3]) {}
}

/// All children see the same motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight(pub [f32; 3]);

impl BoxCourse for Straight {
    #[inline(always)]
    fn past<V: F32Lanes>(&self, _: &[V; 3], _: &[V; 3], pad: V) -> ([V; 3], V) {
        ([V::splat(self.0[0]), V::splat(self.0[1]), V::splat(self.0[2])], pad)
    }
}

/// The children turn with their mesh about a point of it, and the box may turn, too. In the frame of the children's mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    /// The box's velocity less that of the point that the mesh turns about (m per motion).
    pub velocity: [f32; 3],
    /// By how much the box strays from its even motion (m).
    pub growth: f32,
    /// The mesh's turn (rad per motion), and the point (m).
    pub turn: [f32; 3],
    pub center: [f32; 3],
    /// What half a diagonal is multiplied with to bound how far corners stray from a box's centre, and a centre's velocity to
    /// bound how far it strays itself.
    pub stray: [f32; 2],
}

impl BoxCourse for Turning {
    #[inline(always)]
    fn past<V: F32Lanes>(&self, center: &[V; 3], half: &[V; 3], pad: V) -> ([V; 3], V) {
        let turn = [V::splat(self.turn[0]), V::splat(self.turn[1]), V::splat(self.turn[2])];
        let arm = [
            center[0].sub(V::splat(self.center[0])),
            center[1].sub(V::splat(self.center[1])),
            center[2].sub(V::splat(self.center[2])),
        ];
        let own = [
            turn[1].mul(arm[2]).sub(turn[2].mul(arm[1])),
            turn[2].mul(arm[0]).sub(turn[0].mul(arm[2])),
            turn[0].mul(arm[1]).sub(turn[1].mul(arm[0])),
        ];
        let strays = dot(half, half)
            .sqrt()
            .mul(V::splat(self.stray[0]))
            .add(dot(&own, &own).sqrt().mul(V::splat(self.stray[1])));
        let velocity = [
            V::splat(self.velocity[0]).sub(own[0]),
            V::splat(self.velocity[1]).sub(own[1]),
            V::splat(self.velocity[2]).sub(own[2]),
        ];
        (velocity, pad.add(strays).add(V::splat(self.growth)))
    }
}

/// Every child has a velocity of its own. In the frame of the children's mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drifting<'d> {
    /// The box's velocity less that of the frame's (m per motion).
    pub velocity: [f32; 3],
    /// By how much the box strays from its even motion (m).
    pub growth: f32,
    /// The children's velocities (m per motion), who stand where they do at time 0.
    pub drift: &'d [[f32; WIDTH]; 3],
    /// The time that intervals count from.
    pub time: f32,
}

impl BoxCourse for Drifting<'_> {
    #[inline(always)]
    fn past<V: F32Lanes>(&self, _: &[V; 3], _: &[V; 3], pad: V) -> ([V; 3], V) {
        let velocity = [
            V::splat(self.velocity[0]).sub(V::load(&self.drift[0])),
            V::splat(self.velocity[1]).sub(V::load(&self.drift[1])),
            V::splat(self.velocity[2]).sub(V::load(&self.drift[2])),
        ];
        (velocity, pad.add(V::splat(self.growth)))
    }

    #[inline(always)]
    fn bring<V: F32Lanes>(&self, d: &mut [V; 3]) {
        for k in 0..3 {
            d[k] = d[k].add(V::load(&self.drift[k]).mul(V::splat(self.time)));
        }
    }
}

/// When a box may overlap the children of a node (from where it stands); lanes that it does not pass, or that have
/// no child, end before they begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    pub begin: [f32; WIDTH],
    pub end: [f32; WIDTH],
}

/// Finds the intervals of a moving box and the children of a node.
pub(super) struct Pass<'a, C> {
    pub aim: &'a Aim,
    pub node: &'a Node,
    pub course: C,
    /// Nothing outside of this interval is of interest.
    pub within: [f32; 2],
}

impl<C: BoxCourse> Kernel for Pass<'_, C> {
    type Output = Intervals;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> Intervals {
        let Pass { aim, node, course, within } = self;
        let zero = S::F32x8::splat(0.0);
        let loose = S::F32x8::splat(PAD);
        let (mut c, mut d, mut h, mut g) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
        for k in 0..3 {
            c[k] = S::F32x8::load(&node.center[k]);
            d[k] = c[k].sub(S::F32x8::splat(aim.hi[k])).sub(S::F32x8::splat(aim.lo[k]));
            h[k] = S::F32x8::load(&node.half[k]);
            g[k] = S::F32x8::splat(aim.half[k]);
        }
        course.bring(&mut d);
        let size = d[0].abs().add(d[1].abs()).add(d[2].abs()).add(h[0].add(h[1]).add(h[2]));
        let pad = size.mul(S::F32x8::splat(PAD)).add(S::F32x8::splat(aim.base));
        let (motion, pad) = course.past(&c, &h, pad);
        let (mut t, mut v) = ([zero; 3], [zero; 3]);
        let (mut r, mut m) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        let mut out = Cut { begin: S::F32x8::splat(within[0]), end: S::F32x8::splat(within[1]) };
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
