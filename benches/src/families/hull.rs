//! Convex hulls of points in a plane.

/// Returns the corners of the convex hull, counter-clockwise.
///
/// Source: Andrew, "Another Efficient Algorithm for Convex Hulls in Two Dimensions", 1979.
pub fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut corners: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = corners[..]
                && turn(a, b, p) <= 0.0
            {
                corners.pop();
            }
            corners.push(p);
        }
        corners.pop();
        corners
    };
    let mut corners = chain(&mut sorted.iter().copied());
    corners.extend(chain(&mut sorted.iter().rev().copied()));
    corners
}

/// Returns how far a point is inside the convex hull of others; negative for a point outside, and
/// for points on one line.
pub fn margin(p: [f64; 2], points: &[[f64; 2]]) -> f64 {
    let corners = hull(points);
    if corners.len() < 3 {
        return f64::NEG_INFINITY;
    }
    let sides = (0..corners.len()).map(|k| {
        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
        turn(a, b, p) / (b[0] - a[0]).hypot(b[1] - a[1])
    });
    sides.fold(f64::INFINITY, f64::min)
}

/// Returns twice the signed area of three points.
fn turn(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}
