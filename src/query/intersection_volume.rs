//! The volume that two shapes share, as a whole.

use impinge_midphase::{CandidateBatch, PairJob};
use impinge_pair::IntersectionVolume as Found;
use nalgebra::{Isometry3, Point3, Vector3};

use super::subshapes::Poses;
use super::{PairQuery, PreparedShape, QueryError, QueryScratch};

/// The intersection volume of two bodies as a whole, in the frame of the poses asked about: what volumetric
/// contact models make a force of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntersectionVolume {
    /// Volume of the overlap (m³).
    pub volume: f64,
    /// The volume is off by no more than this (m³). It is rounding for two meshes. It is infinite if
    /// no bound is known: for a mesh and a sphere, capsule or cylinder, and for volumes that a GPU
    /// measured.
    pub error: f64,
    /// Area vector of A's surface inside B (m²): what the volume changes by when A is moved. Moving B along
    /// it makes the overlap smaller.
    pub gradient: Vector3<f64>,
    /// What the volume changes by when A is turned about the origin (m³): ∫ x × dA over A's surface inside B. With the
    /// gradient it is the derivative by all six motions: the direction of the wrench on B of any law of the volume. `None` on a
    /// GPU, whose lines do not see the walls that run along them.
    pub moment: Option<Vector3<f64>>,
    /// Centroid of the overlap (m); `None` where there is no volume.
    pub centroid: Option<Point3<f64>>,
    /// The longest interval along the gradient that lies in both bodies (m); of primitives and hulls their
    /// depth.
    pub thickness: f64,
}

impl PairQuery {
    /// The intersection volume with A at `a` and B at `b` (m), its gradient and its centroid. Of
    /// meshes (boxes and hulls beside a mesh among them) the volume is exact to rounding, and `error` bounds what it is off by: it is
    /// summed up over both surfaces where they are inside the other body, every place as often as a surface that overlaps itself winds
    /// round it. No translation that separates them is searched. Of composites it is the sum over the pairs of their children.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let shared = query.intersection_volume(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, 0.9))?;
    /// let shared = shared.ok_or("known for boxes")?;
    /// assert!((shared.volume - 0.1).abs() < 1e-6 && shared.error < 1e-6);
    /// assert!((shared.gradient - Vector3::z()).norm() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// `None` where one of the bodies bounds no volume, or one is a half-space and the other a
    /// primitive without a closed form for it.
    ///
    /// # Errors
    /// [`QueryError::Pose`] for a pose that is not finite.
    pub fn intersection_volume(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
    ) -> Result<Option<IntersectionVolume>, QueryError> {
        self.intersection_volume_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::intersection_volume`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn intersection_volume_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<IntersectionVolume>, QueryError> {
        let poses = Poses::new(a, b)?;
        let mut batch = scratch.batch();
        self.find(0, &poses, &mut batch);
        let shared = self.intersection_of(&batch, batch.jobs.iter().map(|job| (job, None)), scratch);
        scratch.keep(batch);
        Ok(shared)
    }

    /// The sum over the jobs of one placement, each with what is known of it already (pair frame).
    pub(super) fn intersection_of<'b, 's: 'b>(
        &self,
        batch: &CandidateBatch<'s>,
        jobs: impl Iterator<Item = (&'b PairJob<'s>, Option<Found>)>,
        scratch: &mut QueryScratch,
    ) -> Option<IntersectionVolume> {
        if !self.shapes.iter().all(PreparedShape::is_solid) {
            return None;
        }
        let mut sum = Found::default();
        for (job, known) in jobs {
            let found = known.or_else(|| {
                impinge_pair::intersection_volume(job, batch, &self.narrow, &mut scratch.narrow)
            })?;
            // The pair frame's axes are the world's.
            let middle = job.frame.to_world(&Point3::origin());
            let torque = found.torque.map(|torque| torque + middle.coords.cross(&found.gradient));
            sum = sum.and(&Found { centroid: job.frame.to_world(&found.centroid), torque, ..found });
        }
        let Found { volume, error, gradient, torque: moment, centroid, thickness } = sum;
        let centroid = (volume > 0.0).then_some(centroid);
        Some(IntersectionVolume { volume, error, gradient, moment, centroid, thickness })
    }
}
