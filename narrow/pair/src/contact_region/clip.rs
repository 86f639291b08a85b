//! Polygons cut by the sides of cells (Sutherland and Hodgman, "Reentrant polygon clipping", 1974). Of a polygon that is
//! not convex the parts hang together by edges that run to and fro, which have no area.

use super::plane::At;

/// Keeps what of a polygon has coordinate `k` of at least `bound` (`sign` 1), or at most (−1).
pub(super) fn clip(polygon: &[At], k: usize, bound: f64, sign: f64, out: &mut Vec<At>) {
    out.clear();
    for (index, to) in polygon.iter().enumerate() {
        let from = &polygon[(index + polygon.len() - 1) % polygon.len()];
        let [a, b] = [from, to].map(|p| sign * (p[k] - bound));
        if (a < 0.0) != (b < 0.0) {
            let t = a / (a - b);
            let mut at = [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
            at[k] = bound;
            out.push(at);
        }
        if b >= 0.0 {
            out.push(*to);
        }
    }
}

/// The area of a polygon (m²), negative of a clockwise one, and its first moments about a place (m³).
pub(super) fn area(polygon: &[At], about: At) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for (index, to) in polygon.iter().enumerate() {
        let from = &polygon[(index + polygon.len() - 1) % polygon.len()];
        let [a, b] = [from, to].map(|p| [p[0] - about[0], p[1] - about[1]]);
        let twice = a[0] * b[1] - a[1] * b[0];
        sums[0] += 0.5 * twice;
        sums[1] += twice * (a[0] + b[0]) / 6.0;
        sums[2] += twice * (a[1] + b[1]) / 6.0;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A U of three unit squares and one below: cut at its arms, two squares are left, whose centre lies between them.
    #[test]
    fn a_polygon_that_is_not_convex_keeps_its_area() {
        let u =
            [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        assert_eq!(area(&u, [0.0; 2])[0], 5.0);
        let mut arms = Vec::new();
        clip(&u, 1, 1.0, 1.0, &mut arms);
        let [both, x, y] = area(&arms, [0.0; 2]);
        assert_eq!(both, 2.0);
        assert!((x - 3.0).abs() < 1e-14 && (y - 3.0).abs() < 1e-14);
        let mut left = Vec::new();
        clip(&arms, 0, 0.5, -1.0, &mut left);
        assert_eq!(area(&left, [7.0, -2.0])[0], 0.5);
    }
}
