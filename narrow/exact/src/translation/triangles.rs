//! During which interval of shifts do two triangles share a point, one of them moving?
//!
//! Along an axis L the triangles overlap while `|q + s v|` is within their reaches, `q` being where B's begins
//! before A's, and `v` = L · d. Two triangles that are not parallel share a point unless one of 11 axes parts them:
//! both normals and the products of their edges; parallel ones need the products of a normal and an edge, too. An
//! edge's product needs no projections of corners: A's third corner is at `−n_A · e_B` from its edge, B's at `n_B · e_A`.

use nalgebra::{Point3, Vector3};

/// Edges, or planes, whose angle has a smaller sine are parallel: their product is rounding.
const PARALLEL: f64 = 1e-7;

/// An axis that the motion follows by less than this (cosine) is not followed at all.
const STILL: f64 = 1e-12;

/// A triangle made ready to be passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    pub triangle: u32,
    pub corners: [Point3<f64>; 3],
    edges: [Vector3<f64>; 3],
    squares: [f64; 3],
    normal: Vector3<f64>,
    square: f64,
}

impl Swept {
    pub const NONE: Swept = Swept {
        triangle: 0,
        corners: [Point3::new(0.0, 0.0, 0.0); 3],
        edges: [Vector3::new(0.0, 0.0, 0.0); 3],
        squares: [0.0; 3],
        normal: Vector3::new(0.0, 0.0, 0.0),
        square: 0.0,
    };

    pub fn new(triangle: u32, corners: [Point3<f64>; 3]) -> Swept {
        let [a, b, c] = corners;
        let edges = [b - a, c - b, a - c];
        let normal = edges[0].cross(&edges[1]);
        let squares = edges.map(|e| e.norm_squared());
        Swept { triangle, corners, edges, squares, normal, square: normal.norm_squared() }
    }
}

/// An interval of shifts (m), and the axis on which it ends (not unit; zero where nothing ends it).
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub begin: f64,
    pub end: f64,
    pub axis: Vector3<f64>,
    /// Whether they share no more than a skin all along, as what slides along a wall does.
    pub grazing: bool,
}

impl Interval {
    /// Keeps what is between two shifts that an axis gives. `high` and `low` are how far B may move along it before it
    /// has passed A, and how far it must before it meets A; `speed` is along the same axis.
    #[inline(always)]
    fn cut(&mut self, low: f64, high: f64, speed: f64, axis: &Vector3<f64>, tolerance: f64) {
        if speed * speed <= STILL * STILL * axis.norm_squared() {
            if low > 0.0 || high < 0.0 {
                self.end = f64::NEG_INFINITY;
            }
            let slack = tolerance * axis.norm();
            self.grazing |= low > -slack || high < slack;
        } else if speed > 0.0 {
            self.begin = self.begin.max(low / speed);
            if high < self.end * speed {
                (self.end, self.axis) = (high / speed, *axis);
            }
        } else {
            self.begin = self.begin.max(high / speed);
            if low > self.end * speed {
                (self.end, self.axis) = (low / speed, -axis);
            }
        }
    }

    /// Whether nothing of it is left beyond a shift.
    #[inline(always)]
    fn is_behind(&self, shift: f64) -> bool {
        self.end <= shift || self.begin > self.end
    }
}

/// The shifts `s` at which `b`, moved by `s · direction`, shares a point with `a`; `None` where they end at `shift` or
/// before.
pub(super) fn interval(
    [a, b]: [&Swept; 2],
    direction: &Vector3<f64>,
    shift: f64,
    tolerance: f64,
) -> Option<Interval> {
    let mut found =
        Interval { begin: f64::NEG_INFINITY, end: f64::INFINITY, axis: Vector3::zeros(), grazing: false };
    // A's plane: B's corners above it.
    let over = |q: &Point3<f64>| a.normal.dot(&(q - a.corners[0]));
    let heights = [over(&b.corners[0]), over(&b.corners[1]), over(&b.corners[2])];
    let [low, high] = [-max(&heights), -min(&heights)];
    found.cut(low, high, a.normal.dot(direction), &a.normal, tolerance);
    if found.is_behind(shift) {
        return None;
    }
    // B's plane: A's corners above it, seen from B's first corner.
    let under = |p: &Point3<f64>| b.normal.dot(&(p - b.corners[0]));
    let heights = [under(&a.corners[0]), under(&a.corners[1]), under(&a.corners[2])];
    found.cut(min(&heights), max(&heights), b.normal.dot(direction), &b.normal, tolerance);
    if found.is_behind(shift) {
        return None;
    }
    for i in 0..3 {
        for j in 0..3 {
            let axis = a.edges[i].cross(&b.edges[j]);
            if axis.norm_squared() <= PARALLEL * PARALLEL * a.squares[i] * b.squares[j] {
                continue;
            }
            let q = axis.dot(&(b.corners[j] - a.corners[i]));
            let (of_a, of_b) = (-a.normal.dot(&b.edges[j]), b.normal.dot(&a.edges[i]));
            let low = of_a.min(0.0) - of_b.max(0.0) - q;
            let high = of_a.max(0.0) - of_b.min(0.0) - q;
            found.cut(low, high, axis.dot(direction), &axis, tolerance);
            if found.is_behind(shift) {
                return None;
            }
        }
    }
    if a.normal.cross(&b.normal).norm_squared() <= PARALLEL * PARALLEL * a.square * b.square {
        for edge in a.edges.iter().map(|e| a.normal.cross(e)).chain(b.edges.iter().map(|e| b.normal.cross(e)))
        {
            let of_a = a.corners.map(|p| edge.dot(&(p - a.corners[0])));
            let of_b = b.corners.map(|p| edge.dot(&(p - a.corners[0])));
            found.cut(
                min(&of_a) - max(&of_b),
                max(&of_a) - min(&of_b),
                edge.dot(direction),
                &edge,
                tolerance,
            );
            if found.is_behind(shift) {
                return None;
            }
        }
    }
    Some(found)
}

#[inline(always)]
pub(super) fn min(x: &[f64; 3]) -> f64 {
    x[0].min(x[1]).min(x[2])
}

#[inline(always)]
pub(super) fn max(x: &[f64; 3]) -> f64 {
    x[0].max(x[1]).max(x[2])
}
