use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{pose, scale};
use crate::{PairFrame, Side, TriMesh};

fn holds(aabb: &Aabb, p: &Point3<f64>) -> bool {
    (0..3).all(|i| f64::from(aabb.min[i]) <= p[i] && p[i] <= f64::from(aabb.max[i]))
}

/// `R·x + t` as the canonical geometry computes it.
fn placed(pose: &Isometry3<f64>, x: &Point3<f64>) -> Point3<f64> {
    let mut frame = PairFrame::new(pose, pose);
    frame.offset = [pose.translation.vector; 2];
    frame.place_f64(Side::A, x)
}

/// The point of a primitive that lies farthest along `d` (unit, in its own frame).
fn support(primitive: &Primitive, d: &Vector3<f64>) -> Point3<f64> {
    let flat = Vector3::new(d.x, d.y, 0.0);
    let flat = flat.try_normalize(0.0).unwrap_or_default();
    let up = Vector3::z() * if d.z < 0.0 { -1.0 } else { 1.0 };
    Point3::from(match *primitive {
        Primitive::HalfSpace => unreachable!("has no support point"),
        Primitive::Sphere { radius } => d * f64::from(radius),
        Primitive::Cuboid { half } => {
            Vector3::from_fn(|i, _| if d[i] < 0.0 { -f64::from(half[i]) } else { f64::from(half[i]) })
        }
        Primitive::Capsule { half_height, radius } => up * f64::from(half_height) + d * f64::from(radius),
        Primitive::Cylinder { half_height, radius } => up * f64::from(half_height) + flat * f64::from(radius),
    })
}

fn primitive() -> impl Strategy<Value = Primitive> {
    (0..4u8, prop::array::uniform3(0.01f64..1.0), scale()).prop_map(|(kind, size, scale)| {
        let [x, y, z] = size.map(|s| (s * scale) as f32);
        match kind {
            0 => Primitive::Sphere { radius: x },
            1 => Primitive::Cuboid { half: [x, y, z] },
            2 => Primitive::Capsule { half_height: x, radius: y },
            _ => Primitive::Cylinder { half_height: x, radius: y },
        }
    })
}

/// How much wider than exact a bound may be: a few `f32` and `f64` roundings.
fn allowance(bound: f32, pose: &Isometry3<f64>, size: f64) -> f64 {
    let t = pose.translation.vector.amax();
    2.0 * f64::from((bound.next_up() - bound).abs()) + 1e-14 * (t + size)
}

proptest! {
    /// The farthest points along the world's axes and along random directions are inside, and the
    /// box ends where those along the axes do.
    #[test]
    fn boxes_of_primitives_are_closed_forms(
        primitive in primitive(),
        pose in pose(1e6),
        near in any::<bool>(),
        directions in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 8),
    ) {
        let pose = if near { Isometry3::from_parts(Default::default(), pose.rotation) } else { pose };
        let aabb = Shape::from(primitive).aabb_at(&pose);
        let sphere = primitive.bounding_sphere();
        for d in directions {
            let Some(d) = Vector3::from(d).try_normalize(1e-6) else { continue };
            let local = support(&primitive, &d);
            // Placed directions round too: what lies within 1e-15 of the surface counts as it.
            let p = placed(&pose, &(local * (1.0 - 1e-15)));
            prop_assert!(holds(&aabb, &p), "{p} outside {aabb:?}");
            prop_assert!((local * (1.0 - 1e-15)).coords.norm() <= f64::from(sphere.radius));
        }
        for axis in 0..3 {
            for (sign, bound) in [(1.0, aabb.max[axis]), (-1.0, aabb.min[axis])] {
                let d = pose.rotation.inverse() * Vector3::ith(axis, sign);
                let p = placed(&pose, &support(&primitive, &d))[axis];
                let wide = (f64::from(bound) - p) * sign;
                let size = f64::from(sphere.radius);
                prop_assert!(wide <= allowance(bound, &pose, size), "wider than exact by {wide:e} m");
                prop_assert!(wide >= -1e-14 * size);
            }
        }
    }

    /// Every vertex of meshes, hulls and composites of them is inside, near and far, small and large.
    #[test]
    fn boxes_hold_every_canonically_placed_vertex(
        points in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 8..40),
        middle in prop::array::uniform3(-3.0f64..3.0),
        scale in scale(),
        pose in pose(1e6),
        child in pose(10.0),
    ) {
        let vertices: Vec<Point3<f32>> = points
            .iter()
            .map(|p| Point3::from(std::array::from_fn::<f32, 3, _>(|i| ((p[i] + middle[i]) * scale) as f32)))
            .collect();
        let triangles = (0..vertices.len() as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
        let Ok(mesh) = TriMesh::new(vertices.clone(), triangles) else { return Ok(()) };
        let mesh = Shape::from(mesh);
        let composite = Shape::composite(vec![
            (child, mesh.clone()),
            (Isometry3::identity(), Shape::sphere(scale as f32).unwrap()),
        ])
        .unwrap();
        let Shape::Composite(inner) = &composite else { unreachable!("just made") };
        let child = pose * inner.children()[0].0;
        let (alone, together) = (mesh.aabb_at(&pose), composite.aabb_at(&pose));
        let (round, whole) = (mesh.bounding_sphere(), composite.bounding_sphere());
        for x in &vertices {
            prop_assert!(holds(&alone, &placed(&pose, &x.cast())));
            prop_assert!(holds(&together, &placed(&child, &x.cast())));
            prop_assert!((x.cast::<f64>() - round.center.cast()).norm() <= f64::from(round.radius));
            let x = placed(&inner.children()[0].0, &x.cast());
            prop_assert!((x - whole.center.cast()).norm() <= f64::from(whole.radius));
        }
        // Never wider than the ball around the mesh.
        for axis in 0..3 {
            let width = f64::from(alone.max[axis]) - f64::from(alone.min[axis]);
            let slack = allowance(alone.max[axis], &pose, scale) + allowance(alone.min[axis], &pose, scale);
            prop_assert!(width <= 2.0 * f64::from(round.radius) + slack);
        }
    }

    /// What touches in the pair frame, judged exactly, has world boxes that overlap: the two points
    /// where bodies meet are placed by `PairFrame` and by the world box in different ways.
    #[test]
    fn boxes_of_points_that_meet_in_the_pair_frame_overlap(
        a in pose(1e6),
        turn in pose(1.0),
        x in prop::array::uniform3(-1.0f32..1.0),
        scale in scale(),
    ) {
        // B's origin is where A's vertex x stands; B's vertex is its own origin.
        let x = Point3::from(x.map(|x| x * scale as f32));
        let b = Isometry3::from_parts(placed(&a, &x.cast()).coords.into(), turn.rotation);
        let frame = PairFrame::new(&a, &b);
        let on_a = frame.place(Side::A, &x);
        let on_b = frame.place(Side::B, &Point3::origin());
        // Only pairs that meet exactly in the judged geometry say anything.
        if on_a == on_b {
            let point = |x: Point3<f32>, pose: &Isometry3<f64>| {
                let aabb = Aabb { min: x.into(), max: x.into() };
                Placement::new(pose).bounded(&aabb, &BoundingSphere { center: x, radius: 0.0 })
            };
            prop_assert!(point(x, &a).overlaps(&point(Point3::origin(), &b)));
        }
    }
}

#[test]
fn a_half_space_ends_only_along_an_axis_that_its_normal_is_parallel_to() {
    let floor = Shape::half_space();
    let aabb = floor.aabb_at(&Isometry3::translation(3.0, 4.0, 0.5));
    assert_eq!(aabb.min, [f32::NEG_INFINITY; 3]);
    assert_eq!(aabb.max[..2], [f32::INFINITY; 2]);
    assert!(aabb.max[2] >= 0.5 && aabb.max[2] < 0.500_001);
    // Turned by half a turn about x (exactly representable), it is a ceiling.
    let half_turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0));
    let ceiling = floor.aabb_at(&Isometry3::from_parts(Vector3::z().into(), half_turn));
    assert_eq!(ceiling.max, [f32::INFINITY; 3]);
    assert!(ceiling.min[2] <= 1.0 && ceiling.min[2] > 0.999_999);
    let tilted = UnitQuaternion::from_euler_angles(1e-9, 0.0, 0.0);
    assert_eq!(floor.aabb_at(&Isometry3::from_parts(Vector3::z().into(), tilted)), Aabb::EVERYTHING);
    assert_eq!(floor.bounding_sphere().radius, f32::INFINITY);
    assert_eq!(Primitive::HalfSpace.aabb().max[2], 0.0);
}

#[test]
fn the_surface_of_a_cuboid_is_closed_and_looks_outward() {
    for half in [[1.0, 2.0, 3.0], [1e-6, 1e6, 1.0], [f32::MIN_POSITIVE; 3], [1e30; 3]] {
        let mesh = Primitive::Cuboid { half }.surface().unwrap();
        assert!(mesh.is_closed() && mesh.report().defects.is_empty());
        assert_eq!(mesh.aabb(), Primitive::Cuboid { half }.aabb());
    }
    assert!(Primitive::Sphere { radius: 1.0 }.surface().is_none());
}

#[test]
fn a_composite_with_a_half_space_has_no_end() {
    let shape = Shape::composite(vec![
        (Isometry3::identity(), Shape::sphere(1.0).unwrap()),
        (Isometry3::identity(), Shape::half_space()),
    ])
    .unwrap();
    assert_eq!(shape.bounding_sphere().radius, f32::INFINITY);
    assert!(shape.aabb().max[2] >= 1.0 && shape.aabb().min[2] == f32::NEG_INFINITY);
}
