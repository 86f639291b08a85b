//! Whether two closed triangles share a point, by separating axes.
//!
//! Two convex sets are apart if and only if a plane separates them strictly. Of two polygons in space such a
//! plane can be chosen parallel to one of them, or to an edge of each; where both lie in one plane,
//! perpendicular to that plane along an edge; where both lie on one line, perpendicular to the line. All of these
//! are asked, so triangles that have shrunk to a segment or a point need no case of their own but the last.

use nalgebra::Point3;
use num_bigint::BigInt;

use crate::exact::{Integers, certain_orientation, integers, orientation};

/// A triangle's corners (m).
type Corners = [Point3<f64>; 3];

/// Whether two closed triangles share a point. Exact.
pub fn triangles_touch(s: &Corners, t: &Corners) -> bool {
    if certainly_apart(s, t) {
        return false;
    }
    certainly_cross(s, t) || !apart(s, t)
}

/// Whether an edge of one triangle passes through the inside of the other. Exact.
pub(crate) fn triangles_cross(s: &Corners, t: &Corners) -> bool {
    certainly_cross(s, t) || pierced(s, t, |p, q| Some(orientation(p, q)))
}

fn certainly_cross(s: &Corners, t: &Corners) -> bool {
    pierced(s, t, certain_orientation)
}

fn pierced(
    s: &Corners,
    t: &Corners,
    orient: impl Fn(&Point3<f64>, [&Point3<f64>; 3]) -> Option<i32>,
) -> bool {
    let through = |[p, q]: [&Point3<f64>; 2], [a, b, c]: [&Point3<f64>; 3]| {
        let strict = |p: &Point3<f64>, corners| orient(p, corners).filter(|&sign| sign != 0);
        let (Some(from), Some(to)) = (strict(p, [a, b, c]), strict(q, [a, b, c])) else { return false };
        from != to && {
            let turn = strict(p, [q, a, b]);
            turn.is_some() && turn == strict(p, [q, b, c]) && turn == strict(p, [q, c, a])
        }
    };
    [(s, t), (t, s)].iter().any(|(edges, face)| {
        (0..3).any(|k| through([&edges[k], &edges[(k + 1) % 3]], [&face[0], &face[1], &face[2]]))
    })
}

/// Whether an axis that `f64` finds separates the triangles by more than rounding. Any axis is as good as its
/// word, so it does not matter that it is rounded itself.
fn certainly_apart(s: &Corners, t: &Corners) -> bool {
    let edges = |t: &Corners| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (e, f) = (edges(s), edges(t));
    let axes = [e[0].cross(&e[1]), f[0].cross(&f[1])]
        .into_iter()
        .chain(e.iter().flat_map(|e| f.iter().map(|f| e.cross(f))));
    // Sums of products of ordinary size: nothing underflows that matters.
    axes.filter(|axis| axis.iter().all(|x| x.is_finite()) && axis.amax() > 1e-140).any(|axis| {
        let reach = |t: &Corners| {
            let rounding = |v: &Point3<f64>| 8.0 * f64::EPSILON * axis.abs().dot(&v.coords.abs());
            let along = t.map(|v| [axis.dot(&v.coords), rounding(&v)]);
            let low = along.iter().map(|[x, error]| x - error).fold(f64::INFINITY, f64::min);
            let high = along.iter().map(|[x, error]| x + error).fold(f64::NEG_INFINITY, f64::max);
            [low - 1e-280, high + 1e-280]
        };
        let ([s_low, s_high], [t_low, t_high]) = (reach(s), reach(t));
        s_high < t_low || t_high < s_low
    })
}

/// Whether some plane separates the triangles strictly. Exact.
fn apart(s: &Corners, t: &Corners) -> bool {
    let [a, b, c, p, q, r] = integers([&s[0], &s[1], &s[2], &t[0], &t[1], &t[2]]);
    let (s, t) = ([a, b, c], [p, q, r]);
    let edges = |t: &[Integers; 3]| [t[1].minus(&t[0]), t[2].minus(&t[1]), t[0].minus(&t[2])];
    let (e, f) = (edges(&s), edges(&t));
    let mut axes = vec![e[0].cross(&e[1]), f[0].cross(&f[1])];
    axes.extend(e.iter().flat_map(|e| f.iter().map(|f| e.cross(f))));
    axes.retain(|axis| !axis.is_zero());
    if axes.iter().any(|axis| separates(axis, &s, &t)) {
        return true;
    }
    let mut edges = e.iter().chain(&f).filter(|edge| !edge.is_zero());
    match (axes.first(), edges.next()) {
        (Some(normal), Some(first)) => {
            std::iter::once(first).chain(edges).any(|edge| separates(&normal.cross(edge), &s, &t))
        }
        // All on parallel lines: on one line, or apart.
        (None, Some(line)) => !line.cross(&t[0].minus(&s[0])).is_zero() || separates(line, &s, &t),
        // Two points.
        _ => s[0] != t[0],
    }
}

fn separates(axis: &Integers, s: &[Integers; 3], t: &[Integers; 3]) -> bool {
    let reach = |t: &[Integers; 3]| -> [BigInt; 2] {
        let [a, b, c] = [0, 1, 2].map(|k| axis.dot(&t[k]));
        [a.clone().min(b.clone()).min(c.clone()), a.max(b).max(c)]
    };
    let ([s_low, s_high], [t_low, t_high]) = (reach(s), reach(t));
    s_high < t_low || t_high < s_low
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;

    /// The middle of a triangle (m).
    fn middle(t: &Corners) -> Vector3<f64> {
        (t[0].coords + t[1].coords + t[2].coords) / 3.0
    }

    fn triangle(corners: [[f64; 3]; 3]) -> Corners {
        corners.map(Point3::from)
    }

    /// Every way for two triangles to meet or to miss, written down by hand.
    #[test]
    fn cases_by_hand() {
        let base = triangle([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        let tiny = f64::from_bits(1);
        let cases = [
            ("pierced", [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]], true),
            ("a corner on the face", [[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]], true),
            ("a corner just above the face", [[1.0, 1.0, tiny], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]], false),
            ("a corner on a corner", [[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [-1.0, -1.0, 1.0]], true),
            ("a shared edge", [[4.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, -3.0, 1.0]], true),
            ("edges that cross", [[2.0, -1.0, -1.0], [2.0, 1.0, 1.0], [2.0, -9.0, 1.0]], true),
            (
                "edges that just miss",
                [[2.0, -1.0 - 1e-15, -1.0], [2.0, 1.0 - 1e-15, 1.0], [2.0, -9.0, 1.0]],
                false,
            ),
            ("inside, in the plane", [[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]], true),
            ("around, in the plane", [[-9.0, -9.0, 0.0], [99.0, -9.0, 0.0], [-9.0, 99.0, 0.0]], true),
            ("beside, in the plane", [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]], false),
            ("beside the long edge", [[2.0, 2.0 + 1e-15, 0.0], [4.0, 4.0, 0.0], [3.0, 4.0, 0.0]], false),
            ("touching the long edge", [[2.0, 2.0, 0.0], [4.0, 4.0, 0.0], [3.0, 4.0, 0.0]], true),
            ("parallel above", [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]], false),
            ("a segment through", [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.5]], true),
            ("a segment in the plane", [[-1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [2.0, 1.0, 0.0]], true),
            ("a segment beside in the plane", [[-1.0, -1.0, 0.0], [9.0, -1.0, 0.0], [2.0, -1.0, 0.0]], false),
            ("a point on the face", [[1.0, 1.0, 0.0]; 3], true),
            ("a point above", [[1.0, 1.0, 1e-300]; 3], false),
            ("a point in the plane, outside", [[3.0, 3.0, 0.0]; 3], false),
        ];
        for (name, other, expected) in cases {
            let other = triangle(other);
            for turn in 0..3 {
                let turned = [0, 1, 2].map(|k| other[(k + turn) % 3]);
                assert_eq!(triangles_touch(&base, &turned), expected, "{name}");
                assert_eq!(triangles_touch(&turned, &base), expected, "{name}");
            }
        }
        let line = triangle([[0.0; 3], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]);
        let on = |from: f64, to: f64| {
            triangle([[from, 2.0 * from, 3.0 * from], [to, 2.0 * to, 3.0 * to], [to, 2.0 * to, 3.0 * to]])
        };
        assert!(triangles_touch(&line, &on(2.0, 3.0)) && !triangles_touch(&line, &on(2.5, 3.0)));
        let beside = on(0.0, 1.0).map(|p| p + Vector3::x());
        assert!(!triangles_touch(&line, &beside));
        let [p, q] = [[0.1; 3], [0.2; 3]].map(|p| triangle([p; 3]));
        assert!(triangles_touch(&p, &p) && !triangles_touch(&p, &q));
    }

    proptest! {
        /// Triangles that share a point by construction, and triangles on both sides of a plane.
        #[test]
        fn what_is_made_to_touch_touches(
            s in prop::array::uniform3(prop::array::uniform3(-8..8i32)),
            t in prop::array::uniform3(prop::array::uniform3(-8..8i32)),
            weights in prop::array::uniform4(0..4i32),
            scale in -40..40i32,
        ) {
            let scale = 2f64.powi(scale);
            let [s, mut t] = [s, t].map(|t| t.map(|p| Point3::from(p.map(|x| f64::from(x) * 12.0 * scale))));
            // Barycentric weights in twelfths keep every coordinate an integer.
            let at = |t: &Corners, u: i32, v: i32| {
                t[0] + ((t[1] - t[0]) * f64::from(u) + (t[2] - t[0]) * f64::from(v)) / 12.0
            };
            let shift = at(&s, weights[0], weights[1]) - at(&t, weights[2], weights[3]);
            t = t.map(|p| p + shift);
            prop_assert!(triangles_touch(&s, &t) && triangles_touch(&t, &s));
            // Moved off along a direction by more than both are long, they are apart.
            let away = (middle(&t) - middle(&s) + Vector3::repeat(scale)).normalize() * 1000.0 * scale;
            let off = t.map(|p| p + away);
            prop_assert!(!triangles_touch(&s, &off));
        }

        /// The filter says what integers say.
        #[test]
        fn floating_point_is_right_where_it_is_certain(
            s in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)),
            t in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)),
        ) {
            let [s, t] = [s, t].map(|t| t.map(Point3::from));
            prop_assert_eq!(triangles_touch(&s, &t), !apart(&s, &t));
            prop_assert!(!certainly_cross(&s, &t) || !apart(&s, &t));
        }
    }
}
