use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{PairFrame, PoseError, Side};

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    (vector(2.0), vector(3.0)).prop_map(|(t, r)| Isometry3::new(t, r))
}

fn motion() -> impl Strategy<Value = Motion> {
    (pose(), pose(), vector(1.0), prop::option::of(vector(9.0))).prop_map(|(from, to, center, turn)| {
        let motion = Motion::between(from, to).about(Point3::from(center));
        turn.map_or(motion, |turn| motion.turn(turn))
    })
}

proptest! {
    #[test]
    fn the_reference_point_runs_on_a_line_and_the_rest_turns(m in motion(), time in 0.0..1.0f64, p in vector(1.0)) {
        let center = |t: f64| m.pose(t) * *m.center();
        let line = center(0.0) + m.way() * time;
        prop_assert!((center(time) - line).norm() < 1e-12);
        let radius = (m.pose(time) * Point3::from(p) - center(time)).norm();
        prop_assert!((radius - (Point3::from(p) - m.center()).norm()).abs() < 1e-12);
        let turned = UnitQuaternion::from_scaled_axis(m.rotation_vector() * time) * m.start().rotation;
        prop_assert!((turned.inverse() * m.pose(time).rotation).angle() < 1e-7);
    }

    #[test]
    fn a_part_of_a_motion_is_the_motion(m in motion(), cut in prop::array::uniform2(0.0..1.0f64), time in 0.0..1.0f64) {
        let part = m.part(cut[0], cut[1]);
        let there = part.pose(time);
        let same = m.pose(cut[0] + (cut[1] - cut[0]) * time);
        prop_assert!((there.to_homogeneous() - same.to_homogeneous()).norm() < 1e-11);
    }

    #[test]
    fn a_path_places_what_the_motions_place(m in motion(), n in motion(), time in 0.0..1.0f64, p in vector(1.0)) {
        let path = PairPath::new([&m, &n]);
        let frame = path.at(time);
        for (side, motion) in [(Side::A, &m), (Side::B, &n)] {
            let placed = frame.place_f64(side, &Point3::from(p));
            let there = motion.pose(time) * Point3::from(p);
            prop_assert!((frame.to_world(&placed) - there).norm() < 1e-12);
            let later = path.at(time + 1e-6).place_f64(side, &Point3::from(p));
            let velocity = path.placed(time).1[side.index()].at(&placed.coords);
            prop_assert!(((later - placed) / 1e-6 - velocity).norm() < 1e-3);
        }
        prop_assert_eq!(path.at(0.0), PairFrame::new(m.start(), n.start()));
    }

    #[test]
    fn heights_stay_by_the_sagitta_beside_their_chords(
        m in motion(), p in vector(1.0), normal in vector(1.0), times in prop::array::uniform2(0.0..1.0f64),
    ) {
        let path = PairPath::new([&m, &Motion::still(Isometry3::identity())]);
        let [from, to] = [times[0].min(times[1]), times[0].max(times[1])];
        let normal = normal.normalize();
        let height = |t: f64| {
            let frame = path.at(t);
            normal.dot(&(frame.place_f64(Side::A, &Point3::from(p)).coords))
        };
        let radius = path.arm_of(Side::A, &path.at(from).place_f64(Side::A, &Point3::from(p)).coords, from);
        let allowed = path.sagitta(Side::A, &normal, radius, to - from) + 1e-12;
        for k in 0..=40 {
            let s = f64::from(k) / 40.0;
            let chord = (1.0 - s) * height(from) + s * height(to);
            prop_assert!((height(from + s * (to - from)) - chord).abs() <= allowed);
        }
    }

    #[test]
    fn a_child_moves_with_its_body(m in motion(), child in pose(), time in 0.0..1.0f64) {
        let there = m.of_child(&child).pose(time);
        let same = m.pose(time) * child;
        prop_assert!((there.to_homogeneous() - same.to_homogeneous()).norm() < 1e-11);
    }
}

#[test]
fn motions_that_cannot_be_used_are_named() {
    let here = Isometry3::identity();
    let nowhere = Isometry3::translation(0.0, f64::NAN, 0.0);
    let start = Motion::between(nowhere, here).checked();
    assert!(matches!(start, Err(MotionError::Start { source: PoseError::NotFinite { component: "y", .. } })));
    assert!(matches!(Motion::between(here, nowhere).checked(), Err(MotionError::End { .. })));
    let turning = |x: f64| Motion::still(here).turn(Vector3::new(0.0, x, 0.0)).checked();
    assert!(matches!(turning(f64::NAN), Err(MotionError::Turn { .. })));
    assert!(matches!(turning(1e9), Err(MotionError::Turn { .. })));
    assert!(turning(1e3).is_ok());
    let about = Motion::still(here).about(Point3::new(f64::INFINITY, 0.0, 0.0)).checked();
    assert!(matches!(about, Err(MotionError::Center { .. })));
    for bend in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Motion::still(here).bend(bend).checked(), Err(MotionError::Bend { .. })));
    }
    let long = Isometry3::from_parts(
        Translation3::new(1.0, 2.0, 3.0),
        UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(2.0, 0.0, 0.0, 0.0)),
    );
    let normalised = Motion::still(long).checked().map(|m| m.start().rotation.norm());
    assert!(normalised.is_ok_and(|norm| (norm - 1.0).abs() < 1e-15));
}
