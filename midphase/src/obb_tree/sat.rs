//! The 15-axis separating-axis test of one box against the children of a node.
//!
//! Everything is computed in `f32` in the frame of the node's mesh; a pair of boxes is thrown out
//! only where an axis separates them by more than any rounding error could. With `u = 2⁻²⁴`, `d`
//! the vector between the centres (formed as `(c − hi) − lo`, so that its error is relative to
//! itself, not to the distance from the origin), `h` and `g` the half extents, and all axes
//! orthonormal within `4u`: a component of `R = aᵀb` is wrong by ≤ 10u, `a·d` by ≤ 5u·|d|₁, and
//! the two sides of the test differ from their true values by less than
//! `44u·|d|₁ + 30u·(|h|₁ + |g|₁)` on each of the fifteen axes, non-orthonormality included. The pad
//! is `64u` times the sum of all three, plus [`slack`] for the error of the pose in `f64`
//! and for underflow. An overflow gives infinities and NaN, which separate nothing. Near-parallel
//! edges need nothing further: their vanishing axis stays below the pad.
//!
//! Source: Gottschalk, Lin, Manocha, "OBBTree", 1996; the pad is ours.

use impinge_geometry::volume::round_up;
use impinge_geometry::{PairFrame, Side};

use super::lanes::{self, Lanes, SimdLevel};
use super::node::{Node, OrientedBox};

/// `64u`: what the pad is relative to.
const PAD: f32 = 64.0 / 16_777_216.0;

/// Where one mesh stands in the frame of another. Rows of four, the last unused, so that they fit
/// the processor's registers.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    /// `columns[c][r]` of the rotation from the other mesh's frame to this one.
    columns: [[f64; 4]; 3],
    columns32: [[f32; 4]; 3],
    translation: [f64; 4],
    /// Added to every half extent (m): the margin, rounded up.
    margin: f32,
    slack: f32,
}

impl Relative {
    /// The pose in which boxes of `from` appear to the mesh on the other side. No vertex is farther
    /// than `reach[side]` (m) from its mesh's origin.
    pub fn new(frame: &PairFrame, from: Side, reach: [f64; 2], margin: f64) -> Relative {
        let (f, t) = (from.index(), from.other().index());
        let rotation = frame.rotation[t].tr_mul(&frame.rotation[f]);
        let v = frame.rotation[t].tr_mul(&(frame.offset[f] - frame.offset[t]));
        let columns = [0, 1, 2].map(|c| [rotation[(0, c)], rotation[(1, c)], rotation[(2, c)], 0.0]);
        Relative {
            columns,
            columns32: columns.map(|c| c.map(|x| x as f32)),
            translation: [v.x, v.y, v.z, 0.0],
            margin: round_up(margin),
            slack: slack(reach[0] + reach[1] + v.norm()),
        }
    }

    /// A box of the other mesh as a probe of this one.
    pub fn probe(&self, b: &OrientedBox) -> Probe {
        let mut probe = Probe::EMPTY;
        self.aim(b, &mut probe);
        probe
    }

    /// As [`Relative::probe`], in place. (Adding the margin in `f32` errs by less than `u` of the sum,
    /// which the pad has room for.)
    #[inline(always)]
    pub fn aim(&self, b: &OrientedBox, probe: &mut Probe) {
        let (m, n, c) = (&self.columns, &self.columns32, b.center.map(f64::from));
        for r in 0..4 {
            let center = (m[0][r] * c[0] + m[1][r] * c[1] + m[2][r] * c[2]) + self.translation[r];
            let hi = center as f32;
            probe.hi[r] = hi;
            probe.lo[r] = (center - f64::from(hi)) as f32;
        }
        for j in 0..3 {
            let axis = &b.axes[j];
            for r in 0..4 {
                probe.axes[j][r] = (n[0][r] * axis[0] + n[1][r] * axis[1]) + n[2][r] * axis[2];
            }
        }
        probe.resize(b.half.map(|h| h + self.margin), self.slack);
    }
}

/// Bounds the error of a pose applied in `f64` to points within `far` (m) of everything, the part
/// of a centre that hi + lo leave out, and underflow.
pub(super) fn slack(far: f64) -> f32 {
    const UNIT: f64 = 1.0 / (1u64 << 44) as f64;
    round_up(far * UNIT) + f32::MIN_POSITIVE
}

/// One box, in the frame of the mesh whose boxes it is tested against (m). Rows of four, the last
/// unused.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    /// The centre is `hi + lo`.
    hi: [f32; 4],
    lo: [f32; 4],
    axes: [[f32; 4]; 3],
    half: [f32; 3],
    /// The part of the pad that is the same for every box.
    base: f32,
}

impl Probe {
    pub const EMPTY: Probe =
        Probe { hi: [0.0; 4], lo: [0.0; 4], axes: [[0.0; 4]; 3], half: [0.0; 3], base: 0.0 };

    /// A box that is in the mesh's frame already; `slack` by [`slack`].
    pub fn new(b: &OrientedBox, slack: f32) -> Probe {
        let four = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
        let mut probe = Probe { hi: four(b.center), axes: b.axes.map(four), ..Probe::EMPTY };
        probe.resize(b.half, slack);
        probe
    }

    #[inline(always)]
    fn resize(&mut self, half: [f32; 3], slack: f32) {
        self.half = half;
        self.base = PAD * (half[0] + half[1] + half[2]) + slack;
    }

    /// The children of a node whose boxes may overlap the probe, one bit each.
    #[inline]
    pub fn overlaps(&self, node: &Node, level: SimdLevel) -> u32 {
        lanes::overlaps(self, node, level)
    }

    /// Whether a single box may overlap the probe.
    pub fn overlaps_box(&self, b: &OrientedBox) -> bool {
        self.separated(&Boxes { center: b.center, half: b.half, axes: b.axes }) == 0
    }

    /// One bit for each box that an axis separates from the probe.
    ///
    /// Plain loops without closures: this is compiled once for every [`SimdLevel`], and a closure
    /// would be a function of its own, without that level's instructions.
    #[inline(always)]
    pub(super) fn separated<V: Lanes>(&self, boxes: &Boxes<V>) -> u32 {
        let zero = V::splat(0.0);
        let (a, h) = (&boxes.axes, &boxes.half);
        let (mut b, mut g, mut d) = ([[zero; 3]; 3], [zero; 3], [zero; 3]);
        for k in 0..3 {
            g[k] = V::splat(self.half[k]);
            d[k] = boxes.center[k].sub(V::splat(self.hi[k])).sub(V::splat(self.lo[k]));
            for j in 0..3 {
                b[k][j] = V::splat(self.axes[k][j]);
            }
        }
        let size = d[0].abs().add(d[1].abs()).add(d[2].abs()).add(h[0].add(h[1]).add(h[2]));
        let pad = size.mul(V::splat(PAD)).add(V::splat(self.base));
        let (mut t, mut r, mut m) = ([zero; 3], [[zero; 3]; 3], [[zero; 3]; 3]);
        for i in 0..3 {
            t[i] = dot3(&a[i], &d);
            for j in 0..3 {
                r[i][j] = dot3(&a[i], &b[j]);
                m[i][j] = r[i][j].abs();
            }
        }
        // How far the best axis separates; a NaN never replaces it.
        let mut gap = zero;
        for i in 0..3 {
            let reach = dot3(&g, &m[i]).add(h[i]).add(pad);
            gap = t[i].abs().sub(reach).max(gap);
        }
        for j in 0..3 {
            let reach = dot3(h, &[m[0][j], m[1][j], m[2][j]]).add(g[j]).add(pad);
            gap = dot3(&t, &[r[0][j], r[1][j], r[2][j]]).abs().sub(reach).max(gap);
        }
        if gap.positive() == V::ALL {
            return V::ALL;
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let of_a = h[i1].mul(m[i2][j]).add(h[i2].mul(m[i1][j]));
                let of_b = g[j1].mul(m[i][j2]).add(g[j2].mul(m[i][j1]));
                let along = t[i2].mul(r[i1][j]).sub(t[i1].mul(r[i2][j]));
                gap = along.abs().sub(of_a.add(of_b).add(pad)).max(gap);
            }
        }
        gap.positive()
    }
}

/// Whether a box on side A and one on side B may come closer than `margin` (m).
pub(crate) fn boxes_meet(a: &OrientedBox, b: &OrientedBox, frame: &PairFrame, margin: f64) -> bool {
    Relative::new(frame, Side::B, [a.reach(), b.reach()], margin).probe(b).overlaps_box(a)
}

/// Boxes side by side.
pub(super) struct Boxes<V> {
    pub center: [V; 3],
    pub half: [V; 3],
    pub axes: [[V; 3]; 3],
}

#[inline(always)]
fn dot3<V: Lanes>(a: &[V; 3], b: &[V; 3]) -> V {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
