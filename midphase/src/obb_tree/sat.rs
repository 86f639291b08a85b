//! The 15-axis separating-axis test of one box against the children of a node.
//!
//! Everything is computed in `f32` in the frame of the node's mesh; a pair of boxes is thrown out
//! only where an axis separates them by more than any rounding error could. With `u = 2⁻²⁴`, `d` the
//! vector between the centres (formed as `(c − hi) − lo`, so that its error is relative to itself,
//! not to the distance from the origin), `h` and `g` the half extents of the node's box and of the
//! probe, and all axes orthonormal within `4u`:
//!
//! - Seen along the node's axes, its box is exact; `t = a·d` is off by a vector of at most `9u|d|`
//!   and an entry of `R = aᵀb` by `10u`. So all of the probe lies within `9u|d| + 30u|g|₁` of the
//!   body spanned by the columns of the computed `R`. Where `|d| > |h|₁ + |g|₁` the boxes are apart
//!   and any answer is right; else that distance is made up for by growing one box by `16u|h|₁` (when
//!   it is fitted, [`GROWTH`]) and the other by `128u|g|₁` (here), which adds to the reach on every axis
//!   as much as an error of that length could.
//! - The columns of `R` differ from orthonormal ones by `29u` each. A face axis of the probe takes
//!   them for orthonormal (off by `58u|g|₁`, made up for by the same growth), an edge axis takes
//!   their products for columns (off by `88u` in each entry); [`LOOSE`] is added to every `|R|`, which
//!   also covers the `4u` by which a computed reach may fall short, and makes near-parallel edges
//!   harmless.
//!
//! The error of the pose in `f64` and underflow are in [`slack`]. An overflow gives infinities and
//! NaN, which separate nothing.
//!
//! Source: Gottschalk, Lin, Manocha, "OBBTree", 1996; the bound is ours.

use impinge_geometry::simd::{self, Base, F32Lanes, F32x4, F64x2, Kernel, Simd};
use impinge_geometry::volume::round_up;
use impinge_geometry::{PairFrame, Side, SimdLevel};

use super::node::{Node, OrientedBox, WIDTH};

/// Four `f32`, and two `f64`.
type Four = <Base as Simd>::F32x4;
type Two = <Base as Simd>::F64x2;

/// `16u`: boxes of a tree are larger by this times the sum of their half extents.
pub(super) const GROWTH: f64 = 16.0 / 16_777_216.0;

/// `128u`: the same for a box that is tested against a tree's.
const PROBE_GROWTH: f32 = 128.0 / 16_777_216.0;

/// `128u`: added to the magnitude of every entry of the rotation.
const LOOSE: f32 = 128.0 / 16_777_216.0;

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
    /// Boxes of the other side, grown by `margin` (m), as A's mesh and as B's sees them.
    pub fn both(frame: &PairFrame, reach: [f64; 2], margin: f64) -> [Relative; 2] {
        let b_in_a = Relative::new(frame, Side::B, reach, margin);
        let mut a_in_b = b_in_a.clone();
        for c in 0..3 {
            for r in 0..3 {
                // The same sums of the same products.
                a_in_b.columns[c][r] = b_in_a.columns[r][c];
                a_in_b.columns32[c][r] = b_in_a.columns32[r][c];
            }
        }
        let v = frame.rotation[1].tr_mul(&(frame.offset[0] - frame.offset[1]));
        a_in_b.translation = [v.x, v.y, v.z, 0.0];
        [b_in_a, a_in_b]
    }

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
            slack: slack(reach[0] + reach[1] + v.abs().sum()),
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
        let (m, n) = (&self.columns, &self.columns32);
        let c = [f64::from(b.center[0]), f64::from(b.center[1]), f64::from(b.center[2])];
        for r in [0, 2] {
            let two = [
                Two::new([m[0][r], m[0][r + 1]]),
                Two::new([m[1][r], m[1][r + 1]]),
                Two::new([m[2][r], m[2][r + 1]]),
            ];
            let turned = two[0].scale(c[0]).add(two[1].scale(c[1])).add(two[2].scale(c[2]));
            let center = turned.add(Two::new([self.translation[r], self.translation[r + 1]]));
            let [hi, lo] = center.split();
            [probe.hi[r], probe.hi[r + 1]] = hi;
            [probe.lo[r], probe.lo[r + 1]] = lo;
        }
        let columns = [Four::new(n[0]), Four::new(n[1]), Four::new(n[2])];
        for j in 0..3 {
            let [x, y, z] = b.axes[j].map(Four::splat);
            let turned = columns[0].mul(x).add(columns[1].mul(y)).add(columns[2].mul(z));
            probe.axes[j] = turned.to_array();
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
    /// Grown by what rounding may hide.
    half: [f32; 3],
}

impl Probe {
    pub const EMPTY: Probe = Probe { hi: [0.0; 4], lo: [0.0; 4], axes: [[0.0; 4]; 3], half: [0.0; 3] };

    /// A box that is in the mesh's frame already; `slack` by [`slack`].
    pub fn new(b: &OrientedBox, slack: f32) -> Probe {
        let four = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
        let mut probe = Probe { hi: four(b.center), axes: b.axes.map(four), ..Probe::EMPTY };
        probe.resize(b.half, slack);
        probe
    }

    #[inline(always)]
    fn resize(&mut self, half: [f32; 3], slack: f32) {
        let growth = PROBE_GROWTH * (half[0] + half[1] + half[2]) + slack;
        for i in 0..3 {
            self.half[i] = half[i] + growth;
        }
    }

    /// The children of a node whose boxes may overlap the probe, one bit each.
    pub fn overlaps(&self, node: &Node, level: SimdLevel) -> u32 {
        simd::run(level, One { probe: self, node })
    }

    /// The least and greatest coordinates of the probe, grown by what rounding may hide (m).
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let center: [f64; 3] = std::array::from_fn(|r| f64::from(self.hi[r]) + f64::from(self.lo[r]));
        let reach: [f64; 3] = std::array::from_fn(|r| {
            let along: f64 = (0..3).map(|j| f64::from((self.axes[j][r] * self.half[j]).abs())).sum();
            let size: f64 = self.half.iter().map(|&h| f64::from(h)).sum();
            along + 1e-5 * size
        });
        [std::array::from_fn(|r| center[r] - reach[r]), std::array::from_fn(|r| center[r] + reach[r])]
    }

    /// Whether a single box, not necessarily a tree's, may overlap the probe.
    pub fn overlaps_box(&self, b: &OrientedBox) -> bool {
        let growth = (GROWTH * b.half.iter().map(|&h| f64::from(h)).sum::<f64>()) as f32;
        let half = b.half.map(|h| h + growth);
        self.separated(&Boxes::<Four>::splat(&OrientedBox { half, ..*b })) == 0
    }

    /// As [`Probe::overlaps`], inside of a [`Kernel`]. Lanes without a child have half extents of
    /// minus infinity, from which every axis separates.
    #[inline(always)]
    pub fn overlapping<V: F32Lanes>(&self, node: &Node) -> u32 {
        let mut mask = V::ALL & !self.separated(&Boxes::<V>::load(node, 0));
        let mut at = V::LANES;
        while at < WIDTH {
            if node.half[0][at] < 0.0 {
                break;
            }
            mask |= (V::ALL & !self.separated(&Boxes::<V>::load(node, at))) << at;
            at += V::LANES;
        }
        mask
    }

    /// One bit for each box that an axis separates from the probe.
    ///
    /// Plain loops without closures: this is compiled once for every [`SimdLevel`], and a closure
    /// would be a function of its own, without that level's instructions.
    #[inline(always)]
    fn separated<V: F32Lanes>(&self, boxes: &Boxes<V>) -> u32 {
        let (zero, loose) = (V::splat(0.0), V::splat(LOOSE));
        let (a, h) = (&boxes.axes, &boxes.half);
        let (mut b, mut g, mut d) = ([[zero; 3]; 3], [zero; 3], [zero; 3]);
        for k in 0..3 {
            g[k] = V::splat(self.half[k]);
            d[k] = boxes.center[k].sub(V::splat(self.hi[k])).sub(V::splat(self.lo[k]));
            for j in 0..3 {
                b[k][j] = V::splat(self.axes[k][j]);
            }
        }
        let (mut t, mut r, mut m) = ([zero; 3], [[zero; 3]; 3], [[zero; 3]; 3]);
        // How far the best axis separates; a NaN never replaces it.
        let mut gap = zero;
        for i in 0..3 {
            t[i] = dot3(&a[i], &d);
            for j in 0..3 {
                r[i][j] = dot3(&a[i], &b[j]);
                m[i][j] = r[i][j].abs().add(loose);
            }
            gap = t[i].abs().sub(dot3(&g, &m[i]).add(h[i])).max(gap);
        }
        for j in 0..3 {
            let reach = dot3(h, &[m[0][j], m[1][j], m[2][j]]).add(g[j]);
            gap = dot3(&t, &[r[0][j], r[1][j], r[2][j]]).abs().sub(reach).max(gap);
        }
        if zero.less(gap).bits() == V::ALL {
            return V::ALL;
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let of_a = h[i1].mul(m[i2][j]).add(h[i2].mul(m[i1][j]));
                let of_b = g[j1].mul(m[i][j2]).add(g[j2].mul(m[i][j1]));
                let along = t[i2].mul(r[i1][j]).sub(t[i1].mul(r[i2][j]));
                gap = along.abs().sub(of_a.add(of_b)).max(gap);
            }
        }
        zero.less(gap).bits()
    }
}

/// One test, with the instructions of a level.
struct One<'p> {
    probe: &'p Probe,
    node: &'p Node,
}

impl Kernel for One<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<S: Simd>(self) -> u32 {
        self.probe.overlapping::<S::F32>(self.node)
    }
}

/// Whether a box on side A and one on side B may come closer than `margin` (m).
pub(crate) fn boxes_meet(a: &OrientedBox, b: &OrientedBox, frame: &PairFrame, margin: f64) -> bool {
    Relative::new(frame, Side::B, [a.reach(), b.reach()], margin).probe(b).overlaps_box(a)
}

/// Boxes side by side.
struct Boxes<V> {
    center: [V; 3],
    half: [V; 3],
    axes: [[V; 3]; 3],
}

impl<V: F32Lanes> Boxes<V> {
    /// The same box in every lane.
    #[inline(always)]
    fn splat(b: &OrientedBox) -> Boxes<V> {
        let zero = V::splat(0.0);
        let mut boxes = Boxes { center: [zero; 3], half: [zero; 3], axes: [[zero; 3]; 3] };
        for i in 0..3 {
            boxes.center[i] = V::splat(b.center[i]);
            boxes.half[i] = V::splat(b.half[i]);
            for k in 0..3 {
                boxes.axes[i][k] = V::splat(b.axes[i][k]);
            }
        }
        boxes
    }

    /// The boxes of a node from lane `at` on.
    #[inline(always)]
    fn load(node: &Node, at: usize) -> Boxes<V> {
        let zero = V::splat(0.0);
        let mut boxes = Boxes { center: [zero; 3], half: [zero; 3], axes: [[zero; 3]; 3] };
        for i in 0..3 {
            boxes.center[i] = V::load(&node.center[i][at..]);
            boxes.half[i] = V::load(&node.half[i][at..]);
            for k in 0..3 {
                boxes.axes[i][k] = V::load(&node.axes[i][k][at..]);
            }
        }
        boxes
    }
}

#[inline(always)]
fn dot3<V: F32Lanes>(a: &[V; 3], b: &[V; 3]) -> V {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[cfg(test)]
mod tests;
