use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{BodyPath, Motion, PairPath, Side};

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn pose(size: f64) -> impl Strategy<Value = Isometry3<f64>> {
    (vector(size), vector(3.0)).prop_map(|(t, r)| Isometry3::new(t, r))
}

/// A chain that may branch, and two configurations.
fn moving_linkage() -> impl Strategy<Value = (Linkage, Vec<f64>, Vec<f64>)> {
    let joint = (0..5u32, pose(0.8), vector(1.0), any::<prop::sample::Index>(), -3.0..3.0f64, -2.0..2.0f64);
    prop::collection::vec(joint, 1..9).prop_map(|all| {
        let mut joints = Vec::new();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (k, (kind, origin, axis, parent, value, way)) in all.into_iter().enumerate() {
            let joint = match kind {
                0..=2 => Joint::revolute(axis),
                3 => Joint::prismatic(axis),
                _ => Joint::fixed(),
            };
            // Mostly one behind the other.
            let parent = if kind == 1 { parent.index(k.max(1)) } else { k.max(1) - 1 };
            joints.push(if k == 0 { joint.at(origin) } else { joint.on(parent).at(origin) });
            if kind <= 3 {
                let resting = k % 3 == 2;
                from.push(value);
                to.push(if resting { value } else { value + way });
            }
        }
        (Linkage::new(&joints).unwrap(), from, to)
    })
}

fn values_at(from: &[f64], to: &[f64], time: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + (to - from) * time).collect()
}

proptest! {
    #[test]
    fn a_path_goes_where_the_joints_lead(
        (linkage, from, to) in moving_linkage(), child in pose(0.5), time in 0.0..=1.0f64, p in vector(1.0),
    ) {
        let link = linkage.links() - 1;
        let mut path = LinkPath::default();
        let mut poses = Vec::new();
        for carrier in [None, linkage.carrier(link, 0).filter(|&carrier| carrier != link)] {
            linkage.path(link, carrier, &child, [&from, &to], &mut path);
            linkage.poses(&values_at(&from, &to, time), &mut poses);
            let base = carrier.map_or(Isometry3::identity(), |carrier| poses[carrier]);
            let expected = base.inverse() * poses[link] * child;
            let origin = Point3::new(0.3, -0.2, 0.1);
            let placed = path.at(time, &origin);
            let there = placed.rotation * p + placed.place + origin.coords;
            prop_assert!((there - (expected * Point3::from(p)).coords).norm() < 1e-11);
            // Beside a body that stands still, and as the rigid motion that it may be.
            let still = Motion::still(pose_of(&origin));
            let motion = path.as_motion();
            let bodies = [BodyPath::Link(&path), motion.as_ref().map_or(BodyPath::Link(&path), BodyPath::Rigid)];
            for body in bodies {
                let pair = PairPath::of([BodyPath::Rigid(&still), body]);
                let (frame, twists) = pair.placed(time);
                let seen = frame.place_f64(Side::B, &Point3::from(p));
                prop_assert!((frame.to_world(&seen) - expected * Point3::from(p)).norm() < 1e-11);
                let later = pair.at(time + 1e-6).place_f64(Side::B, &Point3::from(p));
                let velocity = twists[1].at(&seen.coords);
                prop_assert!(((later - seen) / 1e-6 - velocity).norm() < 1e-3);
            }
        }
    }

    #[test]
    fn nothing_is_faster_or_bends_more_than_the_bounds_say(
        (linkage, from, to) in moving_linkage(), p in vector(0.7),
    ) {
        let link = linkage.links() - 1;
        let mut path = LinkPath::default();
        linkage.path(link, None, &Isometry3::identity(), [&from, &to], &mut path);
        let radius = p.norm();
        let at = |time: f64| {
            let placed = path.at(time, &Point3::origin());
            placed.rotation * p + placed.place
        };
        let (speed, acceleration) = (path.speed(radius), path.acceleration(radius));
        let h = 1e-4;
        for k in 1..200 {
            let time = f64::from(k) / 200.0;
            let [before, here, after] = [at(time - h), at(time), at(time + h)];
            prop_assert!((after - before).norm() / (2.0 * h) <= speed * (1.0 + 1e-6) + 1e-9);
            let second = (after - here * 2.0 + before).norm() / (h * h);
            prop_assert!(second <= acceleration * (1.0 + 1e-4) + 1e-5, "{second} for {acceleration}");
        }
        // Chords and tangents, over spans of all lengths.
        let still = Motion::still(Isometry3::identity());
        let pair = PairPath::of([BodyPath::Rigid(&still), BodyPath::Link(&path)]);
        for span in [0.01, 0.1, 0.5, 1.0] {
            let (first, last) = (at(0.0), at(span));
            for normal in [Vector3::x(), Vector3::y(), Vector3::z()] {
                let allowed = pair.sagitta(Side::B, &normal, radius, span) + 1e-12;
                for k in 0..=20 {
                    let s = f64::from(k) / 20.0;
                    let chord = first * (1.0 - s) + last * s;
                    prop_assert!((at(span * s) - chord).dot(&normal).abs() <= allowed);
                }
            }
        }
    }
}

fn pose_of(p: &Point3<f64>) -> Isometry3<f64> {
    Isometry3::translation(p.x, p.y, p.z)
}

/// A point that is carried around at full reach is accelerated as the bound says, not less.
#[test]
fn the_bounds_are_reached() {
    let next = Joint::revolute(Vector3::z()).on(0).at(Isometry3::translation(1.0, 0.0, 0.0));
    let linkage = Linkage::new(&[Joint::revolute(Vector3::z()), next]).unwrap();
    let mut path = LinkPath::default();
    // Stretched out, both joints the same way at speeds 2 and 3, a point at 0.5 behind the second.
    linkage.path(1, None, &Isometry3::identity(), [&[0.0, 0.0], &[2.0, 3.0]], &mut path);
    assert_eq!((path.speed(0.5), path.spin()), (2.0 * 1.5 + 3.0 * 0.5, 5.0));
    // 4 · 1 for the elbow, and (2 + 3)² · 0.5 about it.
    assert!((path.acceleration(0.5) - 16.5).abs() < 1e-12);
}

#[test]
fn a_single_turn_is_a_rigid_motion_and_two_are_none() {
    let slide = Joint::prismatic(Vector3::new(0.0, 2.0, 0.0));
    let turn = Joint::revolute(Vector3::x()).on(0).at(Isometry3::translation(0.0, 0.0, 1.0));
    let second = Joint::revolute(Vector3::z()).on(1);
    let linkage = Linkage::new(&[slide, turn, second]).unwrap();
    let mut path = LinkPath::default();
    let mut rigid = |from: &[f64; 3], to: &[f64; 3]| {
        linkage.path(2, None, &Isometry3::identity(), [from, to], &mut path);
        path.as_motion()
    };
    assert!(rigid(&[0.0; 3], &[1.0, 2.0, 0.0]).is_some());
    assert!(rigid(&[0.0; 3], &[1.0, 0.0, 1.0]).is_some());
    assert_eq!(rigid(&[0.5; 3], &[0.5; 3]).map(|m| m.way().norm()), Some(0.0));
    assert!(rigid(&[0.0; 3], &[1.0, 2.0, 1.0]).is_none());
    let linear = rigid(&[0.0; 3], &[1.0, 0.0, 0.0]).unwrap();
    assert_eq!((linear.way(), linear.rotation_vector()), (Vector3::y(), Vector3::zeros()));
}

#[test]
fn linkages_that_cannot_be_used_are_named() {
    let joint = Joint::revolute(Vector3::z());
    let refused = |joints: &[Joint]| Linkage::new(joints).err();
    assert_eq!(refused(&[]), Some(LinkageError::Empty));
    let unknown = LinkageError::UnknownParent { link: 1, parent: 7, links: 2 };
    assert_eq!(refused(&[joint, joint.on(7)]), Some(unknown));
    assert!(matches!(refused(&[joint, joint.on(2), joint.on(1)]), Some(LinkageError::Cycle { .. })));
    assert!(matches!(refused(&[joint.on(0)]), Some(LinkageError::Cycle { link: 0 })));
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0), Vector3::new(f64::INFINITY, 0.0, 1.0)] {
        assert!(matches!(refused(&[Joint::revolute(axis)]), Some(LinkageError::Axis { link: 0, .. })));
    }
    assert!(refused(&[Joint::revolute(Vector3::new(0.0, 1e300, 0.0))]).is_none());
    assert!(refused(&[Joint::prismatic(Vector3::new(0.0, 1e-300, 0.0))]).is_none());
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(refused(&[joint.at(nowhere)]), Some(LinkageError::Origin { link: 0, .. })));
    let linkage = Linkage::new(&[joint, Joint::fixed().on(0), Joint::prismatic(Vector3::x()).on(1)]).unwrap();
    assert_eq!((linkage.links(), linkage.degrees()), (3, 2));
    assert_eq!(linkage.check(&[0.0; 3]), Err(LinkageError::Values { given: 3, degrees: 2 }));
    for bad in [f64::NAN, f64::INFINITY, 1e5] {
        assert!(matches!(linkage.check(&[bad, 0.0]), Err(LinkageError::Value { joint: 0, .. })));
    }
    assert!(matches!(linkage.check(&[0.0, 1e31]), Err(LinkageError::Value { joint: 1, .. })));
    assert_eq!(linkage.check(&[1.0, 1e5]), Ok(()));
    assert!(matches!(linkage.based_at(&nowhere), Err(LinkageError::Base(_))));
}
