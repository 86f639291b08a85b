//! How often a closed surface winds round a point: the signed count of triangles that a ray from the point
//! crosses.
//!
//! A ray through an edge or a corner crosses nothing that can be counted; another ray is then tried. Two rays from
//! a point off the surface count the same.

use nalgebra::{Point3, Vector3};

use crate::exact::{certain, integers, sign};

/// Directions of rays, none in a special position to the axes or to each other.
const RAYS: [[i32; 3]; 12] = [
    [1009, 131, -613],
    [-401, 1013, 269],
    [727, -859, 1019],
    [-1021, -173, -541],
    [347, 1031, 811],
    [-967, 467, 1033],
    [83, -1039, 719],
    [1049, 577, 229],
    [-641, 883, -1051],
    [199, -379, -1061],
    [-1063, -757, 97],
    [521, 1069, -307],
];

/// How often triangles wind round `p`, counter-clockwise seen from outside; `None` for a point of their
/// surface.
pub(crate) fn winding(
    triangles: impl Iterator<Item = [Point3<f64>; 3]> + Clone,
    p: &Point3<f64>,
) -> Option<i32> {
    RAYS.iter().find_map(|ray| triangles.clone().map(|t| crossing(&t, p, ray)).sum())
}

/// +1 where the ray from `p` leaves through the triangle, −1 where it enters, 0 where it misses; `None` where it
/// meets the border, runs along the triangle or begins on it.
fn crossing(t: &[Point3<f64>; 3], p: &Point3<f64>, ray: &[i32; 3]) -> Option<i32> {
    let direction = Vector3::from(ray.map(f64::from));
    let corners = t.map(|v| v - p);
    let turns = [0, 1, 2].map(|k| certain_turn(&corners[k], &corners[(k + 1) % 3], &direction));
    // Two sides that the ray certainly passes differently.
    if turns.contains(&Some(1)) && turns.contains(&Some(-1)) {
        return Some(0);
    }
    let ahead = certain_turn(&corners[0], &corners[1], &corners[2]);
    if let ([Some(turn), Some(_), Some(_)], Some(ahead)) = (turns, ahead) {
        return Some(if ahead == turn { turn } else { 0 });
    }
    exact_crossing(t, p, ray)
}

/// Sign of a × b · c where `f64` is enough.
fn certain_turn(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Option<i32> {
    let size = a.abs();
    let (b_size, c_size) = (b.abs(), c.abs());
    let swapped = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        size[i] * b_size[j] + size[j] * b_size[i]
    };
    certain(a.cross(b).dot(c), (0..3).map(|k| swapped(k) * c_size[k]).sum())
}

fn exact_crossing(t: &[Point3<f64>; 3], p: &Point3<f64>, ray: &[i32; 3]) -> Option<i32> {
    let [p, a, b, c] = integers([p, &t[0], &t[1], &t[2]]);
    let ray = crate::exact::Integers(ray.map(num_bigint::BigInt::from));
    let [a, b, c] = [a, b, c].map(|v| v.minus(&p));
    let turns = [(&a, &b), (&b, &c), (&c, &a)].map(|(u, v)| sign(&u.cross(v).dot(&ray)));
    if turns.contains(&1) && turns.contains(&-1) {
        return Some(0);
    }
    let ahead = sign(&a.cross(&b).dot(&c));
    if turns.contains(&0) {
        // A triangle seen edge on is passed by where all of it lies on one side of the ray's lines of sight;
        // that is settled by another ray, too.
        return None;
    }
    match ahead {
        0 => None,
        _ if ahead == turns[0] => Some(turns[0]),
        _ => Some(0),
    }
}
