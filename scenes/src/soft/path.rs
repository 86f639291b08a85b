//! Where a body stands at a time.

use nalgebra::{Isometry3, Point3};

/// Poses at times, and smooth ways between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Times (s), rising, and poses (m, world).
    keys: Vec<(f64, Isometry3<f64>)>,
    /// The point of the body (m, its own frame) that goes straight; the body turns about it.
    pivot: Point3<f64>,
}

impl Path {
    /// A path through poses at times (s) that rise; there has to be one. The pivot goes straight from one to the next.
    pub fn new(keys: Vec<(f64, Isometry3<f64>)>, pivot: Point3<f64>) -> Path {
        Path { keys, pivot }
    }

    /// The pose at a time (s): before the first and after the last the body stands still, and it starts and stops gently at
    /// each of them.
    pub fn at(&self, time: f64) -> Isometry3<f64> {
        let next = self.keys.partition_point(|(at, _)| *at <= time);
        let Some((from, start)) = self.keys.get(next.wrapping_sub(1)).or(self.keys.first()) else {
            return Isometry3::identity();
        };
        let Some((to, end)) = self.keys.get(next) else { return *start };
        let share = ((time - from) / (to - from)).clamp(0.0, 1.0);
        let share = share * share * (3.0 - 2.0 * share);
        let rotation = start.rotation.slerp(&end.rotation, share);
        let place = (start * self.pivot).coords.lerp(&(end * self.pivot).coords, share);
        Isometry3::from_parts((place - rotation * self.pivot.coords).into(), rotation)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn it_goes_through_its_poses_and_the_pivot_goes_straight() {
        let pivot = Point3::new(0.0, 0.0, -1.0);
        let keys = [(1.0, 0.0, 0.0), (2.0, 3.0, 0.7), (4.0, 1.0, -0.5)];
        let pose = |x: f64, turn: f64| {
            let rotation = Isometry3::new(Vector3::zeros(), Vector3::y() * turn);
            Isometry3::translation(x, 0.0, 0.0) * rotation * Isometry3::translation(0.0, 0.0, 1.0)
        };
        let path = Path::new(keys.map(|(time, x, turn)| (time, pose(x, turn))).to_vec(), pivot);
        for (time, x, turn) in keys {
            let wanted = pose(x, turn);
            let off = (path.at(time) * Point3::origin() - wanted * Point3::origin()).norm();
            assert!(off < 1e-12 && path.at(time).rotation.angle_to(&wanted.rotation) < 1e-9, "{time}");
        }
        for (beyond, end) in [(-9.0, 1.0), (99.0, 4.0)] {
            let off = path.at(beyond).to_homogeneous() - path.at(end).to_homogeneous();
            assert!(off.norm() < 1e-12, "{beyond}: {off}");
        }
        let at = path.at(1.5) * pivot;
        assert!((at - Point3::new(1.5, 0.0, 0.0)).norm() < 1e-12, "{at}");
    }
}
