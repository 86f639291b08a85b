//! Where a ray passes through triangles, by brute force in exact arithmetic.

use std::cmp::Ordering;

use nalgebra::{Point3, Vector3};
use num_bigint::{BigInt, Sign};

use crate::exact::{Integers, integers, sign};

/// A triangle that a ray passes through.
#[derive(Clone, Debug)]
pub struct RayCrossing {
    /// Which of the triangles.
    pub triangle: usize,
    /// Whether the ray meets its front.
    pub entering: bool,
    /// When, as a fraction with a denominator above zero.
    time: [BigInt; 2],
}

impl RayCrossing {
    /// Which of two times is less, exactly.
    pub fn cmp_time(&self, other: &RayCrossing) -> Ordering {
        (&self.time[0] * &other.time[1]).cmp(&(&other.time[0] * &self.time[1]))
    }

    /// Whether a number is as near to the time as half a unit in the last place, or but for one part of 2⁶⁰ of it. A time
    /// of zero is zero.
    pub fn is_at(&self, time: f64) -> bool {
        let [height, speed] = &self.time;
        let point = |x: f64| Point3::new(x, 1.0, 0.0);
        let [p] = integers([&point(time)]);
        // time = p.x / p.y.
        let [x, unit] = [&p.0[0], &p.0[1]];
        let off = x * speed - height * unit;
        let off = if off.sign() == Sign::Minus { -off } else { off };
        let room: BigInt = height * unit;
        // |t − h/s| ≤ h/s · (2⁻⁵³ + 2⁻⁶⁰)
        off * (BigInt::from(1) << 60u32) <= room * ((1 << 7) + 1)
    }
}

/// The triangles that the points `origin + t · direction` pass through at t ≥ 0, by time, then triangle. Where the line
/// meets an edge or a corner it counts as if it were moved by an infinitesimal step along +x, a much smaller one along
/// +y, and one still smaller along +z.
pub fn ray_crossings(
    triangles: impl IntoIterator<Item = [Point3<f64>; 3]>,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
) -> Vec<RayCrossing> {
    let crossing = |(triangle, [a, b, c]): (usize, [Point3<f64>; 3])| {
        let [o, v, a, b, c] = integers([origin, &Point3::from(*direction), &a, &b, &c]);
        let sides = [[&a, &b], [&b, &c], [&c, &a]].map(|[p, q]| side(&o, &v, p, q));
        if sides[0] == 0 || sides.iter().any(|&s| s != sides[0]) {
            return None;
        }
        let normal = b.minus(&a).cross(&c.minus(&a));
        let (height, speed) = (normal.dot(&a.minus(&o)), normal.dot(&v));
        let entering = sides[0] < 0;
        assert_eq!(sign(&speed), sides[0], "a line passes its triangle's edges as it passes its plane");
        let time = if entering { [-height, -speed] } else { [height, speed] };
        (sign(&time[0]) >= 0).then_some(RayCrossing { triangle, entering, time })
    };
    let mut found: Vec<RayCrossing> = triangles.into_iter().enumerate().filter_map(crossing).collect();
    found.sort_by(|x, y| x.cmp_time(y).then(x.triangle.cmp(&y.triangle)));
    found
}

/// On which side of a line an edge passes it: the sign of v · ((p − o − e) × (q − o − e)) for a small e.
fn side(o: &Integers, v: &Integers, p: &Integers, q: &Integers) -> i32 {
    let (x, y) = (p.minus(o), q.minus(o));
    let whole = sign(&v.dot(&x.cross(&y)));
    if whole != 0 {
        return whole;
    }
    // −v · (e × y + x × e) for a unit e along each axis.
    let axis = |k: usize| Integers([0, 1, 2].map(|i| BigInt::from(u8::from(i == k))));
    let step = |k: usize| -sign(&(v.dot(&axis(k).cross(&y)) + v.dot(&x.cross(&axis(k)))));
    (0..3).map(step).find(|&s| s != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_the_diagonal_of_a_square_belongs_to_one_half() {
        let [a, b, c, d] =
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0));
        for at in [0.0, 0.25, 0.5, 0.75] {
            let found = ray_crossings([[a, b, c], [a, c, d]], &Point3::new(at, at, 3.0), &-Vector3::z());
            assert_eq!(found.len(), 1);
            assert!(found[0].entering && found[0].is_at(3.0) && !found[0].is_at(3.0f64.next_up()));
        }
        // A step towards +x and +y from the last corner leads out of the square.
        assert!(
            ray_crossings([[a, b, c], [a, c, d]], &Point3::new(1.0, 1.0, 3.0), &-Vector3::z()).is_empty()
        );
        assert!(ray_crossings([[a, b, c]], &Point3::new(0.5, 0.25, 3.0), &Vector3::z()).is_empty(), "behind");
        assert!(ray_crossings([[a, b, c]], &Point3::new(0.5, 0.25, 0.0), &Vector3::z())[0].is_at(0.0));
    }
}
