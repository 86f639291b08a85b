//! Leaves near a point.

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::volume::round_up;
use nalgebra::Point3;

use super::ObbTree;
use super::node::{Below, Child, Node, WIDTH};
use super::sat::slack;

/// `16u`: more than rounding can make of a distance along an axis, as a part of the lengths in it.
const PAD: f32 = 16.0 / 16_777_216.0;

/// Buffers of a search, reused.
#[derive(Clone, Debug, Default)]
pub struct SphereScratch {
    stack: Vec<(Child, f32)>,
}

impl ObbTree {
    /// Appends to `out` the leaves whose boxes may come within `radius` (m) of a point (m, the mesh's frame), in no order that depends on
    /// anything but these. Every triangle that does is in one of them.
    pub fn within(&self, point: &Point3<f64>, radius: f64, scratch: &mut SphereScratch, out: &mut Vec<u32>) {
        if self.is_empty() {
            return;
        }
        let aim = Aim::new(point, slack(self.reach + point.coords.abs().sum()));
        let most = round_up(radius * radius * (1.0 + 1e-6));
        let (level, mut room, stack) = (self.simd(), None, &mut scratch.stack);
        stack.clear();
        stack.push((self.root_child(), 0.0));
        while let Some((child, _)) = stack.pop() {
            match child.below() {
                Below::None => {}
                Below::Leaf(leaf) => out.push(leaf),
                Below::Node(index) => {
                    let node = self.node(index, &mut room);
                    let least = simd::run(level, Gaps { aim: &aim, node });
                    for (lane, _) in
                        least.iter().enumerate().take(node.len()).filter(|(_, least)| **least <= most)
                    {
                        match node.child[lane].below() {
                            Below::Leaf(leaf) => out.push(leaf),
                            _ => stack.push((node.child[lane], 0.0)),
                        }
                    }
                }
            }
        }
    }

    /// As [`ObbTree::within`] `reach` (m) of any of eight points, given relative to `center` (m), from which none is farther than `spread` (m).
    pub fn within_points(
        &self,
        (center, points): (&Point3<f64>, &[[f32; WIDTH]; 3]),
        (spread, reach): (f64, f64),
        scratch: &mut SphereScratch,
        out: &mut Vec<u32>,
    ) {
        if self.is_empty() {
            return;
        }
        let aim = Aim::new(center, slack(self.reach + center.coords.abs().sum() + spread));
        let limit = |bound: f64| round_up(bound * bound * (1.0 + 1e-6));
        let (of_all, of_one) = (limit(spread + reach), limit(reach));
        let (level, mut room, stack) = (self.simd(), None, &mut scratch.stack);
        stack.clear();
        stack.push((self.root_child(), 0.0));
        while let Some((child, _)) = stack.pop() {
            match child.below() {
                Below::None => {}
                Below::Leaf(leaf) => out.push(leaf),
                Below::Node(index) => {
                    let node = self.node(index, &mut room);
                    let least = simd::run(level, Gaps { aim: &aim, node });
                    let mut near = 0;
                    for (lane, &least) in least.iter().enumerate().take(node.len()) {
                        near |= u32::from(least <= of_all) << lane;
                    }
                    let spread = round_up(spread);
                    let near =
                        simd::run(level, PointGaps { aim: &aim, node, points, spread, near, limit: of_one });
                    for lane in (0..WIDTH).filter(|lane| near >> lane & 1 == 1) {
                        stack.push((node.child[lane], 0.0));
                    }
                }
            }
        }
    }

    /// Visits the leaves whose boxes may come within `bound` (m) of a point (m, the mesh's frame), of each node's the nearest first; `visit`
    /// gives the bound after each, which must never rise.
    pub fn near(
        &self,
        point: &Point3<f64>,
        bound: f64,
        scratch: &mut SphereScratch,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        if self.is_empty() {
            return;
        }
        let aim = Aim::new(point, slack(self.reach + point.coords.abs().sum()));
        let level = self.simd();
        // What overflows is no bound.
        let limit = |bound: f64| round_up(bound * bound * (1.0 + 1e-6));
        let mut most = limit(bound);
        let mut room = None;
        let stack = &mut scratch.stack;
        stack.clear();
        stack.push((self.root_child(), 0.0));
        while let Some((child, least)) = stack.pop() {
            if least > most {
                continue;
            }
            match child.below() {
                Below::None => {}
                Below::Leaf(leaf) => most = limit(visit(leaf)),
                Below::Node(index) => {
                    let node = self.node(index, &mut room);
                    let least = simd::run(level, Gaps { aim: &aim, node });
                    let start = stack.len();
                    for (lane, &least) in least.iter().enumerate().take(node.len()) {
                        if least <= most {
                            stack.push((node.child[lane], least));
                            // The farthest first: they are few.
                            let mut at = stack.len() - 1;
                            while at > start && stack[at - 1].1 < least {
                                stack.swap(at - 1, at);
                                at -= 1;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The point, as `hi + lo`.
struct Aim {
    hi: [f32; 3],
    lo: [f32; 3],
    slack: f32,
}

impl Aim {
    fn new(point: &Point3<f64>, slack: f32) -> Aim {
        let hi = [0, 1, 2].map(|k| point[k] as f32);
        let lo = std::array::from_fn(|k| (point[k] - f64::from(hi[k])) as f32);
        Aim { hi, lo, slack }
    }
}

/// Squared distances that the children of a node are not nearer than.
struct Gaps<'a> {
    aim: &'a Aim,
    node: &'a Node,
}

impl Kernel for Gaps<'_> {
    type Output = [f32; WIDTH];

    #[inline(always)]
    fn run<S: Simd>(self) -> [f32; WIDTH] {
        let Gaps { aim, node } = self;
        let zero = S::F32x8::splat(0.0);
        let (mut d, mut h) = ([zero; 3], [zero; 3]);
        for k in 0..3 {
            d[k] = S::F32x8::load(&node.center[k])
                .sub(S::F32x8::splat(aim.hi[k]))
                .sub(S::F32x8::splat(aim.lo[k]));
            h[k] = S::F32x8::load(&node.half[k]);
        }
        let size = d[0].abs().add(d[1].abs()).add(d[2].abs()).add(h[0].add(h[1]).add(h[2]));
        let pad = size.mul(S::F32x8::splat(PAD)).add(S::F32x8::splat(aim.slack));
        let mut squared = zero;
        for i in 0..3 {
            let axis = &node.axes[i];
            let along = S::F32x8::load(&axis[0])
                .mul(d[0])
                .add(S::F32x8::load(&axis[1]).mul(d[1]))
                .add(S::F32x8::load(&axis[2]).mul(d[2]))
                .abs();
            let gap = along.sub(h[i].add(pad)).max(zero);
            squared = squared.add(gap.mul(gap));
        }
        // Off by a few roundings of itself, and axes are not quite orthonormal.
        let least = squared.mul(S::F32x8::splat(1.0 - 2.0 * PAD));
        let mut out = [0.0; WIDTH];
        least.store(&mut out);
        out
    }
}

/// Which children of a node may come near enough to any of eight points, of those that are named.
struct PointGaps<'a> {
    aim: &'a Aim,
    node: &'a Node,
    /// Relative to the point that is aimed at (m).
    points: &'a [[f32; WIDTH]; 3],
    /// None of them is farther from there (m).
    spread: f32,
    /// One bit for each child.
    near: u32,
    limit: f32,
}

impl Kernel for PointGaps<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self) -> u32 {
        let PointGaps { aim, node, points, spread, near, limit } = self;
        let zero = S::F32x8::splat(0.0);
        let x = S::F32x8::load(&points[0]);
        let y = S::F32x8::load(&points[1]);
        let z = S::F32x8::load(&points[2]);
        let limit = S::F32x8::splat(limit);
        let share = S::F32x8::splat(1.0 - 2.0 * PAD);
        let (mut rest, mut found) = (near, 0);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % WIDTH;
            rest &= rest - 1;
            let mut d = [0.0; 3];
            for k in 0..3 {
                d[k] = node.center[k][lane] - aim.hi[k] - aim.lo[k];
            }
            let size = d[0].abs()
                + d[1].abs()
                + d[2].abs()
                + (node.half[0][lane] + node.half[1][lane] + node.half[2][lane])
                + 2.0 * spread;
            let pad = size * PAD + aim.slack;
            let px = x.sub(S::F32x8::splat(d[0]));
            let py = y.sub(S::F32x8::splat(d[1]));
            let pz = z.sub(S::F32x8::splat(d[2]));
            let mut squared = zero;
            for i in 0..3 {
                let along = px
                    .mul(S::F32x8::splat(node.axes[i][0][lane]))
                    .add(py.mul(S::F32x8::splat(node.axes[i][1][lane])))
                    .add(pz.mul(S::F32x8::splat(node.axes[i][2][lane])))
                    .abs();
                let gap = along.sub(S::F32x8::splat(node.half[i][lane] + pad)).max(zero);
                squared = squared.add(gap.mul(gap));
            }
            let any = squared.mul(share).at_most(limit).bits();
            found |= u32::from(any != 0) << lane;
        }
        found
    }
}
