//! When a line passes the plane of a triangle.

use nalgebra::{Point3, Vector3};

use super::expansion::{Double, triple_product};

/// 2⁻³⁷. Sums of pairs of `f64` are off by less than 2⁻⁹⁹ of the magnitudes: where no more than this is left of them, fewer
/// than nine bits beyond an `f64` are right.
const CANCELLED: f64 = 1.0 / (1u64 << 37) as f64;

/// What is this near to the middle of two numbers is in the middle (part of the number): far more than pairs of `f64` are off
/// by, and not a power of two, of which differences of short numbers are made.
const MIDDLE: f64 = 1e-18;

/// The t at which `o + t · v` is in the plane of a triangle: at most half a unit in the last place and 1e-18 of it from the truth.
/// Not finite where the line runs along the plane ([`super::orient_along`] of the corners is zero).
///
/// The differences are exact, all else is computed with pairs of `f64`, and what cancels as an expansion.
pub fn passage_time(o: &Point3<f64>, v: &Vector3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> f64 {
    let between = |p: &Point3<f64>, q: &Point3<f64>| [0, 1, 2].map(|k| Double::difference(q[k], p[k]));
    let (x, y, w, along) =
        (between(a, b), between(a, c), between(o, a), [0, 1, 2].map(|k| Double::from(v[k])));
    let zero = Double::from(0.0);
    let (mut height, mut height_size, mut speed, mut speed_size) = (zero, 0.0, zero, 0.0);
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let (left, right) = (x[i].times(y[j]), x[j].times(y[i]));
        let (normal, size) = (left.minus(right), left.value().abs() + right.value().abs());
        height = height.plus(normal.times(w[k]));
        speed = speed.plus(normal.times(along[k]));
        height_size += w[k].value().abs() * size;
        speed_size += v[k].abs() * size;
    }
    for (sum, size, factor) in [(&mut height, height_size, w), (&mut speed, speed_size, along)] {
        if sum.value().abs() <= size * CANCELLED {
            *sum = triple_product(factor, x, y);
        }
    }
    let first = height.value() / speed.value();
    let rest = height.minus(speed.times(Double::from(first)));
    nearest(first, rest.value() / speed.value())
}

/// The sum of a quotient and what it lacks, rounded to nearest; next to the middle of two numbers to the one that is nearer
/// to zero. Points and triangles of few digits often give times in the very middle: what lies in a tie of several
/// triangles has to be rounded to one side from all of them.
fn nearest(quotient: f64, lacks: f64) -> f64 {
    let sum = quotient + lacks;
    let off = lacks - (sum - quotient);
    let inner = if sum > 0.0 { sum.next_down() } else { sum.next_up() };
    if !off.is_finite() {
        quotient
    } else if off * sum < 0.0 && (2.0 * off - (inner - sum)).abs() < MIDDLE * sum.abs() {
        inner
    } else {
        sum
    }
}
