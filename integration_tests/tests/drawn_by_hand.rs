//! Scenes whose contacts a person would draw without thinking, each with its geometry in words.
//! Lengths in metres; B is the body that moves.

use impinge::geometry::TriMesh;
use impinge::prelude::*;
use impinge_oracle::solids::{block, hollow_block, pin, ring, shape};

fn ask(a: TriMesh, b: TriMesh, pose_b: Isometry3<f64>) -> PairAnswer {
    ask_shapes(&shape(a), &shape(b), pose_b)
}

fn ask_shapes(a: &Shape, b: &Shape, pose_b: Isometry3<f64>) -> PairAnswer {
    let query = PairQuery::new(a, b, QuerySettings::default()).unwrap();
    let answer = query.at(&Isometry3::identity(), &pose_b).unwrap();
    assert_eq!(answer.touching, !answer.manifolds.is_empty(), "touching means at least one manifold");
    for manifold in &answer.manifolds {
        assert!((manifold.normal.norm() - 1.0).abs() < 1e-9);
        assert!((1..=4).contains(&manifold.points.len()));
    }
    answer
}

fn shift(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn assert_normal(manifold: &Manifold, wanted: Vector3<f64>, degrees: f64) {
    let off = manifold.normal.angle(&wanted).to_degrees();
    assert!(off < degrees, "normal {:?} is {off} degrees off", manifold.normal);
}

/// A cube of half edge 0.2 stands inside one of half edge 1, at x = 0.5: its nearest separating translation is to the
/// right, through the 0.3 to the wall and its own width of 0.4.
#[test]
fn a_body_inside_another_leaves_by_the_nearest_wall() {
    let answer = ask(block([1.0; 3]), block([0.2; 3]), shift(0.5, 0.0, 0.0));
    assert!(answer.contained && answer.touching);
    assert!((answer.volume.unwrap() - 0.064).abs() < 0.001, "{:?}", answer.volume);
    let deepest = &answer.manifolds[0];
    assert_normal(deepest, Vector3::x(), 1.0);
    assert!((deepest.depth - 0.7).abs() < 0.02, "depth {}", deepest.depth);
}

/// The same two cubes, turned against each other: still inside, still a separating translation that is no longer than
/// the distance through the nearest wall.
#[test]
fn a_turned_body_inside_another_is_contained_too() {
    let turned = UnitQuaternion::from_euler_angles(0.5, 0.3, 0.2);
    let answer = ask(
        block([1.0; 3]),
        block([0.2; 3]),
        Isometry3::from_parts(Translation3::new(0.1, -0.55, 0.2), turned),
    );
    assert!(answer.contained);
    let deepest = &answer.manifolds[0];
    assert_normal(deepest, -Vector3::y(), 5.0);
    assert!((0.6..=0.85).contains(&deepest.depth), "depth {}", deepest.depth);
}

/// A pin of radius 0.48 in a hole of radius 0.5, pushed to the right by 0.05: it has gone 0.03 deep
/// into the right wall and nowhere else; it is freed by going back to the left.
#[test]
fn a_pin_in_a_hole_touches_the_wall_it_is_pushed_against() {
    let answer = ask(ring(0.5, 1.0, 0.25, 64), pin(0.48, 0.5, 64), shift(0.05, 0.0, 0.0));
    assert!(answer.touching && !answer.contained);
    assert_eq!(answer.manifolds.len(), 1);
    let wall = &answer.manifolds[0];
    assert_normal(wall, -Vector3::x(), 1.0);
    assert!((wall.depth - 0.03).abs() < 0.002, "depth {}", wall.depth);
    // The circles cross at x = 0.221; from there on to the right the pin is in the wall.
    assert!(wall.points.iter().all(|p| p.position.x > 0.2 && p.position.z.abs() <= 0.2501));
    let spread = |f: fn(&ContactPoint) -> f64| {
        let (low, high) =
            wall.points.iter().map(f).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        high - low
    };
    assert!(spread(|p| p.position.z) > 0.4, "the points hold the pin along the hole");
}

/// The pin stands free in the middle of the hole: no contact.
#[test]
fn a_pin_free_in_a_hole_touches_nothing() {
    let answer = ask(ring(0.5, 1.0, 0.25, 64), pin(0.48, 0.5, 64), shift(0.0, 0.0, 0.0));
    assert!(!answer.touching && !answer.contained);
    assert_eq!(answer.volume, Some(0.0));
}

/// A cube floats in the cavity of a hollow one without touching: the cavity is outside.
#[test]
fn a_body_in_a_cavity_touches_nothing() {
    let answer = ask(hollow_block([1.0; 3], [0.8; 3]), block([0.3; 3]), shift(0.1, 0.2, -0.1));
    assert!(!answer.touching && !answer.contained, "{answer:?}");
}

/// The cube in the cavity is pressed 0.01 into the cavity's floor: it is pushed up again.
#[test]
fn a_body_on_the_floor_of_a_cavity_is_pushed_into_the_cavity() {
    let answer = ask(hollow_block([1.0; 3], [0.8; 3]), block([0.3; 3]), shift(0.1, 0.2, -0.51));
    assert!(answer.touching && !answer.contained);
    assert_eq!(answer.manifolds.len(), 1);
    assert_normal(&answer.manifolds[0], Vector3::z(), 0.5);
    assert!((answer.manifolds[0].depth - 0.01).abs() < 1e-4, "depth {}", answer.manifolds[0].depth);
    assert!((answer.volume.unwrap() - 0.36 * 0.01).abs() < 1e-4);
}

/// A small cube inside the wall of a hollow one, wholly in the material.
#[test]
fn a_body_inside_the_wall_of_a_hollow_one_is_contained() {
    let answer = ask(hollow_block([1.0; 3], [0.6; 3]), block([0.1; 3]), shift(0.8, 0.0, 0.0));
    assert!(answer.contained && answer.touching);
    assert!((answer.volume.unwrap() - 0.008).abs() < 2e-4);
    let out = &answer.manifolds[0];
    assert!(out.normal.x.abs() > 0.99, "out through the wall, {:?}", out.normal);
    assert!((out.depth - 0.3).abs() < 0.02, "depth {}", out.depth);
}

/// A slab 2 by 2 and 0.02 thick rests on a wide block, sunk by 0.001: it is held at its corners.
#[test]
fn a_thin_slab_rests_on_its_corners() {
    let answer = ask(block([3.0, 3.0, 0.5]), block([1.0, 1.0, 0.01]), shift(0.3, -0.2, 0.509));
    assert_eq!(answer.manifolds.len(), 1);
    let rest = &answer.manifolds[0];
    assert_normal(rest, Vector3::z(), 0.1);
    assert!((rest.depth - 0.001).abs() < 1e-5, "depth {}", rest.depth);
    assert!((rest.area - 4.0).abs() < 0.05, "area {}", rest.area);
    assert_eq!(rest.points.len(), 4);
    for point in &rest.points {
        let (x, y) = (point.position.x - 0.3, point.position.y + 0.2);
        assert!(x.abs() > 0.8 && y.abs() > 0.8, "a point at {x} {y} is no corner");
    }
}

/// A cube stands on a corner, sunk by 0.01 into a wide block: it is pushed straight up there.
#[test]
fn a_corner_touches_a_plane() {
    let half = 0.5f64;
    let up = UnitQuaternion::rotation_between(&Vector3::new(1.0, 1.0, 1.0), &Vector3::z()).unwrap();
    let height = 0.5 + half * 3f64.sqrt() - 0.01;
    let pose = Isometry3::from_parts(Translation3::new(0.2, 0.1, height), up);
    for answer in [
        ask(block([3.0, 3.0, 0.5]), block([0.5; 3]), pose),
        ask_shapes(
            &Shape::half_space(),
            &shape(block([0.5; 3])),
            Isometry3::from_parts(Translation3::new(0.2, 0.1, height - 0.5), up),
        ),
    ] {
        assert_eq!(answer.manifolds.len(), 1);
        let corner = &answer.manifolds[0];
        assert_normal(corner, Vector3::z(), 0.5);
        assert!((corner.depth - 0.01).abs() < 3e-4, "depth {}", corner.depth);
        for point in &corner.points {
            let off = (point.position.x - 0.2).hypot(point.position.y - 0.1);
            assert!(off < 0.03, "a point {off} away from the corner");
        }
    }
}

/// A cube stands exactly on another, turned by 30 degrees and off the middle: face to face, no overlap.
#[test]
fn coplanar_faces_touch_without_overlap() {
    let answer = ask(block([0.5; 3]), block([0.5; 3]), shift(0.25, 0.25, 1.0));
    assert!(answer.touching && !answer.contained);
    assert_eq!(answer.manifolds.len(), 1);
    let faces = &answer.manifolds[0];
    assert_normal(faces, Vector3::z(), 1e-3);
    assert!(faces.depth.abs() < 1e-6, "depth {}", faces.depth);
    assert!((faces.area - 0.5625).abs() < 0.05, "area {}", faces.area);
    assert_eq!(faces.points.len(), 4);
    for point in &faces.points {
        let (x, y) = (point.position.x - 0.125, point.position.y - 0.125);
        assert!(x.abs() > 0.25 && y.abs() > 0.25, "a point at {x} {y} is no corner of the shared square");
    }
}

/// A cube has sunk into another by far less than a lattice step: one nanometre, then one picometre.
#[test]
fn an_overlap_thinner_than_a_lattice_step_is_a_contact() {
    for sunk in [1e-9, 1e-12] {
        let answer = ask(block([0.5; 3]), block([0.5; 3]), shift(0.25, 0.25, 1.0 - sunk));
        assert!(answer.touching);
        let thin = &answer.manifolds[0];
        assert_normal(thin, Vector3::z(), 0.5);
        assert!((-1e-12..=1e-6).contains(&thin.depth), "depth {}", thin.depth);
        assert_eq!(thin.points.len(), 4);
    }
}

/// A corner that touches a face in one point exactly, and an edge that touches an edge: no area at all.
#[test]
fn a_single_point_of_touch_is_a_contact() {
    let tip = TriMesh::new(
        vec![
            Point3::new(0.0, 0.0, 0.0),
            Point3::new(1.0, 0.0, 1.0),
            Point3::new(0.0, 1.0, 1.0),
            Point3::new(-1.0, -1.0, 1.0),
        ],
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    )
    .unwrap();
    let answer = ask(block([2.0, 2.0, 0.5]), tip, shift(0.1, 0.1, 0.5));
    assert!(answer.touching, "touching counts");
    assert_eq!(answer.manifolds.len(), 1);
    assert_normal(&answer.manifolds[0], Vector3::z(), 1.0);
    assert!(answer.manifolds[0].depth.abs() < 1e-6);
    let at = answer.manifolds[0].points[0].position;
    assert!((at - Point3::new(0.1, 0.1, 0.5)).norm() < 1e-3, "{at}");
}

/// Two tori linked like chain links, pulled apart until their tubes press 0.02 into each other on the
/// inner side: one contact, along the line of pull, that pushes them together again.
#[test]
fn linked_rings_pull_on_their_inner_sides() {
    use impinge_scenes::mesh::Torus;
    let torus = Torus { major: 1.0, minor: 0.25, ..Torus::default() }.mesh().unwrap();
    let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    // Tube centres 1 apart along x would be the middle; the inner sides meet at 2 − 0.5 = 1.5.
    let pose = Isometry3::from_parts(Translation3::new(1.52, 0.0, 0.0), turned);
    let answer = ask(torus.clone(), torus, pose);
    assert_eq!(answer.manifolds.len(), 1, "{:?}", answer.manifolds);
    let pull = &answer.manifolds[0];
    assert_normal(pull, -Vector3::x(), 3.0);
    assert!((pull.depth - 0.02).abs() < 0.004, "depth {}", pull.depth);
}
