//! Boxes that are far apart for their size, seen along the line between the meshes.
//!
//! Where two meshes are far apart, nearly all of every distance is the same number: the distance of
//! their middles. In `f32` that number leaves no digits for what differs from triangle to triangle.
//! Here all of it is `f64`, and each box is measured by its own small coordinates: how far it reaches
//! ahead towards the other mesh, and where it lies across. With `c` the distance of the middles, a pair
//! of boxes that reach `p` and `q` ahead and lie `w` apart across is no nearer than the hypotenuse of
//! `c − p − q` and `w`.
//!
//! Rounding: with u = 2⁻⁵³ and `far` no less than any coordinate, placing the middles errs by √3·u·far,
//! the axis by 2u in length and direction, the canonical points by √3·u·far, coordinates within a box
//! by parts of its size, which is less than a thirty-second of the distance. [`Afar::error`] is 8u·far,
//! more than all of these together. What is nearer by less than that than what is known already is
//! beyond what `f64` points can say, and is not looked for.

use impinge_geometry::{PairFrame, Side};
use nalgebra::Vector3;

use super::ObbTree;
use super::node::{OrientedBox, WIDTH};
use super::reached::{NearestCounts, Reached};

/// How many times the sum of the meshes' half diagonals they are apart, at least. Nearer, `f32` bounds
/// lose no more than a part of 1e-4 of the meshes' size.
const FAR: f64 = 32.0;

/// Two meshes that are far apart for their size.
pub(super) struct Afar {
    /// The distance between the middles of the meshes (m).
    base: f64,
    /// No bound errs by more (m).
    pub error: f64,
    sights: [Sight; 2],
}

/// How the boxes of one mesh are seen.
struct Sight {
    /// The middle of the mesh, in its frame (m).
    middle: Vector3<f64>,
    /// Unit, towards the other mesh, in its frame.
    ahead: Vector3<f64>,
    /// Two axes across, the same for both meshes, in its frame.
    across: [Vector3<f64>; 2],
}

/// What a box is, seen from the other mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shadow {
    /// No point of it is farther ahead of the mesh's middle (m).
    ahead: f64,
    /// Where its centre lies across (m).
    across: [f64; 2],
    /// No point of it is farther from its centre (m).
    radius: f64,
}

impl Afar {
    /// Two boxes on sides A and B that hold all there is of each, no farther from their mesh's origin than
    /// `reach` (m); `None` where they are not far apart.
    pub fn new(boxes: [&OrientedBox; 2], reach: [f64; 2], frame: &PairFrame) -> Option<Afar> {
        let middles = boxes.map(|b| Vector3::from(b.center.map(f64::from)));
        let sizes = boxes.map(|b| Vector3::from(b.half.map(f64::from)).norm());
        let offset = frame.offset[1] - frame.offset[0];
        let between = offset + frame.rotation[1] * middles[1] - frame.rotation[0] * middles[0];
        let base = between.norm();
        // Not so where something is no number.
        if !(base.is_finite() && base > FAR * (sizes[0] + sizes[1])) {
            return None;
        }
        let axis = between / base;
        let least = axis.iamin();
        let mut other = Vector3::zeros();
        other[least] = 1.0;
        let right = axis.cross(&other).normalize();
        let across = [right, axis.cross(&right)];
        let sight = |side: Side, ahead: Vector3<f64>| {
            let turn = &frame.rotation[side.index()];
            Sight {
                middle: middles[side.index()],
                ahead: turn.tr_mul(&ahead),
                across: across.map(|v| turn.tr_mul(&v)),
            }
        };
        let far = offset.norm() + reach[0] + reach[1];
        Some(Afar {
            base,
            error: 4.0 * f64::EPSILON * far,
            sights: [sight(Side::A, axis), sight(Side::B, -axis)],
        })
    }

    /// How a box of the mesh on `side` is seen.
    pub fn shadow(&self, side: Side, b: &OrientedBox) -> Shadow {
        let sight = &self.sights[side.index()];
        let center = Vector3::from(b.center.map(f64::from)) - sight.middle;
        let half = b.half.map(f64::from);
        let reach: f64 =
            (0..3).map(|i| half[i] * Vector3::from(b.axes[i].map(f64::from)).dot(&sight.ahead).abs()).sum();
        // The axes are orthonormal within 4 · 2⁻²⁴.
        let loose = 5e-7 * (half[0] + half[1] + half[2]);
        Shadow {
            ahead: center.dot(&sight.ahead) + (reach + loose),
            across: [center.dot(&sight.across[0]), center.dot(&sight.across[1])],
            radius: Vector3::from(half).norm() + loose,
        }
    }

    /// No points of two boxes are nearer to each other (m), up to [`Afar::error`].
    pub fn least(&self, a: &Shadow, b: &Shadow) -> f64 {
        let along = (self.base - (a.ahead + b.ahead)).max(0.0);
        let [x, y] = [a.across[0] - b.across[0], a.across[1] - b.across[1]];
        let across = ((x * x + y * y).sqrt() - (a.radius + b.radius)).max(0.0);
        (along * along + across * across).sqrt()
    }

    /// What [`Afar::least`] is compared with: a pair that is no less is of no interest where `bound` (m) is that
    /// of what was `found` already, or is given.
    pub fn limit(&self, bound: f64, found: bool) -> f64 {
        // What is within the error of what was found is as near as that; what may touch is no such thing.
        if found && bound > 4.0 * self.error { bound - self.error } else { bound + self.error }
    }

    /// As [`super::nearest`] of the trees whose root boxes these are.
    pub fn nearest(
        &self,
        trees: [&ObbTree; 2],
        mut reached: Reached,
        scratch: &mut AfarScratch,
        visit: &mut impl FnMut(u32, u32) -> Reached,
        counts: &mut NearestCounts,
    ) {
        let (mut found, mut room) = (false, None);
        let AfarScratch { stack, beside } = scratch;
        stack.clear();
        stack.push(Waiting { places: [ROOT; 2], least: 0.0 });
        while let Some(Waiting { places, least }) = stack.pop() {
            if reached.bound <= 0.0 || least >= self.limit(reached.bound, found) {
                continue;
            }
            let below = [0, 1].map(|k| trees[k].below(places[k]));
            if below.iter().all(|child| child.is_leaf()) {
                counts.leaf_pairs += 1;
                let now = visit(below[0].index(), below[1].index());
                found |= now.bound < reached.bound;
                reached = now;
                continue;
            }
            let boxes = [0, 1].map(|k| trees[k].box_at(places[k]));
            let open = match below.map(|child| child.is_leaf()) {
                [true, _] => Side::B,
                [_, true] => Side::A,
                _ if boxes[0].size() >= boxes[1].size() => Side::A,
                _ => Side::B,
            };
            let (k, other) = (open.index(), open.other());
            let (tree, node) = (trees[k], below[k].index());
            let lanes = tree.node(node, &mut room).len() as u32;
            counts.wide_tests += 1;
            counts.box_tests += u64::from(lanes);
            let shadow = self.shadow(other, &boxes[other.index()]);
            let limit = self.limit(reached.bound, found);
            beside.clear();
            for place in (0..lanes).map(|lane| node * WIDTH as u32 + lane) {
                let least = self.least(&self.shadow(open, &tree.box_at(place)), &shadow);
                if least < limit {
                    let mut both = places;
                    both[k] = place;
                    beside.push(Waiting { places: both, least });
                }
            }
            // The nearest is taken next; among equals the first.
            beside.sort_by(|p, q| q.least.total_cmp(&p.least).then(q.places.cmp(&p.places)));
            stack.extend_from_slice(beside);
        }
    }

    /// As [`ObbTree::nearest_to_box`] of the tree and box that these are.
    pub fn nearest_to_box(
        &self,
        tree: &ObbTree,
        own: Side,
        (other, radius): (&OrientedBox, f64),
        mut bound: f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) -> NearestCounts {
        let (mut counts, mut found, mut room) = (NearestCounts::default(), false, None);
        let shadow = self.shadow(own.other(), other);
        let mut stack = vec![(ROOT, 0.0)];
        let mut beside = Vec::with_capacity(WIDTH);
        while let Some((place, least)) = stack.pop() {
            if bound <= 0.0 || least >= self.limit(bound, found) + radius {
                continue;
            }
            let below = tree.below(place);
            if below.is_leaf() {
                counts.leaf_pairs += 1;
                let now = visit(below.index());
                found |= now < bound;
                bound = now;
                continue;
            }
            let node = below.index();
            let lanes = tree.node(node, &mut room).len() as u32;
            counts.wide_tests += 1;
            counts.box_tests += u64::from(lanes);
            let place = |lane: u32| node * WIDTH as u32 + lane;
            beside.clear();
            beside.extend((0..lanes).map(|lane| {
                let at = place(lane);
                (at, self.least(&self.shadow(own, &tree.box_at(at)), &shadow))
            }));
            beside.sort_by(|p: &(u32, f64), q| q.1.total_cmp(&p.1).then(q.0.cmp(&p.0)));
            stack.extend_from_slice(&beside);
        }
        counts
    }
}

/// The first child of node 0 is the box of the whole mesh.
const ROOT: u32 = 0;

/// A pair of boxes still to be opened.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Of A and of B: node · 8 + lane.
    places: [u32; 2],
    /// As by [`Afar::least`] (m).
    least: f64,
}

/// What a search reuses from pair to pair.
#[derive(Clone, Debug, Default)]
pub(super) struct AfarScratch {
    stack: Vec<Waiting>,
    beside: Vec<Waiting>,
}
