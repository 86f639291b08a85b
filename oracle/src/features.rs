//! How far vertices, edges and faces are apart: every place that could be nearest is tried.

use nalgebra::{Point3, Vector3};

/// How far a point is from a segment (m).
pub fn point_to_segment(p: &Point3<f64>, [q, r]: &[Point3<f64>; 2]) -> f64 {
    let [to_q, to_r, along] = [p - q, p - r, r - q];
    let mut least = to_q.norm().min(to_r.norm());
    // Between the ends where both angles there are acute.
    if to_q.dot(&along) > 0.0 && to_r.dot(&along) < 0.0 {
        least = least.min(to_q.cross(&along).norm() / along.norm());
    }
    least
}

/// How far a point is from a triangle (m).
pub fn point_to_triangle(p: &Point3<f64>, t: &[Point3<f64>; 3]) -> f64 {
    let edges = (0..3).map(|k| point_to_segment(p, &[t[k], t[(k + 1) % 3]]));
    let least = edges.fold(f64::INFINITY, f64::min);
    let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
    // Over the inside where it is on the inner side of three walls that stand on the edges.
    let over = (0..3).all(|k| normal.cross(&(t[(k + 1) % 3] - t[k])).dot(&(p - t[k])) > 0.0);
    if over { least.min((normal.dot(&(p - t[0])) / normal.norm()).abs()) } else { least }
}

/// How far along two segments, from 0 to 1 where it is inside, the nearest places of their lines are; none of parallel lines.
pub fn nearest_of_lines([p, q]: &[Point3<f64>; 2], [r, s]: &[Point3<f64>; 2]) -> Option<[f64; 2]> {
    let (u, v): (Vector3<f64>, Vector3<f64>) = (q - p, s - r);
    let across = u.cross(&v);
    let size = across.norm_squared();
    let shares = [(r - p).cross(&v).dot(&across) / size, (r - p).cross(&u).dot(&across) / size];
    shares.iter().all(|share| share.is_finite()).then_some(shares)
}

/// How far two segments are apart (m).
pub fn segment_to_segment(a: &[Point3<f64>; 2], b: &[Point3<f64>; 2]) -> f64 {
    let ends = [
        point_to_segment(&a[0], b),
        point_to_segment(&a[1], b),
        point_to_segment(&b[0], a),
        point_to_segment(&b[1], a),
    ];
    let least = ends.into_iter().fold(f64::INFINITY, f64::min);
    let inside = nearest_of_lines(a, b).filter(|shares| shares.iter().all(|s| (0.0..=1.0).contains(s)));
    let at = |s: &[Point3<f64>; 2], share: f64| s[0] + (s[1] - s[0]) * share;
    inside.map_or(least, |[x, y]| least.min((at(a, x) - at(b, y)).norm()))
}
