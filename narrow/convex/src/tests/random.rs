//! Random pairs against brute force.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use parry3d::query;
use proptest::prelude::*;

use super::Scene;
use super::parry::{to_parry, to_parry_pose};

/// Shapes of size about 1 times `scale`.
fn shape() -> impl Strategy<Value = (u8, [f32; 3], Vec<[f32; 3]>)> {
    let points = prop::collection::vec(prop::array::uniform3(-1.0..1.0f32), 4..20);
    (0u8..5, prop::array::uniform3(0.1..1.0f32), points)
}

fn build((kind, s, points): &(u8, [f32; 3], Vec<[f32; 3]>), scale: f32) -> Option<Shape> {
    let s = s.map(|x| x * scale);
    match kind {
        0 => Shape::sphere(s[0]),
        1 => Shape::cuboid(s),
        2 => Shape::capsule(s[0], s[1]),
        3 => Shape::cylinder(s[0], s[1]),
        _ => {
            let points: Vec<Point3<f32>> =
                points.iter().map(|p| Point3::from(p.map(|x| x * scale))).collect();
            Shape::hull(&points)
        }
    }
    .ok()
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    prop_oneof![
        prop::array::uniform4(-1.0..1.0f64).prop_filter_map("zero", |q| {
            let q = Quaternion::new(q[0], q[1], q[2], q[3]);
            (q.norm() > 0.1).then(|| UnitQuaternion::new_normalize(q))
        }),
        Just(UnitQuaternion::identity()),
        Just(UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2)),
    ]
}

fn scales() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1e-3, 1.0, 1e3])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn depth_is_the_least_translation(
        a in shape(), b in shape(), qa in rotation(), qb in rotation(),
        offset in prop::array::uniform3(-1.2..1.2f64), scale in scales(),
    ) {
        let (Some(a), Some(b)) = (build(&a, scale as f32), build(&b, scale as f32)) else { return Ok(()) };
        let offset = Vector3::from(offset) * scale;
        let scene = Scene::new([&a, &b], [
            Isometry3::from_parts(Translation3::from(-offset * 0.5), qa),
            Isometry3::from_parts(Translation3::from(offset * 0.5), qb),
        ]);
        let truth = scene.least_translation();
        let out = scene.run(0.0);
        // The net finds separating directions only up to its own fineness.
        if truth > 1e-5 * scale {
            prop_assert!(out.touching, "missed an overlap of {truth}");
        }
        if truth < -1e-5 * scale {
            prop_assert!(!out.touching, "made up a touch across {truth}");
        }
        if out.touching {
            let p = out.one();
            prop_assert!((p.depth - scene.depth_along(&p.normal)).abs() <= 1e-8 * scale, "depth is not its normal's");
            prop_assert!(p.depth <= truth.max(0.0) * 1.001 + 1e-6 * scale, "{} is not the least: {truth}", p.depth);
            for q in &p.points {
                // Opposite each other along the normal, and both on their solids.
                let between = q.on_a - q.on_b;
                let aside = (between - p.normal * between.dot(&p.normal)).norm();
                prop_assert!(aside <= 1e-5 * scale, "points {aside} beside their normal's line");
                for (k, point) in [(0, q.on_a), (1, q.on_b)] {
                    let out = scene.outside(k, &point);
                    prop_assert!(out <= 1e-5 * scale, "a point {out} outside solid {k}");
                }
            }
            // Freed by a hair more, held by a little less; both at this scale.
            prop_assert!(!scene.moved(p.normal * (p.depth + 1e-5 * scale)).run(0.0).touching);
            if p.depth > 3e-5 * scale {
                prop_assert!(scene.moved(p.normal * (p.depth - 1e-5 * scale)).run(0.0).touching);
            }
            let swapped = scene.swapped().run(0.0);
            prop_assert!(swapped.touching && (swapped.one().depth - p.depth).abs() <= 1e-6 * scale);
            if let (Some(v), Some(w)) = (out.volume, swapped.volume) {
                prop_assert!((v - w).abs() <= 1e-6 * scale.powi(3));
            }
            prop_assert_eq!(swapped.containment as u8, [0, 2, 1][out.containment as usize]);
        }
    }

    #[test]
    fn gaps_within_the_margin_are_distances(
        a in shape(), b in shape(), qa in rotation(), qb in rotation(),
        way in prop::array::uniform3(-1.0..1.0f64), far in 0.0..2.5f64,
    ) {
        let (Some(a), Some(b)) = (build(&a, 1.0), build(&b, 1.0)) else { return Ok(()) };
        let Some(way) = Vector3::from(way).try_normalize(1e-3) else { return Ok(()) };
        let scene = Scene::new([&a, &b], [
            Isometry3::from_parts(Translation3::identity(), qa),
            Isometry3::from_parts(Translation3::from(way * far), qb),
        ]);
        let out = scene.run(0.5);
        let expected = parry_distance([&a, &b], &scene.poses);
        match out.region.as_ref() {
            Some(p) if !out.touching => {
                // The points are that far apart, and a plane across the normal parts the solids by as
                // much: no distance is less, and none is greater.
                let nearest = p.points.iter().map(|q| -q.depth).fold(f64::INFINITY, f64::min);
                prop_assert!((nearest + p.depth).abs() < 2e-6);
                prop_assert!((scene.depth_along(&p.normal) - p.depth).abs() < 1e-6);
                prop_assert!((-p.depth - expected).abs() < 1e-2, "{} against {expected}", -p.depth);
            }
            Some(_) => prop_assert!(expected < 1e-2),
            None => prop_assert!(expected > 0.5 - 1e-2, "{expected}"),
        }
    }

    // Overlaps of polyhedra: against counting the points of a lattice.
    #[test]
    fn volumes_of_polyhedra_equal_a_count(
        a in shape(), b in shape(), qa in rotation(), qb in rotation(),
        offset in prop::array::uniform3(-0.6..0.6f64),
    ) {
        let flat = |s: (u8, [f32; 3], Vec<[f32; 3]>)| (if s.0.is_multiple_of(2) { 1 } else { 4 }, s.1, s.2);
        let (Some(a), Some(b)) = (build(&flat(a), 1.0), build(&flat(b), 1.0)) else { return Ok(()) };
        let scene = Scene::new([&a, &b], [
            Isometry3::from_parts(Translation3::identity(), qa),
            Isometry3::from_parts(Translation3::from(offset), qb),
        ]);
        let out = scene.run(0.0);
        let frame = scene.frame();
        let lines = [impinge_geometry::Side::A, impinge_geometry::Side::B]
            .map(|s| crate::SolidLines::new(scene.part(s.index()), &frame, s).unwrap());
        // Askew to the shapes' own axes, so that no face falls between rows.
        let (n, width) = (120, 3.8);
        let along = Vector3::new(0.31, 0.17, 1.0).normalize();
        let right = crate::contact::perpendicular(along).normalize();
        let up = along.cross(&right);
        let mut volume = 0.0;
        for i in 0..n {
            for j in 0..n {
                let x = |k: i32| ((f64::from(k) + 0.5) / f64::from(n) - 0.5) * width;
                let from = Point3::from(right * x(i) + up * x(j));
                let spans = lines.each_ref().map(|l| l.interval(&from, &along));
                if let [Some(p), Some(q)] = spans {
                    volume += (p.exit.min(q.exit) - p.enter.max(q.enter)).max(0.0);
                }
            }
        }
        volume *= (width / f64::from(n)).powi(2);
        let exact = out.volume.unwrap();
        prop_assert!((volume - exact).abs() <= 0.004 + 0.02 * exact, "{volume} against {exact}");
    }
}

/// Distance by parry (f32, cylinders and capsules along y).
fn parry_distance(shapes: [&Shape; 2], poses: &[Isometry3<f64>; 2]) -> f64 {
    use impinge_geometry::Primitive;
    use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, SharedShape};
    let upright = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let made = [0, 1].map(|k| {
        let (shape, turn) = match shapes[k] {
            Shape::Primitive(Primitive::Sphere { radius }) => (SharedShape::new(Ball::new(*radius)), false),
            Shape::Primitive(Primitive::Cuboid { half }) => {
                (SharedShape::new(Cuboid::new(parry3d::math::Vector::from(*half))), false)
            }
            Shape::Primitive(Primitive::Capsule { half_height, radius }) => {
                (SharedShape::new(Capsule::new_y(*half_height, *radius)), true)
            }
            Shape::Primitive(Primitive::Cylinder { half_height, radius }) => {
                (SharedShape::new(Cylinder::new(*half_height, *radius)), true)
            }
            Shape::Hull(hull) => {
                let points: Vec<_> = hull.mesh().vertices().iter().map(|p| to_parry(&p.coords)).collect();
                (SharedShape::new(ConvexPolyhedron::from_convex_hull(&points).unwrap()), false)
            }
            _ => unreachable!("not drawn here"),
        };
        let pose = if turn { poses[k] * upright } else { poses[k] };
        (shape, to_parry_pose(&pose.cast()))
    });
    f64::from(query::distance(&made[0].1, &*made[0].0, &made[1].1, &*made[1].0).unwrap().distance)
}
