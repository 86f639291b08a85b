//! Hard pairs: sizes from a millimetre to a kilometre, flat and needle-like hulls, aligned and coincident
//! poses, gaps down to rounding. `PROPTEST_CASES` says how many of each kind are drawn.

use impinge_geometry::Shape;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::{Scene, at};

fn scale() -> impl Strategy<Value = f32> {
    prop_oneof![Just(1e-3f32), Just(1.0), Just(1e3), (-3.0..3.0f32).prop_map(|e| 10f32.powf(e))]
}

fn length() -> impl Strategy<Value = f32> {
    prop_oneof![3 => 0.1..1.0f32, 1 => 1e-3..1e-1f32]
}

fn hull() -> impl Strategy<Value = Shape> {
    let coordinate = || prop_oneof![-1.0..1.0f32, prop::sample::select(vec![-1.0, 0.0, 1.0f32])];
    let points = prop::collection::vec(prop::array::uniform3(coordinate()), 4..60);
    let thin = || prop_oneof![3 => Just(1.0f32), 1 => 1e-6..1e-1f32];
    (points, thin(), thin(), scale()).prop_filter_map("no volume", |(points, y, z, scale)| {
        let points: Vec<_> =
            points.iter().map(|p| Point3::new(p[0] * scale, p[1] * y * scale, p[2] * z * scale)).collect();
        Shape::hull(&points).ok()
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let primitive = (0u8..4, length(), length(), length(), scale()).prop_map(|(kind, x, y, z, s)| {
        match kind {
            0 => Shape::sphere(x * s),
            1 => Shape::capsule(x * s, y * s),
            2 => Shape::cylinder(x * s, y * s),
            _ => Shape::cuboid([x * s, y * s, z * s]),
        }
        .unwrap()
    });
    prop_oneof![2 => primitive, 1 => hull()]
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    let any = prop::array::uniform4(-1.0..1.0f64).prop_filter_map("zero", |q| {
        let q = Quaternion::new(q[0], q[1], q[2], q[3]);
        (q.norm() > 0.1).then(|| UnitQuaternion::new_normalize(q))
    });
    let quarter = (0usize..3, 0u8..4).prop_map(|(axis, turns)| {
        let mut by = Vector3::zeros();
        by[axis] = f64::from(turns) * std::f64::consts::FRAC_PI_2;
        UnitQuaternion::from_scaled_axis(by)
    });
    prop_oneof![any, quarter]
}

/// Two solids whose supporting planes across a direction are a hair apart or a hair into each other, or
/// that stand anywhere near, or in the very same place.
fn scene() -> impl Strategy<Value = Scene> {
    let direction = prop_oneof![
        prop::array::uniform3(-1.0..1.0f64),
        prop::sample::select(vec![[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]])
    ]
    .prop_filter_map("zero", |d| Vector3::from(d).try_normalize(0.05));
    let hair = prop_oneof![
        Just(0.0),
        (-15.0..-1.0f64).prop_map(|e| 10f64.powf(e)),
        (-15.0..-1.0f64).prop_map(|e| -10f64.powf(e))
    ];
    (shape(), shape(), rotation(), prop::option::of(rotation()), 0u8..4, direction, hair, 0.0..1.0f64)
        .prop_map(|(a, b, qa, qb, way, n, hair, far)| {
            let pose = |q| Isometry3::from_parts(Translation3::identity(), q);
            let scene = Scene::new([&a, &b], [pose(qa), pose(qb.unwrap_or(qa))]);
            let smaller = [0, 1]
                .map(|k| f64::from(scene.part(k).aabb.extents().into_iter().fold(0.0, f32::max)))
                .into_iter()
                .fold(f64::MAX, f64::min);
            match way {
                0 => scene,
                1 => scene.moved(n * (far * scene.size())),
                _ => scene.moved(n * (scene.depth_along(&n) + hair * smaller)),
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    /// Which solid is A changes neither the decision nor a bit of the depth; `apart` is said only with a plane
    /// that parts the solids; a depth is a separating translation; a margin decides nothing.
    #[test]
    fn answers_are_proofs_and_do_not_ask_who_is_a(scene in scene()) {
        let size = scene.size();
        let rounding = 1e-9 * size;
        let (out, swapped) = (scene.run(0.0), scene.swapped().run(0.0));
        prop_assert_eq!(out.touching, out.region.is_some());
        prop_assert_eq!(swapped.touching, out.touching);
        let near = scene.run(1e4 * size);
        prop_assert_eq!(near.touching, out.touching);
        let patch = near.one();
        let along = scene.depth_along(&patch.normal);
        match out.region.as_ref() {
            None => prop_assert!(along <= rounding, "no plane parts them: {}", along),
            Some(found) => {
                prop_assert_eq!(found.depth, swapped.one().depth);
                prop_assert_eq!(found.depth, patch.depth);
                prop_assert!((along - found.depth).abs() <= rounding, "{} does not separate: {}", found.depth, along);
                let by = found.depth * (1.0 + 1e-6) + 1e-6 * size;
                prop_assert!(!scene.moved(found.normal * by).run(0.0).touching);
            }
        }
    }
}

/// A thin wedge, and a ball about a point of its edge: the core lies in the hull, or a hair out of it, and
/// the nearest points alone do not tell.
#[test]
fn a_ball_about_a_point_of_a_thin_hulls_edge() {
    let (l, t) = (1000.0, 0.002);
    let corners =
        [[-l, 0.0, -t], [l, 0.0, t], [l, l, -t], [-l, l, t], [-l, 0.0, t], [l, 0.0, -t], [0.0, l, t]];
    let (wedge, ball) = (Shape::hull(&corners.map(Point3::from)).unwrap(), Shape::sphere(590.0).unwrap());
    for x in [0.0, 0.25, 300.0] {
        let scene = Scene::new([&wedge, &ball], [at(0.0, 0.0, 0.0), at(x, 0.0, 0.0)]);
        let found = scene.run(0.0);
        let patch = found.one();
        assert!((patch.depth - scene.depth_along(&patch.normal)).abs() < 1e-6);
        assert!((patch.depth - 590.0).abs() < 1e-3, "out across the edge: {}", patch.depth);
    }
}

/// A ball deep in an upright cylinder, nearer to the barrel than to the ends by little: every separating translation across
/// the axis is nearly as short, and the shortest is through the nearest point of the barrel.
#[test]
fn a_ball_near_the_axis_of_a_barrel() {
    let (barrel, ball) = (Shape::cylinder(2.0, 1.0).unwrap(), Shape::sphere(0.25).unwrap());
    for x in [0.0f64, 1e-6, 1e-4, 1e-2] {
        let scene = Scene::new([&barrel, &ball], [at(0.0, 0.0, 0.0), at(0.6 * x, 0.8 * x, 0.1)]);
        let depth = scene.run(0.0).one().depth;
        assert!((depth - (1.25 - x)).abs() < 1e-8, "{depth} at {x}");
    }
}
