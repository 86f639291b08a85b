//! When do a vertex and a face, or two edges, first come near each other, every vertex moving on a line?
//!
//! The least and the greatest height of each along a fixed axis are linear in time, or bend away from the other: an axis that parts
//! the two at two times by enough parts them in between. So they are brought forward as triangles are (`advance`), without a
//! sagitta and without roots of a cubic, and coplanar, parallel and collapsed ones are no cases of their own. Edges that turn about each
//! other faster than they close need many axes; after a few rounds the cubic is asked how long the vertices are not coplanar.
//!
//! **Rounding.** With `M` the largest coordinate and `u = 2⁻⁵³`, a vertex on its line is off by at most `6uM` in each coordinate, its height along a unit
//! vector by `√3·6uM` and three products more, `16uM`; the difference of two by `33uM`. `ERROR` has twice of that.
//!
//! Sources: Provot, "Collision and self-collision handling in cloth model dedicated to design garments", 1997 (the two cases);
//! Wang, Ferguson, Schneider, Jiang, Attene, Panozzo, "A Large-scale Benchmark and an Inclusion-based Algorithm for
//! Continuous Collision Detection", 2021 (the minimum separation, and what is to be shown). The advance by an axis is ours.

use impinge_convex::{nearest_of_segments, nearest_on_triangle};
use nalgebra::{Point3, Vector3};

use super::advance::{Approach, NearestPair, Tolerance, advance};

/// What a difference of two heights may be off by, as a part of the largest coordinate: `66u`.
const ERROR: f64 = 33.0 * f64::EPSILON;

/// The part of a distance that an axis must part two features by to be taken for that of their nearest points.
const NEARLY: f64 = 1.0 - 1e-6;

/// How near two features may come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureClearance {
    /// Nearer than this they count as touching (m).
    pub separation: f64,
    /// By how much they may be farther apart than that at the time reported (m). No less than what rounding needs is used.
    pub gap: f64,
}

/// Where two features come near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureMeeting {
    /// When (0 to 1): at no time before are they nearer than the separation.
    pub time: f64,
    /// How far apart they are then (m).
    pub distance: f64,
    /// Unit, from A to B.
    pub normal: Vector3<f64>,
    /// The nearest points then, A's and B's (m).
    pub points: [Point3<f64>; 2],
}

/// Two features and where their vertices begin and end (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeaturePair {
    /// A is a vertex, B a triangle.
    VertexFace {
        /// Where the vertex, and then the corners of the face, begin.
        from: [Point3<f64>; 4],
        /// Where they end.
        to: [Point3<f64>; 4],
    },
    /// A is the edge of the first two vertices, B that of the others.
    EdgeEdge {
        /// Where the ends begin.
        from: [Point3<f64>; 4],
        /// Where they end.
        to: [Point3<f64>; 4],
    },
}

impl FeaturePair {
    fn ends(&self) -> [&[Point3<f64>; 4]; 2] {
        match self {
            FeaturePair::VertexFace { from, to } | FeaturePair::EdgeEdge { from, to } => [from, to],
        }
    }

    /// How many of the four vertices are A's.
    fn of_a(&self) -> usize {
        match self {
            FeaturePair::VertexFace { .. } => 1,
            FeaturePair::EdgeEdge { .. } => 2,
        }
    }

    /// Where the vertices are at a time (m).
    pub fn at(&self, time: f64) -> [Point3<f64>; 4] {
        let [from, to] = self.ends();
        if time >= 1.0 { *to } else { std::array::from_fn(|k| from[k] + (to[k] - from[k]) * time) }
    }

    /// The nearest points of A and of B at a time (m).
    pub fn nearest_points(&self, time: f64) -> [Point3<f64>; 2] {
        let at = self.at(time);
        let beside = at.map(|p| Point3::from(p - at[0]));
        self.nearest_of(&beside).map(|p| at[0] + p.coords)
    }

    fn nearest_of(&self, &[p, q, r, s]: &[Point3<f64>; 4]) -> [Point3<f64>; 2] {
        match self {
            FeaturePair::VertexFace { .. } => [p, nearest_on_triangle(&[q, r, s], &p)],
            FeaturePair::EdgeEdge { .. } => nearest_of_segments(&[p, q], &[r, s]).into(),
        }
    }

    /// When they first come near each other between two times, if they do. Never late, and `None` is a proof.
    pub fn first(
        &self,
        clearance: &FeatureClearance,
        within: [f64; 2],
        gaps: &mut u64,
    ) -> Option<FeatureMeeting> {
        let size = self.ends().into_iter().flatten().fold(0.0f64, |most, p| most.max(p.coords.amax()));
        let error = ERROR * size;
        let gap = clearance.gap.max(16.0 * error).max(f64::MIN_POSITIVE);
        let mut moving = Moving { pair: self, separation: clearance.separation, size };
        let found = advance(&mut moving, within, &Tolerance { gap, error }, gaps)?;
        let points = self.nearest_points(found.time);
        let between = points[1] - points[0];
        let normal = found.nearest.map(|nearest| nearest.normal);
        let normal = normal.or_else(|| self.normal_in_touch(found.time, &between));
        Some(FeatureMeeting {
            time: found.time,
            distance: between.norm(),
            normal: normal.unwrap_or_else(Vector3::z),
            points,
        })
    }

    /// Of features that all but touch, from where A comes to where B does.
    fn normal_in_touch(&self, time: f64, between: &Vector3<f64>) -> Option<Vector3<f64>> {
        let [p, q, r, s] = self.at(time);
        let across = match self {
            FeaturePair::VertexFace { .. } => (r - q).cross(&(s - q)),
            FeaturePair::EdgeEdge { .. } => (q - p).cross(&(s - r)),
        };
        let [from, to] = self.ends();
        let way = |k: usize| to[k] - from[k];
        let closing = match self {
            FeaturePair::VertexFace { .. } => way(0) - (way(1) + way(2) + way(3)) / 3.0,
            FeaturePair::EdgeEdge { .. } => (way(0) + way(1) - way(2) - way(3)) * 0.5,
        };
        let across = across.try_normalize(1e-150).map(|n| if n.dot(&closing) < 0.0 { -n } else { n });
        across.or_else(|| between.try_normalize(1e-150))
    }
}

/// A pair in motion, each grown by half the separation.
struct Moving<'p> {
    pair: &'p FeaturePair,
    separation: f64,
    /// The largest coordinate (m).
    size: f64,
}

impl Moving<'_> {
    fn apart(&self, points: &[Point3<f64>; 4], normal: &Vector3<f64>) -> f64 {
        // Beside the first one, heights lose less of their digits.
        let heights = points.map(|p| normal.dot(&(p - points[0])));
        let (a, b) = heights.split_at(self.pair.of_a());
        let low = b.iter().copied().fold(f64::INFINITY, f64::min);
        let high = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        low - high
    }
}

impl Moving<'_> {
    /// The axis of those that may part the two farthest, and how far it does (m). Nearest points that are all but one have lost the
    /// digits of their direction; edges and faces that it must be perpendicular to have them.
    fn best_axis(&self, at: &[Point3<f64>; 4], between: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let [p, q, r, s] = at;
        let across = |e: Vector3<f64>| between - e * (between.dot(&e) / e.norm_squared());
        let (e, f, third) = match self.pair {
            FeaturePair::VertexFace { .. } => (r - q, s - r, q - s),
            FeaturePair::EdgeEdge { .. } => (q - p, s - r, Vector3::zeros()),
        };
        let normal = e.cross(&f);
        let axes = [
            *between,
            across(e),
            across(f),
            across(third),
            normal,
            normal.cross(&e),
            normal.cross(&f),
            normal.cross(&third),
        ];
        let mut best = (f64::NEG_INFINITY, Vector3::z());
        for axis in axes {
            // An edge without length is perpendicular to nothing.
            let axis = Some(axis).filter(|axis| axis.iter().all(|x| x.is_finite()));
            let Some(axis) = axis.and_then(|axis| axis.try_normalize(1e-150)) else { continue };
            for axis in [axis, -axis] {
                let apart = self.apart(at, &axis);
                if apart > best.0 {
                    best = (apart, axis);
                }
            }
        }
        best
    }
}

impl Approach for Moving<'_> {
    fn nearest(&mut self, time: f64) -> Option<NearestPair> {
        let at = self.pair.at(time);
        // Beside the first one, points have more digits.
        let beside = at.map(|p| Point3::from(p - at[0]));
        let [p, q] = self.pair.nearest_of(&beside);
        let between = q - p;
        let reached = between.norm();
        let mut best = (f64::NEG_INFINITY, Vector3::z());
        if let Some(normal) = between.try_normalize(1e-150) {
            best = (self.apart(&at, &normal), normal);
        }
        if best.0 < NEARLY * reached {
            best = self.best_axis(&at, &between);
        }
        let (apart, normal) = best;
        let distance = reached.min(apart / NEARLY) - self.separation;
        (apart > self.separation + ERROR * self.size).then_some(NearestPair { distance, normal })
    }

    fn separation(&mut self, time: f64, normal: &Vector3<f64>) -> f64 {
        self.apart(&self.pair.at(time), normal) - self.separation
    }

    fn sagitta(&self, _: &Vector3<f64>, _: f64) -> f64 {
        0.0
    }
    /// Features that are not coplanar do not touch. With a separation that says nothing.
    fn free_until(&mut self, [time, end]: [f64; 2]) -> Option<f64> {
        if self.separation > 0.0 {
            return Some(time);
        }
        let free = self.not_coplanar([time, end])?;
        Some(time + (end - time) * free)
    }
}

impl Moving<'_> {
    /// For which part of an interval of times the four vertices are not coplanar, from its beginning on; `None` for all of it.
    ///
    /// Their volume is a cubic in time, within the hull of its Bernstein coefficients: it does not change its sign before the hull
    /// meets zero (Sederberg, Nishita, "Curve Intersection using Bézier Clipping", 1990). Coefficients are taken nearer to zero by their
    /// rounding: with edges of at most `L` in a coordinate, off by `16ε M` each, six products of three by `36 (16ε M) L² + 48ε L³`.
    fn not_coplanar(&self, times: [f64; 2]) -> Option<f64> {
        let [first, last] = times.map(|time| {
            let [p, q, r, s] = self.pair.at(time);
            match self.pair {
                FeaturePair::VertexFace { .. } => [r - q, s - q, p - q],
                FeaturePair::EdgeEdge { .. } => [q - p, s - r, r - p],
            }
        });
        let volume = |last_of: [bool; 3]| {
            let [e, f, w] = std::array::from_fn(|k| if last_of[k] { last[k] } else { first[k] });
            e.cross(&f).dot(&w)
        };
        let (no, yes) = (false, true);
        let coefficients = [
            volume([no, no, no]),
            (volume([yes, no, no]) + volume([no, yes, no]) + volume([no, no, yes])) / 3.0,
            (volume([yes, yes, no]) + volume([yes, no, yes]) + volume([no, yes, yes])) / 3.0,
            volume([yes, yes, yes]),
        ];
        let long = first.iter().chain(&last).fold(0.0f64, |most, v| most.max(v.amax()));
        let error = f64::EPSILON * long * long * (36.0 * 16.0 * self.size + 48.0 * long);
        let sign = coefficients[0].signum();
        let heights = coefficients.map(|c| c * sign - error);
        if heights.iter().all(|&h| h > 0.0) {
            return None;
        }
        let place = |k: usize| k as f64 / 3.0;
        let mut least = 1.0f64;
        for i in (0..4).filter(|&i| heights[i] > 0.0) {
            for j in (0..4).filter(|&j| heights[j] <= 0.0) {
                let part = heights[i] / (heights[i] - heights[j]);
                least = least.min(place(i) + (place(j) - place(i)) * part);
            }
        }
        // What is not a number, or begins in its own rounding, proves nothing.
        let proves = heights[0] > 0.0 && heights.iter().all(|h| h.is_finite());
        Some(if proves { (least * (1.0 - 1e-9)).max(0.0) } else { 0.0 })
    }
}
