//! Where particles stand in the frame of what they meet.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// Where particles stand in the frame of what they meet, and where that stands in the world.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    rotation: Matrix3<f64>,
    offset: Vector3<f64>,
    world_rotation: Matrix3<f64>,
    world_offset: Vector3<f64>,
    /// Which subshape it is.
    pub subshape: u32,
}

impl Placement {
    /// Particles whose frame stands at `cloud` in the frame of what stands at `other` (world). The places of the two are subtracted first, so
    /// that nothing is lost far from the world's origin.
    pub fn new(cloud: &Isometry3<f64>, other: &Isometry3<f64>, subshape: u32) -> Placement {
        let turn = |pose: &Isometry3<f64>| pose.rotation.to_rotation_matrix().into_inner();
        let (own, world_rotation) = (turn(cloud), turn(other));
        let between = cloud.translation.vector - other.translation.vector;
        Placement {
            rotation: world_rotation.tr_mul(&own),
            offset: world_rotation.tr_mul(&between),
            world_rotation,
            world_offset: other.translation.vector,
            subshape,
        }
    }

    /// A place of the particles' frame.
    #[inline(always)]
    pub fn local(&self, p: &Point3<f32>) -> Point3<f64> {
        let (m, t) = (&self.rotation, &self.offset);
        let [x, y, z] = [f64::from(p.x), f64::from(p.y), f64::from(p.z)];
        let row = |k: usize| ((m[(k, 0)] * x + m[(k, 1)] * y) + m[(k, 2)] * z) + t[k];
        Point3::new(row(0), row(1), row(2))
    }

    #[inline]
    pub fn to_world(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.world_rotation * p.coords + self.world_offset)
    }

    #[inline]
    pub fn turn_to_world(&self, v: &Vector3<f64>) -> Vector3<f64> {
        self.world_rotation * v
    }
}
