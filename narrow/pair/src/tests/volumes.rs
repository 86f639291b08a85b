//! Volumes of two surfaces: of the pair, of its patches, and as a query answers, against closed forms and brute force.

use super::*;
use impinge_oracle::common_volume;
use impinge_oracle::solids::{block, hollow_block, pin, ring, scaled, slot};
use impinge_scenes::fixtures::{sphere_mesh, torus};
use impinge_scenes::mesh::{Gear, Knot};
use proptest::prelude::*;

fn settings(resolution: u32) -> NarrowSettings {
    NarrowSettings { resolution, ..NarrowSettings::default() }
}

/// A pair's contacts, and the answer to the query for its volume.
fn both(a: &TriMesh, b: &TriMesh, poses: [Pose; 2], resolution: u32) -> (PairResult, IntersectionVolume) {
    let mut asked = Asked::new(&a.clone().into(), &b.clone().into(), &settings(resolution));
    let out = asked.at(poses);
    let shared = asked.job(poses, |job, batch, asked| {
        intersection_volume(job, batch, &asked.settings, &mut asked.scratch).expect("both are closed")
    });
    (out, shared)
}

fn at(a: &TriMesh, b: &TriMesh, pose: Pose) -> (PairResult, IntersectionVolume) {
    both(a, b, [Pose::identity(), pose], 32)
}

/// Everything that says a volume says this one (m³), to a part of it.
#[track_caller]
fn assert_volume((out, shared): &(PairResult, IntersectionVolume), wanted: f64, part: f64) {
    assert_near(out.volume.unwrap(), wanted, part);
    assert_near(out.patches.iter().map(|patch| patch.volume).sum(), wanted, part);
    assert_near(shared.volume, wanted, part);
    assert!(shared.error <= 1e-9 * wanted, "{shared:?}");
}

#[test]
fn what_is_wider_than_its_contour_is_measured_whole() {
    // A cube with sides of 0.6 sticks out of a wall by a hundredth of its height, and by all but that.
    let (wall, cube) = (block([1.0; 3]), block([0.3; 3]));
    for part in [0.01, 0.5, 0.99] {
        let found = at(&wall, &cube, shift(0.1, -0.2, 0.7 + 0.6 * part));
        assert_volume(&found, 0.216 * (1.0 - part), 1e-5);
        // A ball in it all but for its top: wider than its contour.
        let ball = sphere_mesh(0.5, 24, 12);
        let pose = shift(0.0, 0.1, 0.5 + part);
        let wanted = common_volume([&wall, &ball], &PairFrame::new(&Pose::identity(), &pose));
        assert_volume(&at(&wall, &ball, pose), wanted, 1e-12);
    }
}

#[test]
fn flush_sides_add_nothing() {
    // Boxes of 16 x 16 x 16 m, one half in the other with all other sides flush: 16 x 16 x 8.
    let one = block([8.0; 3]);
    for pose in [shift(0.0, 0.0, 8.0), shift(-8.0, 0.0, 0.0), shift(0.0, 8.0, 0.0)] {
        assert_volume(&at(&one, &one, pose), 2048.0, 1e-14);
    }
    assert_volume(&at(&one, &one, shift(0.0, 0.0, 0.0)), 4096.0, 1e-14);
}

#[test]
fn one_overlap_counts_once() {
    // A rod through a ring's wall on both sides, a beam across a slot, a gear in a gear, a plate through a torus.
    let gear = Gear::default().mesh().unwrap();
    let reach = f64::from(gear.aabb().max[0]);
    let turned = UnitQuaternion::from_euler_angles(0.0, 0.02, 0.1);
    for (a, b, pose) in [
        (ring(0.5, 1.0, 0.2, 24), block([2.0, 0.1, 0.1]), shift(0.0, 0.03, 0.05)),
        (slot(0.4, 0.5, 1.0), block([0.8, 0.2, 0.3]), shift(0.0, 0.0, 0.4)),
        (gear.clone(), gear, placed(1.9 * reach, 0.0, 0.0, turned)),
        (torus(1.0, 0.3, 32, 16), block([2.0, 2.0, 0.01]), shift(0.0, 0.0, 0.05)),
        (block([1.0, 1.0, 0.2]), pin(0.2, 1.0, 12), placed(0.1, 0.0, 0.0, turned)),
    ] {
        let wanted = common_volume([&a, &b], &PairFrame::new(&Pose::identity(), &pose));
        for resolution in [8, 32] {
            assert_volume(&both(&a, &b, [Pose::identity(), pose], resolution), wanted, 1e-10);
        }
    }
}

#[test]
fn thin_bodies_have_their_volume_at_any_resolution() {
    // A plate of 12 triangles, 2 mm thick, and a ring of 160: between the lines of a coarse view.
    for (thin, tilt) in [(block([0.5, 0.4, 0.001]), 0.3), (ring(0.3, 0.31, 0.2, 20), 0.1)] {
        let body = sphere_mesh(0.4, 16, 8);
        let pose = placed(0.1, 0.05, 0.3, UnitQuaternion::from_euler_angles(tilt, -tilt, 0.2));
        let wanted = common_volume([&body, &thin], &PairFrame::new(&Pose::identity(), &pose));
        for resolution in [8, 16, 32] {
            assert_volume(&both(&body, &thin, [Pose::identity(), pose], resolution), wanted, 1e-10);
        }
    }
}

#[test]
fn a_body_that_touches_the_wall_from_inside_leaves_like_any_body_inside() {
    // A box of 1 x 1 x 1 in a box of 4 x 4 x 4, on its floor, against a wall, in a corner, and free of all of them.
    let (room, cube) = (block([2.0; 3]), block([0.5; 3]));
    let free = at(&room, &cube, shift(1.4, 0.1, 0.2));
    for (pose, depth) in [
        (shift(1.5, 0.1, 0.2), 1.0),
        (shift(0.3, 0.1, -1.5), 1.0),
        (shift(1.5, -1.5, -1.5), 1.0),
        (shift(1.4, 0.1, 0.2), 1.1),
    ] {
        let found = at(&room, &cube, pose);
        assert_volume(&found, 1.0, 1e-12);
        assert_eq!(found.0.containment, Containment::BInA);
        let patch = only(&found.0);
        assert_near(patch.depth, depth, 0.02);
        let outward = Vector3::from(pose.translation.vector.map(|x| if x.abs() > 1.3 { x } else { 0.0 }));
        assert!(patch.normal.dot(&outward) > 0.9, "{:?} at {pose:?}", patch.normal);
        assert_eq!(patch.origin, only(&free.0).origin);
    }
    // The same seen from the other.
    let found = at(&cube, &room, shift(-1.5, 0.0, 0.0));
    assert_volume(&found, 1.0, 1e-12);
    assert_near(only(&found.0).depth, 1.0, 0.02);
}

#[test]
fn what_is_inside_is_exact_and_cavities_are_none_of_it() {
    let hollow = hollow_block([1.0; 3], [0.5, 0.6, 0.4]);
    assert_volume(&at(&block([3.0; 3]), &hollow, shift(0.5, 0.2, 0.3)), 8.0 - 0.96, 1e-6);
    assert_volume(&at(&hollow, &block([0.1; 3]), shift(0.0, 0.8, 0.0)), 0.008, 1e-6);
    let (_, shared) = at(&hollow, &block([0.3; 3]), shift(0.0, 0.0, 0.0));
    assert_eq!((shared.volume, shared.error), (0.0, 0.0));
}

fn body(which: usize) -> TriMesh {
    match which {
        0 => block([0.7, 0.6, 0.5]),
        1 => sphere_mesh(0.8, 14, 8),
        2 => torus(0.7, 0.3, 14, 8),
        3 => ring(0.4, 0.9, 0.25, 10),
        4 => slot(0.3, 0.8, 0.6),
        5 => block([0.9, 0.8, 0.01]),
        _ => Knot::default().with_triangles(400).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn patches_add_up_to_the_volume_that_bodies_share(
        pair in [0..7usize, 0..7usize],
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        to in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
        size in -6..=6i32,
        resolution in prop_oneof![Just(8u32), Just(16), Just(32)],
    ) {
        let factor = 10f64.powi(size);
        let [a, b] = pair.map(|which| scaled(&body(which), factor as f32));
        let pose = Isometry3::from_parts(
            Translation3::from(Vector3::from(to) * factor),
            UnitQuaternion::from_scaled_axis(turn.into()),
        );
        let wanted = common_volume([&a, &b], &PairFrame::new(&Pose::identity(), &pose));
        let (out, shared) = both(&a, &b, [Pose::identity(), pose], resolution);
        // What tetrahedra that cancel out leave of nothing.
        let error = shared.error + 1e-25 * factor.powi(3);
        prop_assert!((shared.volume - wanted).abs() <= error, "{shared:?} for {wanted:e}");
        prop_assert!((out.volume.unwrap() - wanted).abs() <= error, "{:?} for {wanted:e}", out.volume);
        let patches: f64 = out.patches.iter().map(|patch| patch.volume).sum();
        prop_assert!((patches - wanted).abs() <= error + 1e-12 * wanted, "{patches:e} for {wanted:e}");
    }

    #[test]
    fn boxes_as_convex_solids_are_within_their_bound(
        half in [[0.1..1.0f32, 0.1..1.0f32, 0.01..1.0f32], [0.1..1.0f32, 0.1..1.0f32, 0.01..1.0f32]],
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        to in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
        straight in any::<bool>(),
    ) {
        let turn = if straight { Vector3::zeros() } else { Vector3::from(turn) };
        let pose = Isometry3::from_parts(Translation3::from(to), UnitQuaternion::from_scaled_axis(turn));
        let wanted = common_volume([&block(half[0]), &block(half[1])], &PairFrame::new(&Pose::identity(), &pose));
        let [a, b] = half.map(|half| Shape::cuboid(half).unwrap());
        let shared = Asked::new(&a, &b, &settings(32)).job([Pose::identity(), pose], |job, batch, asked| {
            intersection_volume(job, batch, &asked.settings, &mut asked.scratch).expect("known of boxes")
        });
        prop_assert!((shared.volume - wanted).abs() <= shared.error + 1e-25, "{shared:?} for {wanted:e}");
    }

    #[test]
    fn the_volume_changes_by_its_gradient(
        pair in [0..6usize, 0..6usize],
        turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        to in [-0.8..0.8f64, -0.8..0.8f64, -0.8..0.8f64],
        along in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
    ) {
        let [a, b] = pair.map(body);
        let turn = UnitQuaternion::from_scaled_axis(turn.into());
        let (to, along) = (Vector3::from(to), Vector3::from(along));
        let shared = |t: f64| {
            let pose = Isometry3::from_parts(Translation3::from(to - along * t), turn);
            both(&a, &b, [Pose::identity(), pose], 8).1
        };
        // Moving B back is moving A on. V is a cubic between events; over so short a way few edges meet others.
        let step = 1e-5;
        let [low, middle, high] = [-step, 0.0, step].map(shared);
        let slope = (high.volume - low.volume) / (2.0 * step);
        let error = (high.error + low.error) / (2.0 * step);
        prop_assert!(
            (slope - middle.gradient.dot(&along)).abs() <= error + 1e-4,
            "{slope} for {}", middle.gradient.dot(&along)
        );
    }
}
