//! Poses, checked.

use impinge::geometry::canonical::checked_pose;
use impinge::nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use crate::memory::given;
use crate::status::{Failure, ImpStatus};

/// How far the length of a quaternion may be from 1: more is no rounding, even of single precision over many steps.
const UNIT: f64 = 1e-3;

/// Where something stands.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpPose {
    /// Place of its origin (m).
    pub position: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
}

impl ImpPose {
    pub(crate) fn read(&self, name: &str) -> Result<Isometry3<f64>, Failure> {
        let [x, y, z, w] = self.rotation;
        let turn = Quaternion::new(w, x, y, z);
        let off = (turn.norm() - 1.0).abs();
        if off > UNIT {
            return Err(Failure::new(
                ImpStatus::Pose,
                format!(
                    "`{name}`: the quaternion {:?} has length {}; it must be 1 (x, y, z, w)",
                    self.rotation,
                    turn.norm()
                ),
            ));
        }
        let pose =
            Isometry3::from_parts(Translation3::from(self.position), UnitQuaternion::new_unchecked(turn));
        checked_pose(&pose).map_err(|error| Failure::new(ImpStatus::Pose, format!("`{name}`: {error}")))
    }
}

impl From<&Isometry3<f64>> for ImpPose {
    fn from(pose: &Isometry3<f64>) -> ImpPose {
        ImpPose { position: pose.translation.vector.into(), rotation: pose.rotation.coords.into() }
    }
}

/// A pose that must be given.
pub(crate) fn pose(at: Option<&ImpPose>, name: &str) -> Result<Isometry3<f64>, Failure> {
    given(at, name)?.read(name)
}

/// A pose; the identity where none is given.
pub(crate) fn pose_or_identity(at: Option<&ImpPose>, name: &str) -> Result<Isometry3<f64>, Failure> {
    at.map_or(Ok(Isometry3::identity()), |at| at.read(name))
}

/// Poses of an array.
pub(crate) fn poses(all: &[ImpPose], name: &str) -> Result<Vec<Isometry3<f64>>, Failure> {
    all.iter().enumerate().map(|(k, pose)| pose.read(&format!("{name}[{k}]"))).collect()
}

/// The pose that turns and moves nothing.
#[unsafe(no_mangle)]
pub extern "C" fn imp_pose_identity() -> ImpPose {
    ImpPose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }
}
