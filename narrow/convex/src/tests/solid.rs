//! Tests of lines, triangles and distances against dense sampling.

use impinge_geometry::{PairFrame, Primitive, Shape, Side};
use impinge_midphase::PreparedShape;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::*;

fn primitive() -> impl Strategy<Value = Primitive> {
    let size = 0.05..1.0f32;
    prop_oneof![
        size.clone().prop_map(|radius| Primitive::Sphere { radius }),
        prop::array::uniform3(size.clone()).prop_map(|half| Primitive::Cuboid { half }),
        (size.clone(), size.clone())
            .prop_map(|(half_height, radius)| Primitive::Capsule { half_height, radius }),
        (size.clone(), size).prop_map(|(half_height, radius)| Primitive::Cylinder { half_height, radius }),
        Just(Primitive::HalfSpace),
    ]
}

fn scaled(primitive: &Primitive, by: f32) -> Primitive {
    match *primitive {
        Primitive::HalfSpace => Primitive::HalfSpace,
        Primitive::Sphere { radius } => Primitive::Sphere { radius: radius * by },
        Primitive::Cuboid { half } => Primitive::Cuboid { half: half.map(|h| h * by) },
        Primitive::Capsule { half_height, radius } => {
            Primitive::Capsule { half_height: half_height * by, radius: radius * by }
        }
        Primitive::Cylinder { half_height, radius } => {
            Primitive::Cylinder { half_height: half_height * by, radius: radius * by }
        }
    }
}

fn point(range: f64) -> impl Strategy<Value = Point3<f64>> {
    // Some coordinates at zero, so that lines run along axes and triangles stand upright.
    prop::array::uniform3(prop_oneof![4 => -range..range, 1 => Just(0.0)]).prop_map(Point3::from)
}

/// How far `p` is from the primitive, from below: 0 inside. (Straight formulas, apart from the code.)
fn distance_of(primitive: &Primitive, p: &Point3<f64>) -> f64 {
    let across = (p.x * p.x + p.y * p.y).sqrt();
    let beyond = |x: f64, limit: f32| (x.abs() - f64::from(limit)).max(0.0);
    match *primitive {
        Primitive::HalfSpace => p.z.max(0.0),
        Primitive::Sphere { radius } => beyond(p.coords.norm(), radius),
        Primitive::Cuboid { half } => {
            Vector3::new(beyond(p.x, half[0]), beyond(p.y, half[1]), beyond(p.z, half[2])).norm()
        }
        Primitive::Capsule { half_height, radius } => {
            let z = beyond(p.z, half_height);
            ((across * across + z * z).sqrt() - f64::from(radius)).max(0.0)
        }
        Primitive::Cylinder { half_height, radius } => {
            let (r, z) = (beyond(across, radius), beyond(p.z, half_height));
            (r * r + z * z).sqrt()
        }
    }
}

/// The least distance over a net on the triangle, and the net's spacing.
fn sampled(primitive: &Primitive, t: &[Point3<f64>; 3]) -> (f64, f64) {
    let n = 60;
    let mut least = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n - i {
            let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            let p = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
            least = least.min(distance_of(primitive, &p));
        }
    }
    let longest = (t[1] - t[0]).norm().max((t[2] - t[0]).norm()).max((t[2] - t[1]).norm());
    (least, longest / f64::from(n))
}

#[test]
fn grazing_lines_have_no_span() {
    let tangent = Point3::new(1.0, 0.0, 0.0);
    for (primitive, direction) in [
        (Primitive::Sphere { radius: 1.0 }, Vector3::y()),
        (Primitive::Cylinder { half_height: 2.0, radius: 1.0 }, Vector3::z()),
        (Primitive::Cylinder { half_height: 2.0, radius: 1.0 }, Vector3::y()),
        (Primitive::Capsule { half_height: 2.0, radius: 1.0 }, Vector3::z()),
        (Primitive::Cuboid { half: [1.0, 2.0, 3.0] }, Vector3::z()),
        (Primitive::Cuboid { half: [1.0, 2.0, 3.0] }, Vector3::new(0.0, 1.0, 1.0)),
    ] {
        assert_eq!(primitive_interval(&primitive, &tangent, &direction), None, "{primitive:?} {direction:?}");
        let within = Point3::new(1.0 - 1e-6, 0.0, 0.0);
        assert!(primitive_interval(&primitive, &within, &direction).is_some(), "{primitive:?} {direction:?}");
    }
    let in_plane = primitive_interval(&Primitive::HalfSpace, &Point3::origin(), &Vector3::x());
    assert_eq!(in_plane, None);
}

#[test]
fn half_spaces_have_endless_spans() {
    let below = Point3::new(0.0, 0.0, -1.0);
    let along = primitive_interval(&Primitive::HalfSpace, &below, &Vector3::x()).unwrap();
    assert_eq!((along.enter, along.exit), (f64::NEG_INFINITY, f64::INFINITY));
    let up = primitive_interval(&Primitive::HalfSpace, &below, &(Vector3::z() * 2.0)).unwrap();
    assert_eq!((up.enter, up.exit, up.exit_normal), (f64::NEG_INFINITY, 0.5, Vector3::z()));
    let down = primitive_interval(&Primitive::HalfSpace, &below, &-Vector3::z()).unwrap();
    assert_eq!((down.enter, down.exit, down.enter_normal), (-1.0, f64::INFINITY, Vector3::z()));
}

#[test]
fn gaps_beside_a_rim_are_those_of_true_points() {
    // A sliver among the vertices of the difference has a normal of rounding only: the gap came out 6e-9 of itself short.
    let t = [
        [1.4141418059958564, -1.5113466552359844, -1.5486414036640908],
        [0.16414471129762645, 0.32941389412416183, 0.5114208486489233],
        [1.5215471066519792, 0.24769245384896343, 0.0],
    ];
    for scale in [1e-3, 1.0, 1e3] {
        let primitive = Primitive::Cylinder { half_height: 0.05667608, radius: 0.22124296 };
        let p = scaled(&primitive, scale as f32);
        let t = t.map(|x| Point3::from(x) * scale);
        let c = closest_on_triangle(&p, &t);
        assert!((distance_of(&p, &c.on_triangle) - c.gap).abs() < 1e-11 * scale, "{c:?}");
        assert!(distance_of(&p, &c.on_primitive()) < 1e-11 * scale, "{c:?}");
    }
}

#[test]
fn needles_are_their_edges() {
    // A needle 1e-14 wide passes the ball at 0.5; one turned by rounding noise must do the same.
    let needle =
        [Point3::new(-3.0, 0.5, 0.0), Point3::new(3.0, 0.5, 0.0), Point3::new(0.1, 0.5 + 1e-14, 1e-14)];
    let ball = |radius: f32| Primitive::Sphere { radius };
    assert!(touches_triangle(&ball(0.5), &needle) && !touches_triangle(&ball(0.499_999), &needle));
    let point = [Point3::new(0.0, 0.5, 0.0); 3];
    assert!(touches_triangle(&ball(0.5), &point) && !touches_triangle(&ball(0.499_999), &point));
    for primitive in [
        Primitive::Cuboid { half: [0.5; 3] },
        Primitive::Capsule { half_height: 0.5, radius: 0.5 },
        Primitive::Cylinder { half_height: 0.5, radius: 0.5 },
    ] {
        assert!(touches_triangle(&primitive, &point) && touches_triangle(&primitive, &needle));
        assert!(!touches_triangle(&scaled(&primitive, 0.999_999), &point));
        assert!(!touches_triangle(&scaled(&primitive, 0.999_999), &needle));
    }
}

#[test]
fn a_triangle_through_the_middle_is_freed_by_the_radius_or_less() {
    let t = [Point3::new(-5.0, -4.0, 0.0), Point3::new(5.0, -4.0, 0.0), Point3::new(0.0, 6.0, 0.0)];
    let flat = |p: Primitive| closest_on_triangle(&p, &t);
    for (primitive, depth) in [
        (Primitive::Sphere { radius: 0.5 }, 0.5),
        (Primitive::Cuboid { half: [1.0, 2.0, 0.25] }, 0.25),
        (Primitive::Capsule { half_height: 1.0, radius: 0.5 }, 1.5),
        (Primitive::Cylinder { half_height: 1.0, radius: 0.5 }, 1.0),
    ] {
        let c = flat(primitive);
        assert!((c.gap + depth).abs() < 1e-12, "{primitive:?}: {c:?}");
        assert!(c.normal.z.abs() > 1.0 - 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // Walking along the line, inside is exactly between enter and exit; normals face out, and the
    // ends lie on the surface.
    #[test]
    fn spans_are_where_the_line_is_inside(
        p in primitive(), o in point(1.5), d in point(1.0), scale in prop::sample::select(vec![1e-3, 1.0, 1e3]),
    ) {
        let d = d.coords;
        prop_assume!(d.norm() > 0.05);
        let p = scaled(&p, scale as f32);
        let o = o * scale;
        let d = d * scale;
        let span = primitive_interval(&p, &o, &d);
        for k in -200..=200 {
            let t = f64::from(k) * 0.1 + 0.0123;
            let x = o + d * t;
            match &span {
                Some(s) => {
                    let slack = 1e-9;
                    if t > s.enter + slack && t < s.exit - slack {
                        prop_assert!(inside(&p, &x));
                    }
                    if t < s.enter - slack || t > s.exit + slack {
                        prop_assert!(!inside(&p, &x));
                    }
                }
                None => {
                    // A grazing line may lie in the surface.
                    let nearly = scaled(&p, 1.0 - 1e-6);
                    prop_assert!(!inside(&nearly, &x) || matches!(p, Primitive::HalfSpace));
                }
            }
        }
        if let Some(s) = span {
            prop_assert!(s.enter < s.exit);
            for (t, n, sign) in [(s.enter, s.enter_normal, -1.0), (s.exit, s.exit_normal, 1.0)] {
                prop_assert!((n.norm() - 1.0).abs() < 1e-9 && sign * n.dot(&d) >= -1e-9 * d.norm());
                if t.is_finite() {
                    let x = o + d * t;
                    prop_assert!(!inside(&p, &(x + n * 1e-6 * scale)));
                    prop_assert!(inside(&p, &(x - n * 1e-6 * scale)) || s.exit - s.enter < 1e-2);
                }
            }
        }
    }

    #[test]
    fn triangles_touch_where_a_net_of_points_does(
        p in primitive(), t in prop::array::uniform3(point(1.6)), flat in 0..4u8,
        scale in prop::sample::select(vec![1e-3, 1.0, 1e3]),
    ) {
        let mut t = t.map(|x| x * scale);
        let p = scaled(&p, scale as f32);
        if flat == 0 {
            t[2] = t[0] + (t[1] - t[0]) * 0.4;
        }
        let touches = touches_triangle(&p, &t);
        let (least, spacing) = sampled(&p, &t);
        if least == 0.0 {
            prop_assert!(touches, "a point of it is inside");
        }
        if least > spacing {
            prop_assert!(!touches, "all of it is {least} away");
        }
        // Turned around or renumbered it is the same triangle.
        prop_assert_eq!(touches_triangle(&p, &[t[1], t[0], t[2]]), touches);

        let c = closest_on_triangle(&p, &t);
        prop_assert!((c.normal.norm() - 1.0).abs() < 1e-9);
        if c.gap.abs() > 1e-9 * scale {
            prop_assert_eq!(c.gap <= 0.0, touches, "{:?}", c);
        }
        if c.gap > 0.0 {
            // The net's nearest point is no nearer, and not much farther.
            prop_assert!(least >= c.gap - 1e-9 * scale && least <= c.gap + spacing, "{least} {c:?}");
            prop_assert!((distance_of(&p, &c.on_triangle) - c.gap).abs() < 1e-9 * scale);
            let back = c.on_primitive();
            prop_assert!(distance_of(&p, &back) < 1e-9 * scale);
        } else {
            let freed = t.map(|x| x + c.normal * (-c.gap + 1e-6 * scale));
            prop_assert!(!touches_triangle(&p, &freed), "{c:?}");
        }
    }

    #[test]
    fn parts_in_the_pair_frame_answer_like_their_points(
        kind in 0..3u8, q in prop::array::uniform4(-1.0..1.0f64), at in point(1.0), d in point(1.0), o in point(1.0),
        cloud in prop::collection::vec(prop::array::uniform3(-1.0..1.0f32), 6..30),
    ) {
        let q = Quaternion::new(q[0], q[1], q[2], q[3]);
        prop_assume!(q.norm() > 0.1 && d.coords.norm() > 0.1);
        let shape = match kind {
            0 => Shape::hull(&cloud.iter().map(|p| Point3::from(*p)).collect::<Vec<_>>()),
            1 => Shape::cuboid([0.5, 0.25, 0.75]),
            _ => Shape::cylinder(0.5, 0.25),
        };
        let Ok(shape) = shape else { return Ok(()) };
        let prepared = PreparedShape::new(&shape);
        let pose = Isometry3::from_parts(Translation3::from(at.coords), UnitQuaternion::new_normalize(q));
        let frame = PairFrame::new(&Isometry3::identity(), &pose);
        let lines = SolidLines::new(&prepared.parts()[0], &frame, Side::B).unwrap();
        let span = lines.interval(&o, &d.coords);
        let placed = Placed::new(&prepared.parts()[0], &frame, Side::B).unwrap();
        for k in -60..=60 {
            let t = f64::from(k) * 0.1 + 0.017;
            let x = o + d.coords * t;
            let within = span.is_some_and(|s| s.enter < t && t < s.exit);
            let near_end = span.is_some_and(|s| (s.enter - t).abs() < 1e-6 || (s.exit - t).abs() < 1e-6);
            if !near_end && span.is_some() {
                prop_assert_eq!(lines.inside(&x), within);
            }
            if within {
                // No plane has it in front.
                for n in [Vector3::x(), -Vector3::y(), Vector3::new(0.6, 0.0, 0.8), d.coords.normalize()] {
                    prop_assert!(n.dot(&x.coords) <= placed.reach(&n) + 1e-6);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30_000))]

    // However thin a triangle is, and however far off: where an axis clearly separates it, it does not touch.
    #[test]
    fn needles_far_off_do_not_touch(
        p in primitive(), at in point(1.0), edges in prop::array::uniform2(point(1.0)),
        [far, long, thin] in prop::array::uniform3(0.0..1.0f64), turn in prop::array::uniform3(-3.0..3.0f64),
        radial in any::<bool>(),
    ) {
        // Seen along z, half of them point at the axis.
        let flat = |p: Point3<f64>| if radial { Point3::new(0.0, p.y, p.z) } else { p };
        let (at, edges) = (flat(at), [flat(edges[0]), edges[1]]);
        let turn = if radial { [0.0, 0.0, turn[2]] } else { turn };
        if at.coords.norm() < 0.01 || matches!(p, Primitive::HalfSpace) {
            return Ok(());
        }
        let far = 10f64.powf(1.0 + 13.0 * far);
        let long = far * 10f64.powf(1.0 - 12.0 * long);
        let [u, v] = [edges[0].coords * long, edges[1].coords * (long * 10f64.powf(-15.0 * thin))];
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
        let t = [at.coords, at.coords + u / far, at.coords + v / far].map(|x| turn * Point3::from(x * far));
        let size = t.iter().map(|x| x.coords.norm()).fold(0.0, f64::max);
        // From the origin, perpendicular to each edge.
        let aside = |k: usize| {
            let along = (t[(k + 1) % 3] - t[k]).try_normalize(0.0).unwrap_or_default();
            t[k].coords - along * along.dot(&t[k].coords)
        };
        let axes = (0..3).map(aside).chain([Vector3::x(), Vector3::y(), Vector3::z()]);
        let apart = axes.filter_map(|axis| axis.try_normalize(0.0)).any(|axis| {
            let along = t.map(|x| axis.dot(&x.coords));
            // No primitive of these tests is larger than 4.
            let [low, high] = [along.into_iter().fold(f64::INFINITY, f64::min), along.into_iter().fold(f64::NEG_INFINITY, f64::max)];
            low.max(-high) > 4.0 + 1e-6 * size
        });
        prop_assert!(!apart || !touches_triangle(&p, &t), "{p:?} {t:?}");
    }
}
