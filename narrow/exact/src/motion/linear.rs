//! When do two triangles first meet, one of them moving along a line?
//!
//! Along an axis `L` B's heights begin `low` before A's end and end `high` before A's begin: they overlap while
//! `low ≤ s v ≤ high`, `v` the axis's share of the motion. Two triangles that are not parallel share a point unless one of 11
//! axes parts them: both normals and the products of their edges; parallel ones need the products of a normal
//! and an edge, too. Any axis bounds the interval from outside whatever it is, so that only what is measured along it may
//! err: corners are taken beside A's first one, a height is off by `4u|L|₁` of the greatest coordinate, and everything is rounded
//! outward by twice of that. So no time is late, and none that meets is lost.

use nalgebra::{Point3, Vector3};

/// Roundings of a height and a quotient, twice: `16u`.
const ERROR: f64 = 8.0 * f64::EPSILON;

/// Planes whose angle has a smaller sine are taken for parallel: more axes are tested.
const PARALLEL: f64 = 1e-7;

/// The times (parts of the motion) at which two triangles may share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeetingTimes {
    pub begin: f64,
    pub end: f64,
    /// The axis on which it begins, towards where B came from (not unit; zero where nothing begins it).
    pub axis: Vector3<f64>,
}

/// When `b`, moved by `way` in the course of a motion, shares a point with `a`, from `begin` to `end` at most; `None` where it does
/// not. Rounded outward.
pub(super) fn meeting_times(
    [a, b]: [&[Point3<f64>; 3]; 2],
    way: &Vector3<f64>,
    [begin, end]: [f64; 2],
) -> Option<MeetingTimes> {
    let origin = a[0];
    let (p, q) = (a.map(|x| x - origin), b.map(|x| x - origin));
    let size = p.iter().chain(&q).fold(0.0f64, |most, v| most.max(v.amax()));
    let mut found = Cut { p: &p, q: &q, way, size, begin, end, axis: Vector3::zeros() };
    let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_p, of_q) = (edges(&p), edges(&q));
    let normals = [of_p[0].cross(&of_p[1]), of_q[0].cross(&of_q[1])];
    let parallel = normals[0].cross(&normals[1]).norm_squared()
        <= PARALLEL * PARALLEL * normals[0].norm_squared() * normals[1].norm_squared();
    let mut meets = normals.iter().all(|n| found.cut(n));
    meets = meets && of_p.iter().all(|e| of_q.iter().all(|f| found.cut(&e.cross(f))));
    if meets && parallel {
        meets = of_p.iter().all(|e| found.cut(&normals[0].cross(e)) && found.cut(&normals[1].cross(e)))
            && of_q.iter().all(|f| found.cut(&normals[0].cross(f)) && found.cut(&normals[1].cross(f)));
    }
    meets.then_some(MeetingTimes { begin: found.begin, end: found.end, axis: found.axis })
}

/// Times while axis after axis cuts them.
struct Cut<'t> {
    p: &'t [Vector3<f64>; 3],
    q: &'t [Vector3<f64>; 3],
    way: &'t Vector3<f64>,
    size: f64,
    begin: f64,
    end: f64,
    axis: Vector3<f64>,
}

impl Cut<'_> {
    /// Keeps what an axis leaves, and tells whether that is anything.
    fn cut(&mut self, axis: &Vector3<f64>) -> bool {
        let heights = |t: &[Vector3<f64>; 3]| {
            let [x, y, z] = [axis.dot(&t[0]), axis.dot(&t[1]), axis.dot(&t[2])];
            [x.min(y).min(z), x.max(y).max(z)]
        };
        let ([low_a, high_a], [low_b, high_b]) = (heights(self.p), heights(self.q));
        let length = axis.abs().sum();
        let error = ERROR * length * self.size;
        let (low, high) = (low_a - high_b - error, high_a - low_b + error);
        let speed = axis.dot(self.way);
        let slowest = ERROR * length * self.way.amax();
        if speed.abs() <= slowest {
            // It may be moving either way, or not at all.
            let stray = 2.0 * slowest;
            return low - stray <= 0.0 && high + stray >= 0.0;
        }
        // Times are rounded outward by what numerator and denominator may be off.
        let [first, second] = if speed > 0.0 { [low, high] } else { [high, low] };
        let relative = ERROR + slowest / speed.abs();
        let outward = |t: f64| t.abs() * relative;
        let (first, second) = (first / speed, second / speed);
        let (first, second) = (first - outward(first), second + outward(second));
        if first > self.begin {
            self.begin = first;
            self.axis = if speed > 0.0 { -axis } else { *axis };
        }
        self.end = self.end.min(second);
        self.begin <= self.end
    }
}
