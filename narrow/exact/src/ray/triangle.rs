//! A line and a triangle: whether it passes through, exactly, and when.

use impinge_geometry::predicate::{self, Plane};
use nalgebra::{Point3, Vector3};

use crate::intersect::{Shift, sign};

/// What rounding takes from a product of three differences, part of its magnitude; see [`Plane::side_filtered`].
const ROUNDING: f64 = 10.0 * (f64::EPSILON / 2.0);

/// A line through triangles, both in the pair frame (m).
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub origin: Point3<f64>,
    pub direction: Vector3<f64>,
}

/// A triangle that a line passes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    corners: [Point3<f64>; 3],
    line: Line,
    /// Along the direction, up to a positive factor: through the back it comes out.
    pub entering: bool,
    /// No sooner and no later than this.
    pub between: [f64; 2],
}

impl Line {
    /// The triangle where the line passes through it at a time of at least 0.
    #[inline]
    pub fn passes(&self, corners: &[Point3<f64>; 3]) -> Option<Passed> {
        let turn = self.turn(corners)?;
        let [a, b, c] = corners;
        let (x, y, w) = (b - a, c - a, a - self.origin);
        let (p, q) = (x.abs(), y.abs());
        let normal = x.cross(&y);
        let size =
            Vector3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x) * ROUNDING;
        let (height, off) = (normal.dot(&w), size.dot(&w.abs()) + 1e-200);
        let (speed, speed_off) = (normal.dot(&self.direction), size.dot(&self.direction.abs()) + 1e-200);
        let turn = f64::from(turn);
        if height * turn < -off {
            return None;
        }
        if height.abs() <= off {
            // The sign of the plane's height above the ray's origin, by the triangle's normal.
            match sign(-Plane::new(corners).side(&self.origin)) {
                0 => return Some(self.passed(corners, turn, [0.0; 2])),
                side if f64::from(side) != turn => return None,
                _ => {}
            }
        }
        // The speed is of the same sign as the turn, at least this large.
        let least = speed * turn - speed_off;
        let time = height / speed;
        let error = (off + time.abs() * speed_off) / least + 4.0 * f64::EPSILON * time.abs();
        // Where nothing is certain the bounds say nothing, and the time is asked for.
        let known = least > 0.5 * speed_off && error.is_finite() && time.is_finite();
        let between = if known { [(time - error).max(0.0), time + error] } else { [0.0, f64::INFINITY] };
        Some(self.passed(corners, turn, between))
    }

    fn passed(&self, corners: &[Point3<f64>; 3], turn: f64, between: [f64; 2]) -> Passed {
        Passed { corners: *corners, line: *self, entering: turn < 0.0, between }
    }

    /// 1 where the line comes out through a triangle, −1 where it goes in, `None` where it misses it.
    #[inline]
    fn turn(&self, corners: &[Point3<f64>; 3]) -> Option<i8> {
        let mut turn = 0;
        for k in 0..3 {
            let own = self.side(&corners[k], &corners[(k + 1) % 3]);
            if own == 0 || (turn != 0 && own != turn) {
                return None;
            }
            turn = own;
        }
        Some(turn)
    }

    /// On which side of the line the edge from `p` to `q` passes it; 0 where it is parallel and meets it.
    #[inline]
    fn side(&self, p: &Point3<f64>, q: &Point3<f64>) -> i8 {
        match sign(predicate::orient_along(&self.direction, &self.origin, p, q)) {
            0 => self.broken_tie(p, q),
            sign => sign,
        }
    }

    /// With the line's origin at o + e, v · ((p − o − e) × (q − o − e)) grows by e · (v × (q − p)).
    #[cold]
    fn broken_tie(&self, p: &Point3<f64>, q: &Point3<f64>) -> i8 {
        Shift::ALONG_AXES.along_cross([&Point3::origin(), &Point3::from(self.direction)], [p, q])
    }
}

impl Passed {
    /// When the line passes through: right to the last place.
    pub fn time(&self) -> f64 {
        let Passed { corners, line, between, .. } = self;
        if between[1] == 0.0 {
            return 0.0;
        }
        // The ray does not begin behind the triangle.
        predicate::passage_time(&line.origin, &line.direction, corners).max(0.0)
    }

    /// Outward unit normal.
    pub fn normal(&self) -> Vector3<f64> {
        let [a, b, c] = &self.corners;
        let (x, y) = (b - a, c - a);
        let mut normal = x.cross(&y);
        if normal.norm_squared() <= 1e-20 * x.norm_squared() * y.norm_squared() {
            // A needle's normal is what rounding left of it: its signs at least are exact here.
            normal = Vector3::from_fn(|axis, _| predicate::orient2d(axis, a, b, c));
        }
        let along = if self.entering { -self.line.direction } else { self.line.direction };
        normal.try_normalize(0.0).unwrap_or_else(|| along.normalize())
    }
}
