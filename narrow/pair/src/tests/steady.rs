use proptest::prelude::*;

use super::*;
use impinge_scenes::fixtures::{box_mesh, torus};
use impinge_scenes::random::Random;

fn pose() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-1.2f64..1.2), prop::array::uniform3(-3.0f64..3.0))
        .prop_map(|(t, r)| placed(t[0], t[1], t[2], UnitQuaternion::from_euler_angles(r[0], r[1], r[2])))
}

fn pair() -> [TriMesh; 2] {
    [torus(1.0, 0.3, 20, 10), box_mesh([0.6, 0.4, 0.3])]
}

fn sorted(out: &PairResult) -> Vec<Patch> {
    let mut patches = out.patches.clone();
    let place = |p: &Patch| p.centroid.coords.dot(&Vector3::new(1.0, 0.37, 0.13));
    patches.sort_by(|a, b| place(a).total_cmp(&place(b)));
    patches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// With A and B exchanged the answer is mirrored: normals turn round, all else stays.
    #[test]
    fn exchanging_the_bodies_mirrors_the_answer(pose in pose()) {
        let [a, b] = pair().map(Shape::from);
        let poses = [Pose::identity(), pose];
        let one = Asked::new(&a, &b, &NarrowSettings::default()).at(poses);
        let two = Asked::new(&b, &a, &NarrowSettings::default()).at([poses[1], poses[0]]);
        prop_assert_eq!(one.touching, two.touching);
        prop_assert_eq!(one.patches.len(), two.patches.len());
        for (p, q) in sorted(&one).iter().zip(&sorted(&two)) {
            prop_assert!((p.normal + q.normal).norm() < 1e-6, "{:?} {:?}", p.normal, q.normal);
            prop_assert!((p.depth - q.depth).abs() < 1e-6);
            prop_assert!((p.volume - q.volume).abs() < 1e-6);
            prop_assert!((p.centroid - q.centroid).norm() < 1e-5);
        }
    }

    /// A scene a thousand times smaller, or larger, by a power of two is the same scene to the last bit.
    #[test]
    fn powers_of_two_scale_the_answer(pose in pose(), exponent in prop_oneof![Just(-10i32), Just(10)]) {
        let scale = 2f64.powi(exponent);
        let grown = |mesh: &TriMesh| {
            let vertices = mesh.vertices().iter().map(|p| p * scale as f32).collect();
            Shape::from(TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap())
        };
        let meshes = pair();
        let [a, b] = meshes.clone().map(Shape::from);
        let one = Asked::new(&a, &b, &NarrowSettings::default()).at([Pose::identity(), pose]);
        let mut far = pose;
        far.translation.vector *= scale;
        let two = Asked::new(&grown(&meshes[0]), &grown(&meshes[1]), &NarrowSettings::default())
            .at([Pose::identity(), far]);
        prop_assert_eq!(one.patches.len(), two.patches.len());
        for (p, q) in one.patches.iter().zip(&two.patches) {
            prop_assert!((p.normal - q.normal).norm() < 1e-9);
            prop_assert!((p.depth * scale - q.depth).abs() <= 1e-9 * q.depth.abs() + 1e-15 * scale);
            prop_assert!((p.volume * scale.powi(3) - q.volume).abs() <= 1e-9 * q.volume);
            let keys = |p: &Patch| p.points.iter().map(|p| p.key).collect::<Vec<_>>();
            prop_assert_eq!(keys(p), keys(q));
        }
    }

    /// Moving B by the depth along the normal leaves nothing or next to nothing of a shallow overlap.
    #[test]
    fn moving_by_the_depth_frees_a_shallow_overlap(turn in prop::array::uniform3(-3.0f64..3.0), sunk in 0.002f64..0.03) {
        // A box falls on a floor along z: it is sunk by so much at its lowest corner.
        let rotation = UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]);
        let half = Vector3::new(0.6, 0.4, 0.3);
        let reach: f64 = (0..3).map(|k| half[k] * rotation.to_rotation_matrix()[(2, k)].abs()).sum();
        let mut asked =
            Asked::new(&box_mesh([3.0, 3.0, 0.5]).into(), &box_mesh([0.6, 0.4, 0.3]).into(), &NarrowSettings::default());
        let out = asked.at([Pose::identity(), placed(0.1, 0.2, 0.5 + reach - sunk, rotation)]);
        prop_assert_eq!(out.patches.len(), 1);
        let p = &out.patches[0];
        prop_assert!(degrees(&p.normal, &Vector3::z()) < 1e-3);
        prop_assert!((p.depth / sunk - 1.0).abs() < 0.01, "{} of {}", p.depth, sunk);
        prop_assert!(p.depth < sunk * 1.0001);
    }
}

/// A box that rests and trembles by a thousandth of its size is sampled at the same places: keys stay.
#[test]
fn a_resting_body_keeps_its_keys() {
    let mut asked = Asked::new(
        &box_mesh([3.0, 3.0, 0.5]).into(),
        &box_mesh([0.6, 0.4, 0.3]).into(),
        &NarrowSettings::default(),
    );
    let keys = |out: &PairResult| out.patches[0].points.iter().map(|p| p.key).collect::<Vec<_>>();
    let mut first = None;
    for step in 0..40u32 {
        let t = f64::from(step) * 0.7;
        let tremble = Vector3::new(t.sin(), (1.3 * t).cos(), (0.7 * t).sin()) * 1e-5;
        let turn = UnitQuaternion::from_euler_angles(1e-5 * t.sin(), 1e-5 * t.cos(), 0.3 + 1e-5 * t.sin());
        let out =
            asked.at([Pose::identity(), placed(0.1 + tremble.x, 0.2 + tremble.y, 0.7995 + tremble.z, turn)]);
        assert_eq!(out.patches.len(), 1);
        let first = first.get_or_insert_with(|| keys(&out)).clone();
        assert_eq!(first, keys(&out), "at step {step}");
    }
}

/// The same question twice, with scratch that has seen other pairs, has the same answer to the last bit.
#[test]
fn scratch_does_not_matter() {
    let [a, b] = pair().map(Shape::from);
    let at = placed(0.9, 0.1, 0.2, UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5));
    let fresh = Asked::new(&a, &b, &NarrowSettings::default()).at([Pose::identity(), at]);
    let mut used = Asked::new(&a, &b, &NarrowSettings::default());
    for k in 0..5 {
        used.at([Pose::identity(), shift(0.2 * f64::from(k), 0.0, 0.1)]);
    }
    used.memory = NarrowMemory::default();
    assert_eq!(used.at([Pose::identity(), at]), fresh);
}

/// Where the depth of a shallow contact has freed the bodies, that is what is asked first in the next answer; where it has not, what they passed last
/// then. It is the same answer whether what is asked first holds or not, but for what shifts may be off by.
#[test]
fn what_is_asked_first_changes_no_depth() {
    let mut random = Random::new(7);
    let shapes =
        [box_mesh([0.6, 0.5, 0.4]), torus(0.6, 0.25, 24, 12), box_mesh([0.2, 0.7, 0.3])].map(Shape::from);
    let (mut freed, mut held, mut passed, mut differ) = (0, 0, 0, 0);
    for case in 0..150 {
        let both = [&shapes[case % 3], &shapes[case / 3 % 3]];
        let mut asked = Asked::new(both[0], both[1], &by_views());
        let flat = case % 2 == 0;
        let tilt = if flat { 1e-3 } else { 1.5 };
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| tilt * random.signed()));
        let at = [0.7 * random.signed(), 0.7 * random.signed()];
        // Down to where they come to touch, and a little farther.
        let high = asked.touching_height(at, turn);
        let poses = |sunk: f64| [Pose::identity(), placed(at[0], at[1], high - sunk, turn)];
        let depths = [0, 1].map(|_| 1e-4 + 3.9e-3 * random.unit());
        for sunk in [depths[0], depths[0], depths[1], depths[0], depths[1]] {
            let _ = asked.at(poses(sunk));
            let (was, is) = (asked.scratch.samplers.was_freed, asked.scratch.samplers.is_freed);
            freed += u32::from(was && is);
            held += u32::from(was && !is);
            passed += u32::from(asked.scratch.samplers.last_ends.is_some());
            // As with a memory of all but that.
            let again = |forgetful: bool| {
                let mut other = Asked::new(both[0], both[1], &by_views());
                other.memory = asked.memory.clone();
                if forgetful {
                    other.memory.forget_freed();
                }
                other.at(poses(sunk)).patches
            };
            let [fresh, known] = [true, false].map(again);
            assert_eq!(fresh.len(), known.len(), "case {case}");
            for (p, q) in fresh.iter().zip(&known) {
                // Where two places part last at once, either may be named.
                assert!((p.normal - q.normal).norm() < 1e-12, "case {case}: {} {}", p.normal, q.normal);
                assert!((p.depth - q.depth).abs() < 1e-8, "case {case}: {} {}", p.depth, q.depth);
                assert_eq!(p.points.len(), q.points.len(), "case {case}");
                let near = |(p, q): (&PatchPoint, &PatchPoint)| (p.on_a - q.on_a).norm() < 1e-8;
                differ += u32::from(!p.points.iter().zip(&q.points).all(near));
            }
        }
    }
    let counts = [freed, held, passed, differ];
    assert!(freed > 50 && held > 5 && passed > 50 && differ < 20, "{counts:?}");
}
