//! Convex hull of a patch's candidates in the contact plane.

use nalgebra::Vector2;

/// Twice the signed area of the triangle `a b c`; positive where they turn left.
#[inline]
pub(crate) fn turn(a: &Vector2<f64>, b: &Vector2<f64>, c: &Vector2<f64>) -> f64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// A convex hull, and what it takes to find one.
#[derive(Debug, Default)]
pub(crate) struct Hull {
    order: Vec<u32>,
    /// Indices of its corners, counter-clockwise, from the leftmost on.
    pub corners: Vec<u32>,
}

impl Hull {
    /// Finds the corners of the points' hull; of points at the same place the one with the lowest index. One or two
    /// corners where the points are one or in a line. Source: Andrew 1979, "Another efficient algorithm for convex
    /// hulls in two dimensions".
    pub fn find(&mut self, points: &[Vector2<f64>]) {
        let Hull { order, corners } = self;
        corners.clear();
        order.clear();
        order.extend(0..points.len() as u32);
        let at = |i: u32| &points[i as usize];
        order.sort_unstable_by(|&i, &j| {
            let (p, q) = (at(i), at(j));
            p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(i.cmp(&j))
        });
        order.dedup_by(|later, first| at(*later) == at(*first));
        if order.len() < 3 {
            corners.extend_from_slice(order);
            return;
        }
        let mut half = |points: &mut dyn Iterator<Item = u32>| {
            let base = corners.len();
            for i in points {
                while corners.len() >= base + 2
                    && turn(at(corners[corners.len() - 2]), at(corners[corners.len() - 1]), at(i)) <= 0.0
                {
                    corners.pop();
                }
                corners.push(i);
            }
            corners.pop();
        };
        half(&mut order.iter().copied());
        half(&mut order.iter().rev().copied());
    }
}

/// Takes corners away until at most `most` (≥ 4) are left, each time the one whose ear is smallest, but
/// never so that the hull comes to lie further from `keep`: where that is inside no ear that holds it
/// goes, where it is outside the corners of the nearest edge stay. (Either forbids two corners at most,
/// so there is always one to take.)
pub(crate) fn thin(hull: &mut Vec<u32>, points: &[Vector2<f64>], most: usize, keep: &Vector2<f64>) {
    let most = most.max(4);
    if hull.len() <= most {
        return;
    }
    let nearest = nearest_edge(hull, points, keep);
    while hull.len() > most {
        let n = hull.len();
        let mut least: Option<(f64, usize)> = None;
        for k in 0..n {
            let corner = |i: usize| &points[hull[i % n] as usize];
            let (before, here, after) = (corner(k + n - 1), corner(k), corner(k + 1));
            let holds = match nearest {
                Some(edge) => edge.contains(&hull[k]),
                None => {
                    turn(before, here, keep) >= 0.0
                        && turn(here, after, keep) >= 0.0
                        && turn(after, before, keep) > 0.0
                }
            };
            let ear = turn(before, here, after);
            if !holds && least.is_none_or(|(area, _)| ear < area) {
                least = Some((ear, k));
            }
        }
        let Some((_, k)) = least else { return };
        hull.remove(k);
    }
}

/// The corners of the hull's edge nearest to a point outside; `None` for one inside.
fn nearest_edge(hull: &[u32], points: &[Vector2<f64>], outside: &Vector2<f64>) -> Option<[u32; 2]> {
    let mut nearest: Option<(f64, [u32; 2])> = None;
    for k in 0..hull.len() {
        let edge = [hull[k], hull[(k + 1) % hull.len()]];
        let [a, b] = edge.map(|i| &points[i as usize]);
        if turn(a, b, outside) < 0.0 {
            let along = b - a;
            let t = ((outside - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let distance = (outside - a - along * t).norm();
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, edge));
            }
        }
    }
    nearest.map(|(_, edge)| edge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn convex_hull(points: &[Vector2<f64>]) -> Vec<u32> {
        let mut hull = Hull { order: vec![7; 9], corners: vec![3; 5] };
        hull.find(points);
        hull.corners
    }

    fn inside(hull: &[u32], points: &[Vector2<f64>], p: &Vector2<f64>, slack: f64) -> bool {
        (0..hull.len()).all(|k| {
            let (a, b) = (&points[hull[k] as usize], &points[hull[(k + 1) % hull.len()] as usize]);
            turn(a, b, p) >= -slack
        })
    }

    #[test]
    fn a_grid_has_four_corners() {
        let points: Vec<_> = (0..25).map(|i| Vector2::new(f64::from(i % 5), f64::from(i / 5))).collect();
        assert_eq!(convex_hull(&points), [0, 4, 24, 20]);
    }

    #[test]
    fn points_in_a_line_have_two_ends() {
        let points: Vec<_> = [2.0, 0.0, 1.0, 0.0].iter().map(|&x| Vector2::new(x, x)).collect();
        assert_eq!(convex_hull(&points), [1, 0]);
        assert_eq!(convex_hull(&points[..1]), [0]);
        assert!(convex_hull(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn it_is_convex_and_holds_every_point(xs in prop::collection::vec(-8i32..8, 2..80)) {
            let points: Vec<_> = xs.chunks_exact(2).map(|p| Vector2::new(f64::from(p[0]), f64::from(p[1]))).collect();
            let hull = convex_hull(&points);
            if hull.len() >= 3 {
                for k in 0..hull.len() {
                    let corner = |i: usize| &points[hull[i % hull.len()] as usize];
                    prop_assert!(turn(corner(k), corner(k + 1), corner(k + 2)) > 0.0);
                }
                for p in &points {
                    prop_assert!(inside(&hull, &points, p, 0.0));
                }
            }
        }

        #[test]
        fn thinning_keeps_a_point_inside(n in 13usize..60, at in 0.0..1.0f64, reach in 0.0..1.0f64) {
            let circle = |t: f64| Vector2::new(t.cos(), t.sin());
            let points: Vec<_> = (0..n).map(|i| circle(i as f64 / n as f64 * std::f64::consts::TAU)).collect();
            let mut hull = convex_hull(&points);
            let apothem = (std::f64::consts::PI / n as f64).cos();
            let keep = circle(at * std::f64::consts::TAU) * (reach * apothem);
            thin(&mut hull, &points, 12, &keep);
            prop_assert_eq!(hull.len(), 12);
            prop_assert!(inside(&hull, &points, &keep, 1e-12));
        }
    }
}
