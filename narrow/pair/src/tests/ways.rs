//! Translations that separate a pair.

use proptest::prelude::*;

use super::*;
use crate::scene::Scene;
use impinge_scenes::fixtures::torus;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// B is free elsewhere if and only if a pair that stands there does not touch.
    #[test]
    fn b_is_free_elsewhere_if_a_pair_there_does_not_touch(
        at in prop::array::uniform3(-0.9f64..0.9),
        shift in prop::array::uniform3(-1.0f64..1.0),
        flat in any::<bool>(),
    ) {
        let box_mesh = impinge_scenes::fixtures::box_mesh;
        let b = if flat { box_mesh([0.6, 0.4, 0.3]) } else { torus(0.6, 0.3, 32, 16) };
        let shapes = [torus(1.0, 0.25, 32, 16), b].map(Shape::from);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.8, 0.3, -0.5));
        let poses = [Pose::identity(), placed(at[0], at[1], at[2], turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &NarrowSettings::default());
        let shift = Vector3::from(shift);
        let free = asked.job(poses, |job, _, asked| {
            let scene = Scene::new(job, [false; 2], &asked.settings).unwrap();
            asked.scratch.samplers.offset_test.is_free(&scene.surfaces.unwrap(), &shift)
        });
        let there = Translation3::from(poses[1].translation.vector + shift);
        let there = Pose::from_parts(there, poses[1].rotation);
        prop_assert_eq!(free, !asked.at([poses[0], there]).touching);
    }
}

/// Linked tori of which a short translation stands alone among long ones: a search that is led by what is known of the directions beside
/// it gives up to three times as much.
#[test]
fn a_short_way_among_long_ones_is_found() {
    let shapes = [torus(1.0, 0.25, 32, 16), torus(0.6, 0.3, 32, 16)].map(Shape::from);
    let size = f64::from(torus(0.6, 0.3, 32, 16).bounding_sphere().radius);
    // (m), each free along the normal that was found with it.
    let known =
        [(39, 0.178_07), (50, 0.321_22), (66, 0.460_51), (128, 0.271_86), (249, 0.422_51), (298, 0.490_54)];
    for (k, length) in known {
        let at = |prime: f64| (f64::from(k) * prime).fract() * 1.6 - 0.8;
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(at(0.618), at(0.755), at(0.57)) * 2.0);
        let place = placed(size * at(0.819_2), size * at(0.671_0), size * 0.6 * at(0.549_7), turn);
        let mut asked = Asked::new(&shapes[0], &shapes[1], &NarrowSettings::default());
        let found = asked.at([Pose::identity(), place]);
        let deepest = found.patches.iter().map(|patch| patch.depth).fold(0.0, f64::max);
        assert!(deepest > 0.9 * length && deepest < 1.01 * length, "{k}: {deepest} for {length}");
    }
}
