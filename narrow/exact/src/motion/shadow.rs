//! Does a triangle meet another on its way along a line? Decided by signs.
//!
//! They do if their shadows along the way share a point, and there the way is neither too long nor too short. Shadows are
//! compared by orientations as seen along the way; on which side of A some point of B's shadow stands, by orientations in space.
//! The times at which they meet are one interval: where they touch neither at the start nor at the end, one point tells.
//! All signs are exact; B's corners at the end are rounded.

use impinge_geometry::predicate::{cross_along, orient_along, orient3d, triangles_touch};
use nalgebra::{Point3, Vector3};

type Corners = [Point3<f64>; 3];

/// Whether `b`, moved along `way`, shares a point with `a` anywhere on it; `None` where both are seen edge on, which these
/// signs do not tell.
pub(super) fn meets(a: &Corners, b: &Corners, way: &Vector3<f64>) -> Option<bool> {
    if triangles_touch(a, b) {
        return Some(true);
    }
    if *way == Vector3::zeros() {
        return Some(false);
    }
    let end = b.map(|p| p + way);
    if triangles_touch(a, &end) {
        return Some(true);
    }
    match side(a, b, way) {
        Side::Apart => Some(false),
        Side::Unknown => None,
        Side::Sign(sign) if sign <= 0.0 => Some(false),
        Side::Sign(_) => match side(a, &end, way) {
            Side::Sign(sign) => Some(sign < 0.0),
            // In rounding the shadow has moved.
            Side::Apart | Side::Unknown => None,
        },
    }
}

/// Where a triangle stands along a direction.
enum Side {
    /// Their shadows share no point.
    Apart,
    /// Positive where B has to go along the direction to meet A, negative where it has to go against it.
    Sign(f64),
    Unknown,
}

fn side(a: &Corners, b: &Corners, way: &Vector3<f64>) -> Side {
    let turns = [orient(way, a), orient(way, b)];
    // A corner of one in the shadow of the other.
    for p in b.iter().filter(|_| turns[0] != 0.0) {
        if covers(way, a, turns[0], p) {
            return Side::Sign(orient3d(&a[0], &a[1], &a[2], p).signum() * turns[0].signum());
        }
    }
    for p in a.iter().filter(|_| turns[1] != 0.0) {
        if covers(way, b, turns[1], p) {
            return Side::Sign(-orient3d(&b[0], &b[1], &b[2], p).signum() * turns[1].signum());
        }
    }
    // Edges whose shadows cross.
    let mut aligned = false;
    for (p, q) in edges(a) {
        for (r, s) in edges(b) {
            let cross = cross_along(way, [p, q], [r, s]);
            let on_pq = [orient_along(way, p, q, r), orient_along(way, p, q, s)];
            let on_rs = [orient_along(way, r, s, p), orient_along(way, r, s, q)];
            let parted = |of: [f64; 2]| (of[0] > 0.0 && of[1] > 0.0) || (of[0] < 0.0 && of[1] < 0.0);
            if parted(on_pq) || parted(on_rs) {
                continue;
            }
            if cross == 0.0 {
                // In one line, or one of them is a point: whether they share any is not asked here.
                aligned = true;
                continue;
            }
            return Side::Sign(orient3d(p, q, s, r).signum() * cross.signum());
        }
    }
    if aligned && turns == [0.0; 2] { Side::Unknown } else { Side::Apart }
}

fn orient(way: &Vector3<f64>, t: &Corners) -> f64 {
    orient_along(way, &t[0], &t[1], &t[2])
}

/// Whether the shadow of a triangle that turns by `turn` holds that of a point, borders included.
fn covers(way: &Vector3<f64>, t: &Corners, turn: f64, p: &Point3<f64>) -> bool {
    edges(t).all(|(q, r)| orient_along(way, q, r, p) * turn.signum() >= 0.0)
}

fn edges(t: &Corners) -> impl Iterator<Item = (&Point3<f64>, &Point3<f64>)> {
    (0..3).map(|k| (&t[k], &t[(k + 1) % 3]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::linear::meeting_times;

    /// A fraction with a positive denominator.
    type Fraction = (i128, i128);

    fn dot(u: [i128; 3], v: [i128; 3]) -> i128 {
        u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
    }

    fn cross(u: [i128; 3], v: [i128; 3]) -> [i128; 3] {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    }

    fn minus(u: [i128; 3], v: [i128; 3]) -> [i128; 3] {
        [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
    }

    fn less(x: Fraction, y: Fraction) -> bool {
        x.0 * y.1 < y.0 * x.1
    }

    /// When the triangles first meet, in fractions: every axis that can part them, degenerate ones included.
    fn first_time(a: [[i128; 3]; 3], b: [[i128; 3]; 3], way: [i128; 3]) -> Option<Fraction> {
        let edges = |t: [[i128; 3]; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
        let (of_a, of_b) = (edges(a), edges(b));
        let normals = [cross(of_a[0], of_a[1]), cross(of_b[0], of_b[1])];
        let mut axes = normals.to_vec();
        axes.extend(of_a.iter().flat_map(|&e| of_b.map(|f| cross(e, f))));
        for n in normals {
            axes.extend(of_a.iter().chain(&of_b).map(|&e| cross(n, e)));
        }
        let (mut begin, mut end): (Fraction, Fraction) = ((0, 1), (1, 1));
        for axis in axes {
            let heights = |t: [[i128; 3]; 3]| {
                let h = t.map(|p| dot(axis, p));
                (h.into_iter().min().unwrap(), h.into_iter().max().unwrap())
            };
            let ((low_a, high_a), (low_b, high_b)) = (heights(a), heights(b));
            let (low, high, speed) = (low_a - high_b, high_a - low_b, dot(axis, way));
            if speed == 0 {
                if low > 0 || high < 0 {
                    return None;
                }
                continue;
            }
            let (first, last) =
                if speed > 0 { ((low, speed), (high, speed)) } else { ((-high, -speed), (-low, -speed)) };
            if less(begin, first) {
                begin = first;
            }
            if less(last, end) {
                end = last;
            }
        }
        (!less(end, begin)).then_some(begin)
    }

    #[test]
    fn casts_of_triangles_are_those_in_fractions() {
        let mut state = 7u64;
        let mut whole = |size: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % (2 * size + 1)) as i128 - size as i128
        };
        let (mut hits, mut undecided, mut degenerate) = (0, 0, 0);
        let total = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
        for n in 0..total {
            // On small lattices most is degenerate: parallel, edge on, corner on corner.
            let size = [2, 5, 40, 1000][n % 4];
            let [mut a, mut b] = [0; 2].map(|_| [0; 3].map(|_| [0; 3].map(|_| whole(size))));
            if n % 5 == 0 {
                a = a.map(|p| [p[0], p[1], 0]);
            }
            if n % 10 == 0 {
                b = b.map(|p| [p[0], p[1], 3]);
            }
            let way = [0; 3].map(|_| whole(2 * size));
            let area = |t: [[i128; 3]; 3]| cross(minus(t[1], t[0]), minus(t[2], t[0])) != [0; 3];
            if !area(a) || !area(b) {
                continue;
            }
            let expected = first_time(a, b, way);
            let place = |t: [[i128; 3]; 3]| t.map(|p| Point3::from(p.map(|x| x as f64)));
            let (p, q, v) = (place(a), place(b), Vector3::from(way.map(|x| x as f64)));
            let found = meets(&p, &q, &v);
            hits += u32::from(expected.is_some());
            undecided += u32::from(found.is_none());
            if let Some(found) = found {
                assert_eq!(found, expected.is_some(), "{a:?} {b:?} {way:?}");
            }
            let times = meeting_times([&p, &q], &v, [0.0, 1.0]);
            if let Some((above, below)) = expected {
                let time = above as f64 / below as f64;
                let begin = times.expect("nothing that meets is lost").begin;
                assert!(begin <= time && time - begin < 1e-8, "{begin} for {time}: {a:?} {b:?} {way:?}");
                degenerate += u32::from(above == 0);
            }
        }
        let total = total as u32;
        assert!(
            hits > total / 10 && undecided < total / 50 && degenerate > 0,
            "{hits} {undecided} {degenerate}"
        );
    }
}
