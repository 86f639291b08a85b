//! One pair of shapes, without a world: are they touching, where, how deep, and if not, how far apart?
//! And one object against many, by height maps.

mod distance;
mod error;
mod height_map;
mod intersection_volume;
mod many;
mod memory;
mod pool;
mod settings;
mod subshapes;
mod surfaces;
mod touching;
mod winding;

use std::mem::take;

use impinge_contacts::{ContactSettings, Manifold, PairPlacement};
use impinge_exact::distance::DistanceScratch;
use impinge_geometry::Containment;
use impinge_geometry::{ColliderId, Shape, Side};
use impinge_midphase::{CandidateBatch, MidphaseCounts, PairJob, Placed, PreparedShape, TreeCache};
use impinge_pair::{NarrowMemory, NarrowScratch, NarrowSettings, PairResult};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::BuildError;
use crate::config::claim_thread;
use crate::report::{StepCounts, StepStatus};
use subshapes::Poses;
use surfaces::SurfaceScratch;

pub use distance::{NearestPoints, PairDistance};
pub use error::QueryError;
pub use height_map::{
    Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings, HeightMapTracker, SubshapeOverlap,
};
#[doc(inline)]
pub use impinge_exact::distance::{DistanceCounts, Feature};
pub use intersection_volume::IntersectionVolume;
pub use many::{PairTracker, PlacedPair, query_many};
pub use pool::QueryPool;
pub use settings::QuerySettings;
pub(crate) use subshapes::Poses as PairPoses;
pub use surfaces::{Contour, TrianglePair};
pub(crate) use touching::shapes_touch;

/// Two shapes made ready to be asked about at many poses. Asking changes nothing and can be done from
/// many threads at once; a [`QueryScratch`] lets one thread ask without allocating, and a
/// [`PairTracker`] remembers what was found last.
///
/// | question | answer |
/// |---|---|
/// | [`PairQuery::touching`] | yes or no (exact), at the first place found |
/// | [`PairQuery::triangle_pairs`] | all intersecting triangle pairs (exact), or their number |
/// | [`PairQuery::contours`] | the oriented lines along which the surfaces cross |
/// | [`PairQuery::distance`] | the distance with its nearest points and their features |
/// | [`PairQuery::distance_within`] | the same up to a bound, sooner where it is farther |
/// | [`PairQuery::intersection_volume`] | the volume in both bodies, its gradient and centroid |
/// | [`PairQuery::containment_by_winding`] | which body is inside the other, surfaces with gaps included |
/// | [`PairQuery::contacts`] | the manifolds, as a world would give them |
/// | [`PairQuery::at`] | the manifolds and all that was found with them |
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Shape::cuboid([0.5; 3])?;
/// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
/// let answer = query.at(&Isometry3::identity(), &Isometry3::translation(0.0, 0.0, 0.9))?;
/// assert!(answer.touching);
/// assert!((answer.manifolds[0].depth - 0.1).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PairQuery {
    shapes: [PreparedShape; 2],
    narrow: NarrowSettings,
    contacts: ContactSettings,
}

/// Buffers of a query, to be used again.
#[derive(Debug, Default)]
pub struct QueryScratch {
    narrow: NarrowScratch,
    result: PairResult,
    surfaces: SurfaceScratch,
    distance: DistanceScratch,
    leaf_pairs: Vec<[u32; 2]>,
    leaves: Vec<u32>,
    part_pairs: Vec<[u32; 2]>,
    /// Gaps between the bounding spheres of pairs of subshapes (m).
    gaps: Vec<(f64, [u32; 2])>,
}

impl QueryScratch {
    /// An empty batch on these buffers, which [`QueryScratch::keep`] takes back.
    fn batch<'s>(&mut self) -> CandidateBatch<'s> {
        let mut batch = CandidateBatch {
            jobs: Vec::new(),
            leaf_pairs: take(&mut self.leaf_pairs),
            leaves: take(&mut self.leaves),
            part_pairs: take(&mut self.part_pairs),
        };
        batch.clear();
        batch
    }

    fn keep(&mut self, batch: CandidateBatch<'_>) {
        (self.leaf_pairs, self.leaves, self.part_pairs) = (batch.leaf_pairs, batch.leaves, batch.part_pairs);
    }

    /// Costs of the distance searches that used these buffers, summed.
    pub fn distance_counts(&self) -> DistanceCounts {
        self.distance.counts
    }
}

/// The answer for a pair at one placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairAnswer {
    /// Whether the bodies touch: the surfaces intersect (exact), or one body is inside the other.
    pub touching: bool,
    /// Whether a body, or a component of it, is wholly inside the other.
    pub contained: bool,
    /// All intersecting triangle pairs (exact), where asked for and both sides are triangles.
    pub triangle_pairs: Option<u64>,
    /// Volume of the overlap (m³); `None` where a side bounds no volume, or it was not worked out.
    pub volume: Option<f64>,
    /// G of the whole overlap, the force on B per unit of pressure (m²): of closed bodies, the derivative of the volume when A
    /// is moved. Of surfaces with gaps, a guess.
    pub force: Vector3<f64>,
    /// The moment on B about the origin per unit of pressure (m³): the derivative of the volume when A is turned
    /// about it.
    pub moment: Vector3<f64>,
    /// Contacts; the world's frame is that of the poses asked about. Collider 0 is A, collider 1 is B.
    pub manifolds: Vec<Manifold>,
    /// Flags for whatever was dropped or is less certain.
    pub status: StepStatus,
}

impl PairQuery {
    /// Makes two shapes ready.
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn new(a: &Shape, b: &Shape, settings: QuerySettings) -> Result<PairQuery, BuildError> {
        let (narrow, contacts) = settings.checked()?;
        claim_thread();
        let mut trees = TreeCache::with_simd(settings.simd);
        let shapes = [a, b].map(|shape| PreparedShape::with_trees(shape, &mut trees));
        Ok(PairQuery { shapes, narrow, contacts })
    }

    /// Both shapes.
    fn shapes(&self) -> [&PreparedShape; 2] {
        self.shapes.each_ref()
    }

    /// The contacts with A at `a` and B at `b` (m), as a world would give them. Collider 0 is A, collider
    /// 1 is B.
    ///
    /// # Errors
    /// [`QueryError::Pose`].
    pub fn contacts(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<Vec<Manifold>, QueryError> {
        Ok(self.at(a, b)?.manifolds)
    }

    /// As [`PairQuery::contacts`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn contacts_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<Manifold>, QueryError> {
        Ok(self.at_with(a, b, scratch)?.manifolds)
    }

    /// The answer with A at `a` and B at `b` (m).
    ///
    /// # Errors
    /// [`QueryError::Pose`] for a pose that is not finite.
    pub fn at(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<PairAnswer, QueryError> {
        self.at_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::at`], with buffers that are used again.
    ///
    /// # Errors
    /// [`QueryError::Pose`] for a pose that is not finite.
    pub fn at_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairAnswer, QueryError> {
        let poses = Poses::new(a, b)?;
        let mut batch = scratch.batch();
        self.find(0, &poses, &mut batch);
        let answer = self.reduce(&batch, batch.jobs.iter(), scratch);
        scratch.keep(batch);
        Ok(answer)
    }

    /// The jobs of one placement, in a batch of many.
    fn find<'s>(&'s self, index: u32, poses: &Poses, batch: &mut CandidateBatch<'s>) {
        let [a, b] =
            Side::BOTH.map(|side| Placed { shape: &self.shapes[side.index()], pose: *poses.of(side) });
        impinge_midphase::find(index, a, b, self.narrow.margin, batch, &mut MidphaseCounts::default());
    }

    /// The answer of one placement's jobs.
    fn reduce<'b, 's: 'b>(
        &self,
        batch: &CandidateBatch<'s>,
        jobs: impl Iterator<Item = &'b PairJob<'s>>,
        scratch: &mut QueryScratch,
    ) -> PairAnswer {
        let closed = self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.is_solid()));
        let simple = self.shapes.iter().all(|shape| shape.parts().len() == 1);
        let mut answer = PairAnswer {
            triangle_pairs: (self.narrow.count_triangle_pairs && simple && self.have_triangles())
                .then_some(0),
            volume: closed.then_some(0.0),
            ..PairAnswer::default()
        };
        let mut parts = self.shapes.iter().flat_map(|shape| shape.parts());
        let closed_holes = parts.any(|p| p.surface.as_ref().is_some_and(|s| s.mesh.has_closed_holes()));
        let mut counts = StepCounts {
            soup_pairs: u64::from(!closed),
            closed_hole_pairs: u64::from(closed_holes),
            ..StepCounts::default()
        };
        for job in jobs {
            let QueryScratch { narrow, result, .. } = scratch;
            let memory = &mut NarrowMemory::default();
            impinge_pair::run(job, batch, &self.narrow, memory, narrow, result);
            let placement = PairPlacement {
                colliders: [0, 1].map(|index| ColliderId { index, generation: 0 }),
                frame: &job.frame,
                subshape_poses: job.parts.map(|part| part.pose),
                tolerance: 0.0,
            };
            let reduced =
                impinge_contacts::manifolds(result, &placement, &self.contacts, &mut answer.manifolds);
            answer.touching |= result.touching;
            answer.contained |= result.containment != Containment::None;
            answer.volume = answer.volume.and_then(|v| Some(v + result.volume?));
            let middle = job.frame.to_world(&Point3::origin());
            answer.force += result.gradient;
            answer.moment += result.torque + middle.coords.cross(&result.gradient);
            if let (Some(all), Some(some)) = (&mut answer.triangle_pairs, result.triangle_pairs) {
                *all += some;
            }
            counts.dropped_manifolds += reduced.over_limit;
            counts.odd_columns += result.counts.odd_columns;
        }
        answer.status = counts.status();
        answer
    }

    /// Whether both shapes are meshes, so that triangle pairs can be counted.
    fn have_triangles(&self) -> bool {
        self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.surface.is_some()))
    }
}
