//! Orientation as seen along a direction: the sign of v · ((b − a) × (d − c)).

use nalgebra::{Point3, Vector3};

use super::expansion::{Double, triple_product};

/// What rounding can do to [`cross_along`], part of the magnitudes: each of the six terms takes two rounded
/// differences, a product, a difference of products, a product and two sums: 7 roundings, (1 + u)⁷ − 1 < 7.001 u with
/// u = 2⁻⁵³; ten leaves room for rounding the bound itself, whose every sum and product is off by u at most.
const ROUNDING: f64 = 10.0 * (f64::EPSILON / 2.0);

/// Three points as seen along `v`: positive where `a`, `b`, `c` turn counterclockwise for one towards whom `v` points,
/// negative where they turn clockwise, zero where they are seen in one line. About `v` · ((b − a) × (c − a)): the area
/// (m²) of the parallelogram as it is seen, times the length of `v`.
///
/// Exact: the sign is right for any points and direction in the module's range; the magnitude is approximate.
///
/// ```
/// use impinge_geometry::predicate::orient_along;
/// use nalgebra::{Point3, Vector3};
///
/// let [a, b, c] = [Point3::origin(), Point3::new(1.0, 0.0, 5.0), Point3::new(0.0, 1.0, -7.0)];
/// assert!(orient_along(&Vector3::z(), &a, &b, &c) > 0.0);
/// assert!(orient_along(&-Vector3::z(), &a, &b, &c) < 0.0);
/// assert_eq!(orient_along(&(b - a), &a, &b, &c), 0.0);
/// ```
#[inline]
pub fn orient_along(v: &Vector3<f64>, a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>) -> f64 {
    cross_along(v, [a, b], [a, c])
}

/// `v` · ((b − a) × (d − c)) of two edges: the area that they span as seen along `v`. The sign is exact, although
/// neither difference need be an `f64`; the magnitude is approximate.
#[inline]
pub fn cross_along(v: &Vector3<f64>, [a, b]: [&Point3<f64>; 2], [c, d]: [&Point3<f64>; 2]) -> f64 {
    let (x, y) = (b - a, d - c);
    let (x0y1, x1y0) = (x.x * y.y, x.y * y.x);
    let (x1y2, x2y1) = (x.y * y.z, x.z * y.y);
    let (x2y0, x0y2) = (x.z * y.x, x.x * y.z);
    let det = v.x * (x1y2 - x2y1) + v.y * (x2y0 - x0y2) + v.z * (x0y1 - x1y0);
    let size = v.x.abs() * (x1y2.abs() + x2y1.abs())
        + v.y.abs() * (x2y0.abs() + x0y2.abs())
        + v.z.abs() * (x0y1.abs() + x1y0.abs());
    // The constant covers underflow.
    if det.abs() > ROUNDING * size + 1e-200 { det } else { exact(v, [a, b], [c, d]) }
}

#[cold]
#[inline(never)]
fn exact(v: &Vector3<f64>, [a, b]: [&Point3<f64>; 2], [c, d]: [&Point3<f64>; 2]) -> f64 {
    let between = |p: &Point3<f64>, q: &Point3<f64>| [0, 1, 2].map(|k| Double::difference(q[k], p[k]));
    triple_product([0, 1, 2].map(|k| Double::from(v[k])), between(a, b), between(c, d)).value()
}
