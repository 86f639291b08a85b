//! The least distance: leaves in the order of how near they may be, and none that cannot be nearer
//! than what was found already.
//!
//! How far two boxes are apart at least: the other box's own bounds along this box's axes leave a gap
//! along each of the three, and the gaps of three axes at right angles add up like sides of a right
//! angle; the same with the roles exchanged; and the gap along the line of the nearest points known.
//! The greatest of the three counts. One box is compared with the eight children of a node at once.
//! Rounding: each gap is made smaller by the pad that [`super::sat`] derives for its axes, so that no
//! bound is ever too great.
//!
//! Source of the depth-first search with the nearer child first: Larsen, Gottschalk, Lin, Manocha,
//! "Fast Proximity Queries with Swept Sphere Volumes", 1999. The bounds are ours: they need nothing
//! that the overlap test does not have.

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::volume::{round_down, round_up};
use impinge_geometry::{Obb, PairFrame, Side};
use nalgebra::{Matrix3, Vector3};

use super::ObbTree;
use super::afar::{Afar, AfarScratch};
use super::node::{Below, Node, OrientedBox, WIDTH};
use super::reached::{NearestCounts, Reached};
use super::sat::slack;

/// As in the overlap test: 64 units in the last place.
const PAD: f32 = 64.0 / 16_777_216.0;

/// Squared bounds are made smaller by more than their own rounding and what the axes lack to right
/// angles.
const TRUE_SHARE: f32 = 1.0 - 1.0 / 65_536.0;

/// What a search reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct NearestScratch {
    stack: Vec<Waiting>,
    afar: AfarScratch,
}

/// A pair of boxes still to be opened.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Node · 8 + lane.
    a: u32,
    b: u32,
    /// Lower bound of their squared distance, in units of the search.
    least: f32,
}

/// The first child of node 0 is the box of the whole mesh.
const ROOT: u32 = 0;

/// Visits pairs of leaves of `a` and `b`, standing as `frame` says, until none is left that may be
/// nearer than the bound: first those that promise to be near. `visit` gives what is reached after each
/// visit; the bound must never rise.
pub fn nearest(
    [a, b]: [&ObbTree; 2],
    frame: &PairFrame,
    mut reached: Reached,
    scratch: &mut NearestScratch,
    visit: &mut impl FnMut(u32, u32) -> Reached,
    counts: &mut NearestCounts,
) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    let level = a.simd();
    let reach = [a.reach(), b.reach()];
    if let Some(afar) = Afar::new([&a.root_box(), &b.root_box()], reach, frame) {
        return afar.nearest([a, b], reached, &mut scratch.afar, visit, counts);
    }
    // Boxes of B as A's nodes see them, and boxes of A as B's nodes do.
    let turns = [Turn::new(frame, Side::B, reach), Turn::new(frame, Side::A, reach)];
    let mut aims = [Aim::NONE, Aim::NONE];
    let mut limit = turns[0].limit(reached.bound);
    let (stack, mut room) = (&mut scratch.stack, None);
    stack.clear();
    stack.push(Waiting { a: ROOT, b: ROOT, least: 0.0 });
    while let Some(Waiting { a: pa, b: pb, least }) = stack.pop() {
        if least >= limit {
            continue;
        }
        let (ca, cb) = (a.below(pa), b.below(pb));
        if ca.is_leaf() && cb.is_leaf() {
            counts.leaf_pairs += 1;
            let now = visit(ca.index(), cb.index());
            if now != reached {
                reached = now;
                limit = turns[0].limit(reached.bound);
                aims.iter_mut().for_each(|aim| aim.place = None);
            }
            continue;
        }
        let open_a = cb.is_leaf() || (!ca.is_leaf() && a.box_at(pa).size() >= b.box_at(pb).size());
        let k = usize::from(!open_a);
        let (tree, opened, other, place) = if open_a { (a, ca, b, pb) } else { (b, cb, a, pa) };
        if aims[k].place != Some(place) {
            aims[k].set(&turns[k], place, &other.box_at(place), &reached.axis);
        }
        let node = tree.node(opened.index(), &mut room);
        let bounds = simd::run(level, Compare { aim: &aims[k], node });
        counts.wide_tests += 1;
        counts.box_tests += node.len() as u64;
        bounds.push_far_first(node.len(), limit, |lane, least| {
            let place = opened.index() * WIDTH as u32 + lane;
            stack.push(if open_a {
                Waiting { a: place, b: pb, least }
            } else {
                Waiting { a: pa, b: place, least }
            });
        });
    }
}

impl ObbTree {
    /// As [`nearest`] for one tree (on the side `own`) and what is within `radius` (m) of a box that is
    /// fixed to the other body, given in that body's frame: `visit` takes the leaves that may be nearer than
    /// `bound` (m), and gives the bound after each.
    pub fn nearest_to_box(
        &self,
        own: Side,
        (other, radius): (&Obb, f64),
        frame: &PairFrame,
        bound: f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) -> NearestCounts {
        let other = OrientedBox::from_obb(other);
        let mut reach = [self.reach(); 2];
        reach[own.other().index()] = other.reach();
        if self.is_empty() {
            return NearestCounts::default();
        }
        let (of_self, root) = (own.index(), self.root_box());
        let mut boxes = [&other; 2];
        boxes[of_self] = &root;
        if let Some(afar) = Afar::new(boxes, reach, frame) {
            return afar.nearest_to_box(self, own, (&other, radius), bound, visit);
        }
        let turn = Turn::new(frame, own.other(), reach);
        let mut aim = Aim::NONE;
        aim.set(&turn, ROOT, &other, &Vector3::zeros());
        let level = self.simd();
        // At a bound of 0 the search ends, whatever the radius.
        let limit = |bound: f64| if bound > 0.0 { turn.limit(bound + radius) } else { 0.0 };
        self.nearest_first(
            limit(bound),
            |node| simd::run(level, Compare { aim: &aim, node }),
            |leaf| limit(visit(leaf)),
        )
    }

    /// Visits the leaves that may reach below `normal · x = bound` (m, in the mesh's frame; `normal` is
    /// unit), the lowest first; `visit` gives the bound after each, which must never rise.
    pub fn lowest(
        &self,
        normal: &Vector3<f64>,
        bound: f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) -> NearestCounts {
        let n: [f64; 3] = (*normal).into();
        let pad = f64::from(slack(self.reach()));
        self.nearest_first(
            round_up(bound),
            |node| {
                let mut bounds = Bounds { least: [f32::INFINITY; WIDTH], near: [0.0; WIDTH] };
                for lane in 0..node.len() {
                    bounds.least[lane] = round_down(node.get(lane).lowest(&n) - pad);
                }
                bounds
            },
            |leaf| round_up(visit(leaf)),
        )
    }

    /// Depth-first, the nearest child first; `bounds` judges the children of a node, `visit` gives the
    /// limit after each leaf.
    fn nearest_first(
        &self,
        mut limit: f32,
        bounds: impl Fn(&Node) -> Bounds,
        mut visit: impl FnMut(u32) -> f32,
    ) -> NearestCounts {
        let (mut counts, mut room) = (NearestCounts::default(), None);
        let mut stack = vec![(self.root_child(), f32::NEG_INFINITY)];
        while let Some((child, least)) = stack.pop() {
            if least >= limit {
                continue;
            }
            match child.below() {
                Below::None => {}
                Below::Leaf(leaf) => {
                    counts.leaf_pairs += 1;
                    limit = visit(leaf);
                }
                Below::Node(index) => {
                    let node = self.node(index, &mut room);
                    counts.wide_tests += 1;
                    counts.box_tests += node.len() as u64;
                    bounds(node).push_far_first(node.len(), limit, |lane, least| {
                        stack.push((node.child[lane as usize], least));
                    });
                }
            }
        }
        counts
    }
}

/// Where boxes fixed to one body stand in the frame of the other.
struct Turn {
    /// `columns[c][r]`.
    columns: [[f64; 3]; 3],
    columns32: [[f32; 3]; 3],
    translation: [f64; 3],
    /// From the pair frame to that of the nodes, times the sense of the axis: an axis points from the
    /// nodes' box to the other one.
    to_nodes: Matrix3<f64>,
    /// A power of two that brings lengths near 1, so that squares neither overflow nor vanish.
    scale: f64,
    slack: f32,
}

impl Turn {
    /// As boxes of `from` appear to the nodes of the other side. No vertex is farther than `reach[side]`
    /// (m) from its mesh's origin.
    fn new(frame: &PairFrame, from: Side, reach: [f64; 2]) -> Turn {
        let (f, t) = (from.index(), from.other().index());
        let rotation = frame.rotation[t].tr_mul(&frame.rotation[f]);
        let v = frame.rotation[t].tr_mul(&(frame.offset[f] - frame.offset[t]));
        let columns = [0, 1, 2].map(|c| [rotation[(0, c)], rotation[(1, c)], rotation[(2, c)]]);
        let far = reach[0] + reach[1] + v.norm();
        let sense = if from == Side::B { 1.0 } else { -1.0 };
        Turn {
            columns,
            columns32: columns.map(|c| c.map(|x| x as f32)),
            translation: v.into(),
            to_nodes: frame.rotation[t].transpose() * sense,
            scale: power_of_two_near(far).recip(),
            slack: slack(far),
        }
    }

    /// A distance (m) in the units of squared bounds, rounded up.
    fn limit(&self, bound: f64) -> f32 {
        let b = bound * self.scale;
        // What is not 0 stays above it when squared.
        let least = if bound > 0.0 { f32::MIN_POSITIVE } else { 0.0 };
        round_up(b * b * (1.0 + 1e-15)).max(least)
    }
}

/// A power of two not far from `x`, of a size that has a reciprocal in `f32`.
fn power_of_two_near(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.clamp(-120, 120) + 1023) as u64) << 52)
}

/// One box in the frame of the mesh whose boxes it is compared with (m).
struct Aim {
    place: Option<u32>,
    /// The centre is `hi + lo`.
    hi: [f32; 3],
    lo: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
    /// The part of the pad that is the same for every box.
    base: f32,
    /// The axis of what is reached, and how far the box reaches along it.
    axis: [f32; 3],
    along: f32,
    scale: f32,
}

impl Aim {
    const NONE: Aim = Aim {
        place: None,
        hi: [0.0; 3],
        lo: [0.0; 3],
        axes: [[0.0; 3]; 3],
        half: [0.0; 3],
        base: 0.0,
        axis: [0.0; 3],
        along: 0.0,
        scale: 1.0,
    };

    fn set(&mut self, turn: &Turn, place: u32, b: &OrientedBox, axis: &Vector3<f64>) {
        self.place = Some(place);
        let (m, n, c) = (&turn.columns, &turn.columns32, b.center.map(f64::from));
        for r in 0..3 {
            let center = (m[0][r] * c[0] + m[1][r] * c[1] + m[2][r] * c[2]) + turn.translation[r];
            let hi = center as f32;
            (self.hi[r], self.lo[r]) = (hi, (center - f64::from(hi)) as f32);
            for j in 0..3 {
                let a = &b.axes[j];
                self.axes[j][r] = (n[0][r] * a[0] + n[1][r] * a[1]) + n[2][r] * a[2];
            }
        }
        self.half = b.half;
        self.base = PAD * b.size() + turn.slack;
        // Not longer than a unit vector: a gap along a shorter one is the smaller for it.
        let local = turn.to_nodes * axis * (1.0 - 4.0 * f64::from(f32::EPSILON));
        self.axis = local.map(|x| x as f32).into();
        let reach = |j: usize| {
            let a = &self.axes[j];
            b.half[j] * ((a[0] * self.axis[0] + a[1] * self.axis[1]) + a[2] * self.axis[2]).abs()
        };
        self.along = (reach(0) + reach(1)) + reach(2);
        self.scale = turn.scale as f32;
    }
}

/// How far the children of a node are from a box.
struct Bounds {
    /// Never more than the squared distance, in units of the search.
    least: [f32; WIDTH],
    /// Between equals, the one with the smaller number is tried first.
    near: [f32; WIDTH],
}

impl Bounds {
    /// Hands on the lanes below the limit, the farthest first.
    #[inline]
    fn push_far_first(&self, lanes: usize, limit: f32, mut push: impl FnMut(u32, f32)) {
        let mut order = [0u8; WIDTH];
        let mut count = 0;
        for lane in 0..lanes {
            if self.least[lane] >= limit {
                continue;
            }
            let key = (self.least[lane], self.near[lane]);
            let mut at = count;
            while at > 0 {
                let other = order[at - 1] as usize;
                if (self.least[other], self.near[other]) >= key {
                    break;
                }
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = lane as u8;
            count += 1;
        }
        for &lane in &order[..count] {
            push(u32::from(lane), self.least[lane as usize]);
        }
    }
}

/// Compares a box with the children of a node.
struct Compare<'a> {
    aim: &'a Aim,
    node: &'a Node,
}

impl Kernel for Compare<'_> {
    type Output = Bounds;

    /// Plain loops without closures, so that all of it is compiled with the level's instructions.
    #[inline(always)]
    fn run<S: Simd>(self) -> Bounds {
        let Compare { aim, node } = self;
        let zero = S::F32x8::splat(0.0);
        let mut d = [zero; 3];
        let mut h = [zero; 3];
        for k in 0..3 {
            d[k] = S::F32x8::load(&node.center[k])
                .sub(S::F32x8::splat(aim.hi[k]))
                .sub(S::F32x8::splat(aim.lo[k]));
            h[k] = S::F32x8::load(&node.half[k]);
        }
        let size = d[0].abs().add(d[1].abs()).add(d[2].abs()).add(h[0].add(h[1]).add(h[2]));
        let pad = size.mul(S::F32x8::splat(PAD)).add(S::F32x8::splat(aim.base));
        let scale = S::F32x8::splat(aim.scale);
        // Along the axes of the node's boxes; meanwhile, how far these reach along the other's axes and
        // along the axis of what is reached.
        let (mut own, mut reach, mut along) = (zero, [zero; 3], zero);
        for i in 0..3 {
            let a = [
                S::F32x8::load(&node.axes[i][0]),
                S::F32x8::load(&node.axes[i][1]),
                S::F32x8::load(&node.axes[i][2]),
            ];
            let mut other = h[i];
            for j in 0..3 {
                let r = a[0]
                    .mul(S::F32x8::splat(aim.axes[j][0]))
                    .add(a[1].mul(S::F32x8::splat(aim.axes[j][1])))
                    .add(a[2].mul(S::F32x8::splat(aim.axes[j][2])))
                    .abs();
                other = other.add(r.mul(S::F32x8::splat(aim.half[j])));
                reach[j] = reach[j].add(r.mul(h[i]));
            }
            let n = a[0]
                .mul(S::F32x8::splat(aim.axis[0]))
                .add(a[1].mul(S::F32x8::splat(aim.axis[1])))
                .add(a[2].mul(S::F32x8::splat(aim.axis[2])));
            along = along.add(n.abs().mul(h[i]));
            let t = a[0].mul(d[0]).add(a[1].mul(d[1])).add(a[2].mul(d[2])).abs();
            let gap = t.sub(other.add(pad)).max(zero).mul(scale);
            own = own.add(gap.mul(gap));
        }
        let mut others = zero;
        for j in 0..3 {
            let t = d[0]
                .mul(S::F32x8::splat(aim.axes[j][0]))
                .add(d[1].mul(S::F32x8::splat(aim.axes[j][1])))
                .add(d[2].mul(S::F32x8::splat(aim.axes[j][2])))
                .abs();
            let gap = t.sub(reach[j].add(S::F32x8::splat(aim.half[j])).add(pad)).max(zero).mul(scale);
            others = others.add(gap.mul(gap));
        }
        let t = d[0]
            .mul(S::F32x8::splat(aim.axis[0]))
            .add(d[1].mul(S::F32x8::splat(aim.axis[1])))
            .add(d[2].mul(S::F32x8::splat(aim.axis[2])));
        // `d` points from the other box to the node's, the axis the other way.
        let gap = zero.sub(t).sub(along.add(S::F32x8::splat(aim.along)).add(pad)).max(zero).mul(scale);
        let least = own.max(others).max(gap.mul(gap)).mul(S::F32x8::splat(TRUE_SHARE));
        let e = [d[0].mul(scale), d[1].mul(scale), d[2].mul(scale)];
        let near = e[0].mul(e[0]).add(e[1].mul(e[1])).add(e[2].mul(e[2]));
        let mut bounds = Bounds { least: [0.0; WIDTH], near: [0.0; WIDTH] };
        least.store(&mut bounds.least);
        near.store(&mut bounds.near);
        bounds
    }
}
