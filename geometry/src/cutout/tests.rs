use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::fixtures::{ball, torus};
use crate::{ConvexHull, Primitive, Shape, ShapeError};

type Holes = Vec<(Isometry3<f64>, Cutout)>;

fn cases(usual: u32) -> u32 {
    std::env::var("IMPINGE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn mesh_of(shape: &Shape) -> &TriMesh {
    match shape {
        Shape::Mesh(mesh) => mesh,
        _ => panic!("it was cut"),
    }
}

/// A box of half extents.
fn block(half: [f32; 3]) -> Shape {
    Shape::cuboid(half).unwrap()
}

fn bore(half_height: f32, radius: f32) -> Cutout {
    Cutout::new(Primitive::Cylinder { half_height, radius }).unwrap()
}

fn through(half_height: f32, radius: f32) -> Cutout {
    bore(half_height, radius).open(2, false).unwrap().open(2, true).unwrap()
}

fn slot(half: [f32; 3]) -> Cutout {
    Cutout::new(Primitive::Cuboid { half }).unwrap()
}

fn here() -> Isometry3<f64> {
    Isometry3::identity()
}

/// The area of a regular polygon of 96 corners about a circle of radius 1 (m²).
fn polygon() -> f64 {
    96.0 * libm::tan(std::f64::consts::PI / 96.0)
}

fn volume(shape: &Shape) -> f64 {
    shape.mass_properties().unwrap().volume
}

#[test]
fn volumes_are_those_of_closed_forms() {
    let cube = block([1.0; 3]);
    let pi = polygon();
    let at = |x: f64, y: f64, z: f64| Isometry3::translation(x, y, z);
    let up = Isometry3::rotation(Vector3::x() * std::f64::consts::FRAC_PI_2);
    let closed: Vec<(&str, Holes, f64)> = vec![
        ("through", vec![(here(), through(1.0, 0.5))], 8.0 - pi * 0.25 * 2.0),
        ("blind", vec![(at(0.3, 0.1, 0.6), bore(0.4, 0.25).open(2, true).unwrap())], 8.0 - pi * 0.0625 * 0.8),
        ("cavity", vec![(at(0.1, 0.2, 0.0), bore(0.5, 0.25))], 8.0 - pi * 0.0625),
        (
            "counterbore",
            vec![(here(), through(1.0, 0.25)), (at(0.0, 0.0, 0.75), bore(0.25, 0.5).open(2, true).unwrap())],
            8.0 - pi * (0.0625 * 1.5 + 0.25 * 0.5),
        ),
        // Its corners lie on the diagonals of the faces.
        ("slot", vec![(here(), slot([0.5, 0.5, 1.0]).open(2, true).unwrap().open(2, false).unwrap())], 6.0),
        // Flush with the floor and open to a side.
        ("notch", vec![(at(0.75, 0.0, 0.0), slot([0.25, 0.5, 0.5]).open(0, true).unwrap())], 7.5),
        ("corner", vec![(at(1.0, 1.0, 1.0), slot([0.5; 3]))], 8.0 - 0.125),
        ("turned", vec![(up, through(1.0, 0.5))], 8.0 - pi * 0.5),
        ("apart", vec![(at(4.0, 0.0, 0.0), bore(1.0, 0.5))], 8.0),
    ];
    for (name, holes, expected) in closed {
        let cut = cube.cut(&holes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!((volume(&cut) - expected).abs() < 2e-5, "{name}: {}, not {expected}", volume(&cut));
        assert_eq!(matches!(cut, Shape::Primitive(_)), name == "apart");
    }
    // A spherical pit: the facets are 0.2 % out at most.
    let pit = Cutout::new(Primitive::Sphere { radius: 0.5 }).unwrap();
    let taken = 8.0 - volume(&cube.cut(&[(at(0.0, 0.0, 1.0), pit)]).unwrap());
    let half = 2.0 / 3.0 * std::f64::consts::PI * 0.125;
    assert!(taken > half && taken < half * 1.006, "{taken}, not {half}");
}

#[test]
fn composites_keep_what_no_hole_reaches() {
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let named = |(name, x, shape): (&str, f64, Shape)| (name.to_owned(), at(x), shape);
    let parts = [
        ("ball", -4.0, Shape::sphere(1.0).unwrap()),
        ("plate", 0.0, block([1.0, 1.0, 0.2])),
        ("pin", 4.0, Shape::cylinder(1.0, 0.5).unwrap()),
    ];
    let whole = Shape::from(crate::Composite::named(parts.map(named).to_vec()).unwrap());
    let drilled = whole.cut(&[(here(), through(0.2, 0.3)), (at(4.0), bore(0.5, 0.2))]).unwrap();
    let Shape::Composite(composite) = &drilled else { panic!("a composite") };
    let kinds: Vec<bool> = composite.children().iter().map(|(_, s)| matches!(s, Shape::Mesh(_))).collect();
    assert_eq!(kinds, [false, true, true]);
    assert_eq!(drilled.subshape_name(1), Some("plate"));
    let taken = volume(&whole) - volume(&drilled);
    let facets = std::f64::consts::PI * 0.5 - 48.0 * (std::f64::consts::TAU / 96.0).sin() * 0.5;
    assert!((taken - polygon() * (0.09 * 0.4 + 0.04) - facets).abs() < 1e-4, "{taken}");
}

#[test]
fn what_cannot_be_cut_is_told() {
    let hole = |radius: f32| Cutout::new(Primitive::Sphere { radius }).unwrap();
    let cube = block([0.5; 3]);
    assert_eq!(cube.cut(&[(here(), hole(2.0))]).unwrap_err(), ShapeError::Swallowed { child: 0, hole: 0 });
    let sheet = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    let sheet = Shape::from(TriMesh::new(sheet.to_vec(), vec![[0, 1, 2]]).unwrap());
    let both = Shape::composite(vec![(here(), cube), (here(), sheet)]).unwrap();
    let small = [(here(), hole(0.1))];
    assert_eq!(both.cut(&small).unwrap_err(), ShapeError::Uncuttable { child: 1, hole: 0 });
    assert_eq!(Shape::half_space().cut(&small).unwrap_err(), ShapeError::Uncuttable { child: 0, hole: 0 });
    let above = [(Isometry3::translation(0.0, 0.0, 1.0), hole(0.1))];
    assert!(matches!(Shape::half_space().cut(&above), Ok(Shape::Primitive(Primitive::HalfSpace))));
    let lost = [(Isometry3::translation(f64::NAN, 0.0, 0.0), hole(0.1))];
    assert!(matches!(both.cut(&lost), Err(ShapeError::HolePose { hole: 0, .. })));
    for (primitive, name) in [
        (Primitive::HalfSpace, "half-space"),
        (Primitive::Capsule { half_height: 1.0, radius: 1.0 }, "capsule"),
    ] {
        assert_eq!(Cutout::new(primitive).unwrap_err(), ShapeError::NoHole { shape: name });
    }
    assert!(matches!(Cutout::new(Primitive::Sphere { radius: -1.0 }), Err(ShapeError::Size { .. })));
    assert_eq!(hole(1.0).open(2, true).unwrap_err(), ShapeError::NoSide { shape: "sphere", axis: 2 });
    assert_eq!(bore(1.0, 1.0).open(0, true).unwrap_err(), ShapeError::NoSide { shape: "cylinder", axis: 0 });
    assert_eq!(slot([1.0; 3]).open(3, true).unwrap_err(), ShapeError::NoSide { shape: "cuboid", axis: 3 });
    for facets in [0, 4, 10, 516] {
        assert_eq!(bore(1.0, 1.0).facets(facets).unwrap_err(), ShapeError::Facets { facets });
    }
}

fn shapes() -> Vec<Shape> {
    let points: Vec<Point3<f32>> = (0..14)
        .map(|k| {
            let (a, b) = (f64::from(k) * 2.4, f64::from(k) * 1.1);
            Point3::new(a.cos() * b.sin(), a.sin() * b.sin(), b.cos()).cast()
        })
        .collect();
    vec![
        block([0.8, 0.6, 0.4]),
        ConvexHull::new(&points).unwrap().into(),
        torus(0.7, 0.3, 20, 12).into(),
        ball(2).into(),
        Shape::capsule(0.5, 0.4).unwrap(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

    /// A place is in what is left where it was in the body and is in no hole: told by solid angles before and after, and by planes.
    #[test]
    fn what_is_left_is_what_lies_in_no_hole(
        which in 0..5usize,
        holes in prop::collection::vec(
            (0..3usize, [0.05..0.7f32, 0.05..0.7f32, 0.05..0.7f32], any::<[bool; 6]>(),
             [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64], [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64]), 1..4),
        upright in any::<bool>(),
        scale in prop_oneof![Just(1e-3f64), Just(1.0), Just(1e3)],
        places in prop::collection::vec([-1.1..1.1f64, -1.1..1.1f64, -1.1..1.1f64], 60),
    ) {
        let shape = &shapes()[which].scaled(scale).unwrap();
        let size = |x: f32| (f64::from(x) * scale) as f32;
        let holes: Holes = holes.iter().map(|(kind, sizes, open, at, turn)| {
            let [x, y, z] = sizes.map(size);
            let primitive = match kind {
                0 => Primitive::Sphere { radius: x },
                1 => Primitive::Cylinder { half_height: y, radius: x },
                _ => Primitive::Cuboid { half: [x, y, z] },
            };
            let mut hole = Cutout::new(primitive).unwrap().facets(24).unwrap();
            for (k, &open) in open.iter().enumerate() {
                if open && (*kind == 2 && k < 4 || *kind == 1 && k / 2 == 2) {
                    hole = hole.open(k / 2, k % 2 == 1).unwrap();
                }
            }
            let turn = if upright { UnitQuaternion::identity() } else { UnitQuaternion::from_scaled_axis(Vector3::from(*turn)) };
            // On quarters, corners come to lie in planes.
            let at = if upright { at.map(|x| (4.0 * x).round() / 4.0) } else { *at };
            (Isometry3::from_parts(Translation3::from(Vector3::from(at) * scale), turn), hole)
        }).collect();
        let before = Shape::cut(shape, &[]).unwrap();
        let left = match shape.cut(&holes) {
            Ok(left) => left,
            Err(ShapeError::Swallowed { .. }) => return Ok(()),
            // Walls of holes that lie in one plane may be left with no thickness between them.
            Err(ShapeError::Uncut { .. }) if upright => return Ok(()),
            Err(error) => panic!("{error}"),
        };
        let body = match shape::closed_mesh(&before) {
            Some(mesh) => mesh,
            None => panic!("all of them have a surface"),
        };
        let tools: Vec<Polyhedron> = holes.iter().map(|(pose, hole)| hole.polyhedron(pose, &body, 0.0)).collect();
        let left = match &left {
            Shape::Mesh(mesh) => mesh.clone(),
            whole => shape::closed_mesh(whole).unwrap(),
        };
        prop_assert!(left.is_closed());
        for place in places {
            let p = Point3::from(place.map(|x| x * scale));
            let winding = body.winding_number(&p);
            // Depth in a hole; near a surface rounding decides.
            let deep = tools.iter().map(|tool| -tool.planes.iter().map(|plane| plane.height(&p)).fold(f64::NEG_INFINITY, f64::max));
            let deepest = deep.fold(f64::NEG_INFINITY, f64::max);
            let after = left.winding_number(&p);
            if (winding - winding.round()).abs() > 1e-6 || deepest.abs() < 1e-4 * scale || (after - after.round()).abs() > 1e-6 {
                continue;
            }
            prop_assert_eq!(after.round(), if deepest < 0.0 { winding.round() } else { 0.0 });
        }
    }
}

#[test]
fn many_holes_leave_a_sound_mesh() {
    let mut holes = Vec::new();
    for k in 0..12 {
        let [x, y] = [k % 4, k / 4].map(f64::from);
        holes.push((Isometry3::translation(0.45 * x - 0.7, 0.6 * y - 0.6, 0.0), through(0.1, 0.15)));
    }
    let plate = block([1.0, 1.0, 0.1]).cut(&holes).unwrap();
    assert!((volume(&plate) - 0.8 + 12.0 * polygon() * 0.0225 * 0.2).abs() < 1e-5);
    let mesh = mesh_of(&plate);
    assert!(mesh.is_closed() && mesh.report().defects.is_empty(), "{:?}", mesh.report());
    // As many handles as holes: V − E + F = 2 − 2 · 12.
    let euler = mesh.vertices().len() as i64 - mesh.edges().len() as i64 + mesh.triangles().len() as i64;
    assert_eq!(euler, 2 - 2 * 12);
}
