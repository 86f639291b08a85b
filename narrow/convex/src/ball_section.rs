//! What of a triangle lies in a ball.

use nalgebra::{Point3, Vector3};

use crate::nearest::unit_normal;

/// The area vector (m², along the right-hand normal) of what of a triangle lies in a ball of `radius` (m) around the
/// origin: the plane cuts the ball in a disc, and triangle and disc share, with a sign for each edge, what of the
/// triangle of the disc's middle and the edge lies in the disc. Zero for needles.
pub fn area_in_ball(t: &[Point3<f64>; 3], radius: f64) -> Vector3<f64> {
    let Some(normal) = unit_normal(t) else { return Vector3::zeros() };
    let height = normal.dot(&t[0].coords);
    let disc = (radius - height) * (radius + height);
    if disc.is_nan() || disc <= 0.0 {
        return Vector3::zeros();
    }
    let corners = t.map(|p| p.coords - normal * height);
    let area: f64 =
        (0..3).map(|k| twice_beside_edge(&corners[k], &corners[(k + 1) % 3], &normal, disc)).sum();
    normal * (0.5 * area)
}

/// Twice the area that a disc (its radius squared, m²) around the origin shares with the triangle of the origin, `p` and `q`, which
/// lie in its plane; positive where `q` lies counterclockwise from `p` about the normal.
fn twice_beside_edge(p: &Vector3<f64>, q: &Vector3<f64>, normal: &Vector3<f64>, disc: f64) -> f64 {
    let turn = |u: &Vector3<f64>, v: &Vector3<f64>| normal.dot(&u.cross(v));
    // The sector between two directions.
    let sector = |u: &Vector3<f64>, v: &Vector3<f64>| disc * turn(u, v).atan2(u.dot(v));
    let along = q - p;
    let [square, middle] = [along.norm_squared(), -p.dot(&along)];
    if square <= 0.0 {
        return 0.0;
    }
    // Where the edge's line is nearest to the middle, and half of its chord, as parts of the edge.
    let nearest = middle / square;
    let beside = turn(p, &along);
    let chord2 = (disc - beside * beside / square) / square;
    if chord2.is_nan() || chord2 <= 0.0 {
        return sector(p, q);
    }
    let chord = chord2.sqrt();
    let [enters, leaves] = [(nearest - chord).clamp(0.0, 1.0), (nearest + chord).clamp(0.0, 1.0)];
    if enters >= leaves {
        return sector(p, q);
    }
    let [first, last] = [p + along * enters, p + along * leaves];
    let before = if enters > 0.0 { sector(p, &first) } else { 0.0 };
    let after = if leaves < 1.0 { sector(&last, q) } else { 0.0 };
    before + beside * (leaves - enters) + after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::nearest::over_triangle;

    /// By lines of a lattice over the plane.
    fn sampled(t: &[Point3<f64>; 3], radius: f64) -> f64 {
        const LINES: i32 = 1500;
        let normal = unit_normal(t).unwrap();
        let height = normal.dot(&t[0].coords);
        let right = (t[1] - t[0]).normalize();
        let up = normal.cross(&right);
        let disc = radius * radius - height * height;
        if disc <= 0.0 {
            return 0.0;
        }
        let step = 2.0 * disc.sqrt() / f64::from(LINES);
        let place = |k: i32| (f64::from(k) + 0.5) * step - disc.sqrt();
        let inside = |i: i32, j: i32| {
            let [x, y] = [place(i), place(j)];
            let at = Point3::from(normal * height + right * x + up * y);
            x * x + y * y <= disc && over_triangle(t, &normal, &at)
        };
        (0..LINES * LINES).filter(|k| inside(k % LINES, k / LINES)).count() as f64 * step * step
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Triangles larger and smaller than the ball, around its middle and beside it, at any scale.
        #[test]
        fn areas_are_those_that_lines_count(
            corners in prop::array::uniform3(prop::array::uniform3(-1.0f64..1.0)),
            size in prop::sample::select(vec![0.3, 1.0, 3.0]),
            scale in -4i32..5,
        ) {
            let scale = 10f64.powi(scale);
            let t = corners.map(|p| Point3::from(Vector3::from(p) * size * scale));
            prop_assume!(unit_normal(&t).is_some());
            let radius = 0.8 * scale;
            let found = area_in_ball(&t, radius);
            let normal = unit_normal(&t).unwrap();
            prop_assert!((found - normal * found.dot(&normal)).norm() <= 1e-12 * found.norm());
            let due = sampled(&t, radius);
            prop_assert!((found.dot(&normal) - due).abs() <= 3e-3 * radius * radius, "{} {due}", found.norm());
        }

        /// However a square around the middle of a disc is cut, its triangles have the disc among them.
        #[test]
        fn parts_of_a_plane_have_the_whole_disc(
            at in prop::array::uniform2(-0.99f64..0.99),
            height in -0.999f64..0.999,
        ) {
            let [x, y] = at;
            let corner = |x: f64, y: f64| Point3::new(2.0 * x, height, 2.0 * y);
            let around = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            let middle = corner(x, y);
            let parts = (0..4).map(|k| area_in_ball(&[around[k], around[(k + 1) % 4], middle], 1.0));
            let sum: Vector3<f64> = parts.sum();
            let due = -Vector3::y() * std::f64::consts::PI * (1.0 - height * height);
            prop_assert!((sum - due).norm() <= 1e-12 * due.norm(), "{sum} {due}");
        }
    }

    #[test]
    fn needles_and_triangles_beside_the_ball_have_none() {
        let line = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.5, 0.0, 0.0)];
        let beside = [Point3::new(0.0, 0.0, 1.0), Point3::new(1.0, 0.0, 1.0), Point3::new(0.0, 1.0, 1.0)];
        assert_eq!(area_in_ball(&line, 1.0), Vector3::zeros());
        assert_eq!(area_in_ball(&beside, 1.0), Vector3::zeros());
        assert_eq!(area_in_ball(&beside, 0.5), Vector3::zeros());
    }
}
