use impinge_scenes::fixtures::{box_mesh, torus};

use super::*;

/// How many views of so many pixels across and up the last answer has left.
pub(super) fn views(asked: &Asked, poses: [Pose; 2], count: [u32; 2]) -> usize {
    asked.memory.kept_views(&PairFrame::new(&poses[0], &poses[1]), count).count()
}

/// A ring rolls over a block, 25° a step, and stops: its contact is what it is without memory, and keeps its keys once it stands.
#[test]
fn a_contact_that_moves_on_is_what_it_is_without_memory() {
    let shapes = [box_mesh([3.0, 3.0, 0.5]), torus(0.6, 0.2, 48, 24)].map(Shape::from);
    let mut asked = Asked::new(&shapes[0], &shapes[1], &by_views());
    let roll = |step: u32| {
        let turn = 25f64.to_radians() * f64::from(step);
        let upright = UnitQuaternion::from_scaled_axis(Vector3::x() * 1.55);
        let on = UnitQuaternion::from_scaled_axis(Vector3::y() * turn) * upright;
        [Pose::identity(), placed(-1.0 + 0.8 * turn, 0.1, 0.5 + 0.797, on)]
    };
    for step in 0..6 {
        let poses = roll(step);
        let moving = asked.at(poses);
        let fresh = Asked::new(&shapes[0], &shapes[1], &by_views()).at(poses);
        let fewer = [[12, 12], [12, 8]].map(|count| views(&asked, poses, count));
        assert_eq!(fewer.iter().sum::<usize>(), 1, "step {step}");
        let (p, q) = (only(&moving), only(&fresh));
        assert!((p.normal - q.normal).norm() < 1e-9, "step {step}");
        assert!((p.gradient - q.gradient).norm() <= 1e-9 * q.gradient.norm(), "step {step}");
        assert_near(p.depth, q.depth, 0.003);
        assert_near(p.volume, q.volume, 0.02);
        assert!((p.pressure_center - q.pressure_center).norm() < 0.02 * q.radius, "step {step}");
    }
    let keys = |out: &PairResult| only(out).points.iter().map(|p| p.key).collect::<Vec<_>>();
    let stands = roll(5);
    let first = keys(&asked.at(stands));
    for _ in 0..3 {
        assert_eq!(keys(&asked.at(stands)), first);
    }
}
