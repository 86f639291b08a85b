//! Polygons to triangles.

use nalgebra::{Point3, Vector3};
use robust::{Coord, orient2d};

/// Polygons with more corners than this are cut as a fan, whatever their shape: cutting ears takes
/// time with the square of the corners and more.
const MOST_CORNERS: usize = 512;

/// Cuts a polygon into triangles of the same turning sense: a convex one as a fan around its first
/// corner, any other by cutting off ears in its plane. Fewer than three corners give nothing, and
/// indices out of range are passed on in a fan.
///
/// Source of the ears: Meisters, "Polygons Have Ears", 1975.
pub(super) fn triangulate(vertices: &[Point3<f64>], polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    if polygon.len() > 3 && polygon.len() <= MOST_CORNERS {
        let corners: Option<Vec<Point3<f64>>> =
            polygon.iter().map(|&v| vertices.get(v as usize).copied()).collect();
        let flat = corners.and_then(|corners| flattened(&corners)).filter(|flat| !is_convex(flat));
        if flat.is_some_and(|flat| cut_ears(&flat, polygon, triangles)) {
            return;
        }
    }
    for pair in polygon.get(1..).unwrap_or_default().windows(2) {
        triangles.push([polygon[0], pair[0], pair[1]]);
    }
}

/// The corners seen against the polygon's normal (Newell's), counter-clockwise; `None` where there
/// is no normal.
fn flattened(corners: &[Point3<f64>]) -> Option<Vec<Coord<f64>>> {
    let mut normal = Vector3::zeros();
    for (k, a) in corners.iter().enumerate() {
        let b = &corners[(k + 1) % corners.len()];
        normal += (a - corners[0]).cross(&(b - corners[0]));
    }
    let axis = normal.iamax();
    let (i, j) =
        if normal[axis] > 0.0 { ((axis + 1) % 3, (axis + 2) % 3) } else { ((axis + 2) % 3, (axis + 1) % 3) };
    (normal[axis] != 0.0).then(|| corners.iter().map(|p| Coord { x: p[i], y: p[j] }).collect())
}

fn is_convex(flat: &[Coord<f64>]) -> bool {
    let n = flat.len();
    (0..n).all(|k| orient2d(flat[k], flat[(k + 1) % n], flat[(k + 2) % n]) >= 0.0)
}

/// Cuts ears until a triangle is left. False, and nothing cut, where there is no ear (the polygon
/// crosses itself).
fn cut_ears(flat: &[Coord<f64>], polygon: &[u32], triangles: &mut Vec<[u32; 3]>) -> bool {
    let start = triangles.len();
    let mut left: Vec<usize> = (0..flat.len()).collect();
    while left.len() > 3 {
        let n = left.len();
        let Some(tip) = (0..n).find(|&k| is_ear(flat, &left, k)) else {
            triangles.truncate(start);
            return false;
        };
        triangles.push([(tip + n - 1) % n, tip, (tip + 1) % n].map(|k| polygon[left[k]]));
        left.remove(tip);
    }
    triangles.push([0, 1, 2].map(|k: usize| polygon[left[k]]));
    true
}

/// Whether the corner sticks out and no other corner lies in the triangle it makes with its
/// neighbours.
fn is_ear(flat: &[Coord<f64>], left: &[usize], tip: usize) -> bool {
    let n = left.len();
    let [a, b, c] = [(tip + n - 1) % n, tip, (tip + 1) % n].map(|k| flat[left[k]]);
    orient2d(a, b, c) > 0.0
        && left.iter().map(|&k| flat[k]).all(|p| {
            p == a
                || p == b
                || p == c
                || orient2d(a, b, p) < 0.0
                || orient2d(b, c, p) < 0.0
                || orient2d(c, a, p) < 0.0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area of triangles in the plane z = 0; every one must turn counter-clockwise.
    fn area(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> f64 {
        let double = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).xy().perp(&(c - a).xy())
        };
        assert!(triangles.iter().all(|t| double(t) >= 0.0), "{triangles:?}");
        triangles.iter().map(double).sum()
    }

    #[test]
    fn a_letter_l_is_cut_without_folding_over() {
        // A 2 × 2 square without its upper right quarter, started at every corner.
        let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        for first in 0..6 {
            let vertices: Vec<_> =
                (0..6).map(|k| l[(k + first) % 6]).map(|[x, y]| Point3::new(x, y, 0.0)).collect();
            let mut triangles = Vec::new();
            triangulate(&vertices, &[0, 1, 2, 3, 4, 5], &mut triangles);
            assert_eq!(triangles.len(), 4);
            assert_eq!(area(&vertices, &triangles), 6.0);
        }
    }

    #[test]
    fn a_convex_polygon_is_a_fan_and_small_ones_give_nothing() {
        let vertices = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0));
        let mut triangles = Vec::new();
        triangulate(&vertices, &[], &mut triangles);
        triangulate(&vertices, &[2], &mut triangles);
        triangulate(&vertices, &[2, 3], &mut triangles);
        assert!(triangles.is_empty());
        triangulate(&vertices, &[0, 1, 2, 3], &mut triangles);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn a_polygon_that_crosses_itself_or_names_no_vertex_still_gives_triangles() {
        let vertices = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0));
        let mut triangles = Vec::new();
        triangulate(&vertices, &[0, 1, 2, 3], &mut triangles);
        triangulate(&vertices, &[0, 1, 2, 9], &mut triangles);
        assert_eq!(triangles.len(), 4);
    }
}
