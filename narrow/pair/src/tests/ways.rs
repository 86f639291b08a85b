//! What is known of a separating translation before it is measured.

use proptest::prelude::*;

use super::*;
use crate::penetration::length;
use crate::region::Region;
use crate::sampler::Samplers;
use crate::scene::{PAIR_AXES, Scene};
use impinge_scenes::fixtures::torus;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A bound changes nothing below it.
    #[test]
    fn a_way_within_a_bound_is_the_way(
        at in prop::array::uniform3(-0.9f64..0.9),
        direction in prop::array::uniform3(-1.0f64..1.0),
        bound in 0.0..2.0f64,
    ) {
        let direction = Vector3::from(direction);
        prop_assume!(direction.norm() > 0.1);
        let direction = direction.normalize();
        let shapes = [torus(1.0, 0.25, 32, 16), torus(0.6, 0.3, 32, 16)].map(Shape::from);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.8, 0.3, -0.5));
        let poses = [Pose::identity(), placed(at[0], at[1], at[2], turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &NarrowSettings::default());
        let found = asked.job(poses, |job, _, asked| {
            let scene = Scene::new(job, [false; 2], &asked.settings).unwrap();
            let region = Region { axes: PAIR_AXES, extent: scene.interest };
            let sampler = &mut asked.scratch.samplers.close;
            let whole = length(&scene, &region, &direction, f64::INFINITY, sampler);
            let mut below = |bound: f64| length(&scene, &region, &direction, bound, sampler);
            (whole, below(bound), below(whole), below(whole.next_up()))
        });
        let (whole, bounded, at_bound, above) = found;
        prop_assert!(bounded == whole || whole > bound && bounded == f64::INFINITY, "{bounded} {whole} {bound}");
        prop_assert!(at_bound == whole && above == whole);
    }

    /// What is said of B elsewhere is what a pair says that stands there; and a way that is said to be exact frees B,
    /// what is a little shorter does not, and views see nothing in it.
    #[test]
    fn exact_ways_free_b_and_no_less_does(
        at in prop::array::uniform3(-0.9f64..0.9),
        direction in prop::array::uniform3(-1.0f64..1.0),
        shift in prop::array::uniform3(-1.0f64..1.0),
        flat in any::<bool>(),
    ) {
        let direction = Vector3::from(direction);
        prop_assume!(direction.norm() > 0.1);
        let direction = direction.normalize();
        let b = if flat { impinge_scenes::fixtures::box_mesh([0.6, 0.4, 0.3]) } else { torus(0.6, 0.3, 32, 16) };
        let shapes = [torus(1.0, 0.25, 32, 16), b].map(Shape::from);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.8, 0.3, -0.5));
        let poses = [Pose::identity(), placed(at[0], at[1], at[2], turn)];
        let mut asked = Asked::new(&shapes[0], &shapes[1], &NarrowSettings::default());
        let shift = Vector3::from(shift);
        let (free, seen, way, ends) = asked.job(poses, |job, _, asked| {
            let scene = Scene::new(job, [false; 2], &asked.settings).unwrap();
            let region = Region { axes: PAIR_AXES, extent: scene.interest };
            let Samplers { close, offset_test, .. } = &mut asked.scratch.samplers;
            let seen = length(&scene, &region, &direction, f64::INFINITY, close);
            let both = scene.surfaces.unwrap();
            let way = offset_test.length(&both, &direction, seen);
            let mut free = |v: Vector3<f64>| offset_test.is_free(&both, &v);
            let ends = way.map(|way| [0.995 * way, 1.002 * way].map(|length| free(direction * length)));
            (free(shift), seen, way, ends)
        });
        let [to] = [poses[1]].map(|p| Pose::from_parts(Translation3::from(p.translation.vector + shift), p.rotation));
        prop_assert_eq!(free, !asked.at([poses[0], to]).touching);
        if let Some(way) = way.filter(|way| *way > 0.0) {
            prop_assert_eq!(ends, Some([false, true]), "{} of {}", way, seen);
            prop_assert!(way <= 1.06 * seen + 1e-9);
        }
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
