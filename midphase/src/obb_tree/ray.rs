//! The triangles that a ray may hit: boxes in the order in which it enters them, and none that it enters behind what
//! was found already.
//!
//! The ray is clipped by the slabs of a node's eight boxes at once (Kay and Kajiya, "Ray tracing complex scenes", 1986,
//! with the boxes' own axes), the triangles of a leaf are seen along it in a sheared frame (Woop, Benthin and Wald,
//! "Watertight Ray/Triangle Intersection", 2013). Both in `f32`, and only to leave out what is certainly missed.
//!
//! **The bounds.** Let u = 2⁻²⁴. The ray is told from its point nearest to the middle of the mesh, o, which is found in
//! `f64`; a hit is no farther from there than L, the sum of o's distance and the mesh's reach. Along a box's axis a,
//! s = a · (o − c) is off by under 20 uL (o − c is formed as (hi − c) + lo, and right to 2u of itself), a · d times the time of
//! a hit by under 7 uL, and the two divisions by under 4 uL: boxes are grown by 64 uL. Of a tree of which nothing is stored only the nodes
//! near the ray are searched, and the middle and the reach are those of what these hold: the pad does not grow with the whole. A leaf sees the ray from its point
//! nearest to the leaf's origin. Its corners, of extent e, are then off by under δ = 16 ue as seen, and the
//! areas that they span with the ray by under 24 δe. What `f64` rounds is added everywhere: under 1e-14 of the lengths
//! that go in. What is no number is let in.

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::volume::{round_down, round_up};
use nalgebra::{Point3, Vector3};

use super::node::{Child, Node, WIDTH};
use super::upright::{Along, Roots};
use super::{DescentCounts, LEAF_TRIANGLES, LeafRoom, LeafRows, ObbTree};

const UNIT: f64 = 1.0 / (1u64 << 24) as f64;
/// What `f64` is off by in all, part of the lengths that went in.
const ROUNDING_64: f64 = 1e-14;
/// A ray that follows an axis by less than this stands still along it, as far as a box is concerned.
const STILL: f32 = 1e-30;
/// More than what underflow takes from a sum of products.
const UNDERFLOW: f32 = 16.0 * f32::MIN_POSITIVE;

/// The points `origin + t · direction`, t from `from` to `until`, in the frame of a mesh (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeRay {
    /// Where t is 0 (m).
    pub origin: Point3<f64>,
    /// Per unit of t (m), of a length from 1 to 4.
    pub direction: Vector3<f64>,
    /// Where it begins.
    pub from: f64,
    /// Where it ends; may be infinite.
    pub until: f64,
    /// What it passes by no farther counts as met (m).
    pub slack: f64,
}

/// What a search along a ray reuses.
#[derive(Clone, Debug, Default)]
pub struct RayScratch {
    stack: Vec<Entered>,
}

/// A box that the ray enters.
#[derive(Clone, Copy, Debug)]
struct Entered {
    child: Child,
    /// Not later than when it does, from the shot's own origin.
    near: f32,
}

/// A ray made ready for the boxes of a mesh.
struct Shot {
    /// The origin is `hi + lo`: the ray at the time `at`.
    hi: [f32; 3],
    lo: [f32; 3],
    direction: [f32; 3],
    pad: f32,
    origin: [f64; 3],
    at: f64,
    from: f64,
    direction64: [f64; 3],
    inverse_square: f64,
    /// The axis that the ray follows most, and the other two.
    axes: [usize; 3],
    /// How far the other two coordinates go with the first.
    shear: [f64; 2],
    /// What `f64` may be off by (m).
    slack: f64,
}

/// Where everything is that a ray may hit.
struct Scope {
    /// The place that the ray begins to be told from is the nearest to this (m).
    middle: Point3<f64>,
    /// Nothing is farther than `reach` from `center` (m).
    center: Point3<f64>,
    reach: f64,
}

impl Scope {
    /// All of a tree.
    fn whole(tree: &ObbTree) -> Scope {
        let middle = Point3::from(tree.root_box().center.map(f64::from));
        Scope { middle, center: Point3::origin(), reach: tree.reach() }
    }

    /// What some nodes hold.
    fn of(roots: &Roots) -> Scope {
        let (middle, reach) = roots.ball();
        let middle = Point3::from(middle.map(f64::from));
        Scope { middle, center: middle, reach }
    }
}

impl Shot {
    /// The ray as a tree sees it, or a part of one.
    fn new(ray: &TreeRay, tree: &ObbTree, scope: &Scope) -> Shot {
        let d = ray.direction;
        let square = d.norm_squared();
        let nearest = (scope.middle - ray.origin).dot(&d) / square;
        let at = if nearest.is_finite() { nearest.max(ray.from).min(ray.until) } else { ray.from };
        let origin = ray.origin + d * at;
        let size = scope.reach + (origin - scope.center).abs().sum();
        let slack = slack(ray, tree) + 4.0 * ROUNDING_64 * origin.coords.abs().sum();
        let hi = origin.coords.map(|x| x as f32);
        let lo = (origin.coords - hi.cast::<f64>()).map(|x| x as f32);
        let z = d.iamax();
        let axes = [z, (z + 1) % 3, (z + 2) % 3];
        Shot {
            hi: hi.into(),
            lo: lo.into(),
            direction: d.map(|x| x as f32).into(),
            pad: round_up(64.0 * UNIT * size + slack) + UNDERFLOW,
            origin: origin.into(),
            at,
            from: ray.from,
            direction64: d.into(),
            inverse_square: 1.0 / square,
            axes,
            shear: [d[axes[1]] / d[z], d[axes[2]] / d[z]],
            slack,
        }
    }

    /// A time as counted from the shot's own origin, not less than it.
    #[inline(always)]
    fn late(&self, time: f64) -> f32 {
        let own = time - self.at;
        round_up(own + own.abs() * 1e-15)
    }

    /// A time as counted from the shot's own origin, not more than it.
    #[inline(always)]
    fn early(&self, time: f64) -> f32 {
        let own = time - self.at;
        round_down(own - own.abs() * 1e-15)
    }
}

/// What `f64` may be off by where a ray is told from its own origin, and what it counts as met besides (m).
fn slack(ray: &TreeRay, tree: &ObbTree) -> f64 {
    ray.slack + ROUNDING_64 * (ray.origin.coords.abs().sum() + 4.0 * tree.reach())
}

/// Where a ray goes, for a search to begin near there.
fn along(ray: &TreeRay, tree: &ObbTree) -> Along {
    let room = 4.0 * slack(ray, tree);
    let origin: [f64; 3] = ray.origin.into();
    Along {
        low: origin.map(|x| x - room),
        high: origin.map(|x| x + room),
        direction: ray.direction.into(),
        from: ray.from,
        until: ray.until,
    }
}

/// Where the ray passes a leaf, in `f32` beside the leaf's origin.
struct Pass {
    across: [f32; 2],
    /// How far an area may be off (m²).
    area: f32,
    /// What the ray reaches along its own axis (m).
    low: f32,
    high: f32,
}

impl Pass {
    #[inline(always)]
    fn new(shot: &Shot, rows: &LeafRows<'_>, until: f64) -> Pass {
        let (d, o) = (&shot.direction64, &shot.origin);
        let away = [0, 1, 2].map(|k| o[k] - f64::from(rows.origin[k]));
        let t = -(away[0] * d[0] + away[1] * d[1] + away[2] * d[2]) * shot.inverse_square;
        let near = [0, 1, 2].map(|k| away[k] + t * d[k]);
        let [z, x, y] = shot.axes;
        let extent = f64::from(rows.extent);
        let off = 16.0 * UNIT * extent + shot.slack;
        let reached = |time: f64| away[z] + (time - shot.at) * d[z];
        let (begin, end) = (reached(shot.from), reached(until));
        let (low, high) = if d[z] > 0.0 { (begin, end) } else { (end, begin) };
        Pass {
            across: [near[x] - shot.shear[0] * near[z], near[y] - shot.shear[1] * near[z]].map(|x| x as f32),
            area: round_up(off * (24.0 * extent + 2.0 * off)) + UNDERFLOW,
            low: round_down(low - off),
            high: round_up(high + off),
        }
    }
}

/// One bit for every triangle of a leaf that the ray may hit.
#[inline(always)]
fn hit<V: F32Lanes>(shot: &Shot, pass: &Pass, rows: &LeafRows<'_>) -> u32 {
    let corners = rows.corners();
    let [z, x, y] = shot.axes;
    let (shear_x, shear_y) = (V::splat(shot.shear[0] as f32), V::splat(shot.shear[1] as f32));
    let (at_x, at_y) = (V::splat(pass.across[0]), V::splat(pass.across[1]));
    let mut seen = [[at_x; 2]; 3];
    let mut least = V::splat(f32::INFINITY);
    let mut most = V::splat(f32::NEG_INFINITY);
    for k in 0..3 {
        let along = V::repeat(corners[k][z]);
        seen[k][0] = V::repeat(corners[k][x]).sub(along.mul(shear_x)).sub(at_x);
        seen[k][1] = V::repeat(corners[k][y]).sub(along.mul(shear_y)).sub(at_y);
        least = along.min(least);
        most = along.max(most);
    }
    let (over, under) = (V::splat(pass.area), V::splat(-pass.area));
    let (mut left, mut right) = (V::splat(0.0), V::splat(0.0));
    for i in 0..3 {
        let j = (i + 1) % 3;
        let area = seen[i][0].mul(seen[j][1]).sub(seen[i][1].mul(seen[j][0]));
        (left, right) = (left.or(over.less(area)), right.or(area.less(under)));
    }
    let beyond = V::splat(pass.high).less(least).or(most.less(V::splat(pass.low)));
    !beyond.or(left.and(right)).bits()
}

/// Clips a ray by the boxes of a node: when it enters them, and one bit for each that it misses before `until`.
#[inline(always)]
fn clip<V: F32Lanes>(shot: &Shot, node: &Node, from: V, until: V) -> (V, u32) {
    let zero = V::splat(0.0);
    let mut away = [zero; 3];
    for k in 0..3 {
        away[k] = V::splat(shot.hi[k]).sub(V::load(&node.center[k])).add(V::splat(shot.lo[k]));
    }
    let (pad, still, one) = (V::splat(shot.pad), V::splat(STILL), V::splat(1.0));
    let (mut near, mut far) = (from, until);
    for i in 0..3 {
        let (mut at, mut speed) = (zero, zero);
        for k in 0..3 {
            let axis = V::load(&node.axes[i][k]);
            at = at.add(axis.mul(away[k]));
            speed = speed.add(axis.mul(V::splat(shot.direction[k])));
        }
        let per = one.div(speed.abs().less(still).select(still, speed));
        let half = V::load(&node.half[i]).add(pad);
        let (x, y) = (zero.sub(at).sub(half).mul(per), half.sub(at).mul(per));
        near = x.min(y).max(near);
        far = x.max(y).min(far);
    }
    (near, far.less(near).bits())
}

/// Visits the leaves in whose boxes the ray may be.
struct Follow<'a, F> {
    tree: &'a ObbTree,
    shot: &'a Shot,
    until: f64,
    /// What to begin with.
    roots: &'a [Child],
    stack: &'a mut Vec<Entered>,
    look: Look<F>,
}

/// What is visited, and gives the time from which on nothing matters.
enum Look<F> {
    Leaves(F),
    Triangles(F),
}

impl<F: FnMut(u32) -> f64> Kernel for Follow<'_, F> {
    type Output = DescentCounts;

    #[inline(always)]
    fn run<S: Simd>(self) -> DescentCounts {
        let Follow { tree, shot, mut until, roots, stack, mut look } = self;
        let (mut counts, mut room, mut leaf_room) = (DescentCounts::default(), None, LeafRoom::NEW);
        let from = shot.early(shot.from);
        let mut limit = shot.late(until);
        stack.clear();
        // The boxes below the root's say as soon as its own that all is missed.
        stack.extend(roots.iter().rev().map(|&child| Entered { child, near: f32::NEG_INFINITY }));
        while let Some(Entered { child, near }) = stack.pop() {
            if near > limit {
                continue;
            }
            if child.is_leaf() {
                counts.leaf_pairs += 1;
                match &mut look {
                    Look::Leaves(visit) => until = until.min(visit(child.index())),
                    Look::Triangles(visit) => {
                        let rows = tree.leaf_rows(child.index(), &mut leaf_room);
                        let pass = Pass::new(shot, &rows, until);
                        let own = tree.leaf_triangles(child.index());
                        let mut kept = hit::<S::F32x4>(shot, &pass, &rows) & ((1 << own.len()) - 1);
                        while kept != 0 {
                            let lane = kept.trailing_zeros() as usize % LEAF_TRIANGLES;
                            until = until.min(visit(own[lane]));
                            kept &= kept - 1;
                        }
                    }
                }
                if until < shot.from {
                    break;
                }
                limit = shot.late(until);
                continue;
            }
            let node = tree.node(child.index(), &mut room);
            let (count, _) = tree.children(child.index(), node);
            counts.wide_tests += 1;
            counts.box_tests += u64::from(count);
            let (entered, missed) =
                clip::<S::F32x8>(shot, node, S::F32x8::splat(from), S::F32x8::splat(limit));
            let mut nears = [0.0; WIDTH];
            entered.store(&mut nears);
            let base = stack.len();
            let mut open = !missed & ((1 << count) - 1);
            while open != 0 {
                let lane = open.trailing_zeros() as usize % WIDTH;
                open &= open - 1;
                // The nearest last, so that it is taken first.
                let next = Entered { child: node.child[lane], near: nears[lane] };
                let mut at = stack.len();
                stack.push(next);
                while at > base && stack[at - 1].near < next.near {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = next;
            }
        }
        counts
    }
}

impl ObbTree {
    /// Visits the triangles that a ray (given in the mesh's frame) may hit, those in the nearest boxes first: none
    /// that it hits before the end is left out, few others are visited. `visit` gives the time from which on nothing
    /// matters, in place of the ray's end where it is less; −∞ ends the search. They are the same on every level of
    /// instructions.
    pub fn ray(
        &self,
        ray: &TreeRay,
        scratch: &mut RayScratch,
        visit: &mut impl FnMut(u32) -> f64,
    ) -> DescentCounts {
        let Some(computed) = &self.computed else { return self.follow(ray, scratch, Look::Triangles(visit)) };
        if self.is_empty() {
            return DescentCounts::default();
        }
        let (rest, until, mut counts) = computed.ray(&along(ray, self), visit);
        counts += self.follow_from(&rest, &TreeRay { until, ..*ray }, scratch, Look::Triangles(visit));
        counts
    }

    /// As [`ObbTree::ray`] with the leaves in whose boxes the ray may be.
    pub fn ray_leaves(
        &self,
        ray: &TreeRay,
        scratch: &mut RayScratch,
        visit: &mut impl FnMut(u32) -> f64,
    ) -> DescentCounts {
        self.follow(ray, scratch, Look::Leaves(visit))
    }

    fn follow(
        &self,
        ray: &TreeRay,
        scratch: &mut RayScratch,
        look: Look<impl FnMut(u32) -> f64>,
    ) -> DescentCounts {
        if self.is_empty() {
            return DescentCounts::default();
        }
        match &self.computed {
            None => {
                let (shot, roots) = (Shot::new(ray, self, &Scope::whole(self)), &[self.root_child()]);
                let (until, stack) = (ray.until, &mut scratch.stack);
                simd::run(self.simd(), Follow { tree: self, shot: &shot, until, roots, stack, look })
            }
            Some(computed) => self.follow_from(&computed.starts_along(&along(ray, self)), ray, scratch, look),
        }
    }

    /// As [`ObbTree::follow`] from some nodes of a tree of which nothing is stored.
    fn follow_from(
        &self,
        roots: &Roots,
        ray: &TreeRay,
        scratch: &mut RayScratch,
        look: Look<impl FnMut(u32) -> f64>,
    ) -> DescentCounts {
        if roots.nodes().is_empty() || ray.until < ray.from {
            return DescentCounts::default();
        }
        let (shot, roots) = (Shot::new(ray, self, &Scope::of(roots)), roots.nodes());
        let (until, stack) = (ray.until, &mut scratch.stack);
        simd::run(self.simd(), Follow { tree: self, shot: &shot, until, roots, stack, look })
    }
}
