//! One pair of shapes, without a world: are they touching, where, how deep, and if not, how far apart?
//! One object against many, by height maps; and particles ([`ParticleQuery`]).

mod batch;
pub mod classic;
mod deforming;
mod distance;
mod error;
mod height_map;
mod intersection_volume;
mod many;
mod memory;
mod motion;
mod nearest;
mod own;
mod particles;
mod pool;
mod prepared;
mod ray;
mod settings;
mod sheet;
mod stepped;
mod subshapes;
mod surfaces;
mod touching;
mod tracker;
mod winding;

use std::mem::take;

use impinge_contacts::{ContactMemory, ContactScratch, ContactSettings, Manifold, PairPlacement};
use impinge_exact::distance::DistanceScratch;
use impinge_exact::motion::SweepScratch;
use impinge_exact::touch::TouchScratch;
use impinge_exact::translation::ClearanceScratch;
use impinge_geometry::{ColliderId, Containment, FARTHEST, Shape, Side};
use impinge_midphase::{
    CandidateBatch, MidphaseCounts, PairJob, Placed, PreparedShape as Prepared, TreeCache,
};
use impinge_pair::{NarrowMemory, NarrowScratch, NarrowSettings, PairResult};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::BuildError;
use crate::report::{StepCounts, StepStatus};
use ray::RayBuffers;
use subshapes::Poses;
use surfaces::SurfaceScratch;
use tracker::FollowedContacts;

pub use batch::{FlatAnswers, PoseBatch};
pub use deforming::{DeformingMesh, edge_edge, vertex_face};
pub use distance::{NearestPoints, PairDistance};
pub use error::{BatchError, PointError, QueryError, RayError, UnevenPoses};
pub use height_map::{
    Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings, HeightMapTracker, SubshapeOverlap,
};
#[doc(inline)]
pub use impinge_exact::distance::{DistanceCounts, Feature};
#[doc(inline)]
pub use impinge_exact::motion::{FeatureClearance, FeatureContact, FeatureMeeting, SweepCounts};
pub use impinge_exact::ray::Faces;
#[doc(inline)]
pub use impinge_exact::sheet::{SheetCounts, SheetPoint, SheetScratch};
#[doc(inline)]
pub use impinge_pair::particles::{PointContact, PointFeature, PointRange};
pub use intersection_volume::IntersectionVolume;
pub use many::{PlacedPair, query_many};
pub use motion::{Impact, PairExit, PairSweep};
pub(crate) use motion::{SweptShapes, default_gap, exit_shift, swept_box};
pub use nearest::NearestHit;
pub(crate) use nearest::{nearest_of_shape, seen as nearest_seen, sphere_gap};
pub use own::{SelfScratch, self_intersections};
pub(crate) use own::{own_manifolds, own_pairs};
pub use particles::ParticleQuery;
pub use pool::QueryPool;
pub use prepared::PreparedShape;
pub(crate) use ray::{CheckedRay, in_order};
pub use ray::{RayHit, ShapeRay};
pub use settings::QuerySettings;
pub use sheet::SheetQuery;
pub use stepped::{Lookahead, SteppedPair};
pub(crate) use subshapes::Poses as PairPoses;
pub use surfaces::{Contour, TrianglePair};
pub(crate) use touching::shapes_touch;
pub use tracker::PairTracker;

/// Two shapes made ready to be asked about at many poses. Asking changes nothing and can be done from
/// many threads at once; a [`QueryScratch`] lets one thread ask without allocating, a [`PoseBatch`] asks at many
/// poses in one call, and a [`PairTracker`] remembers what was found last. Clones share the shapes.
///
/// | question | answer |
/// |---|---|
/// | [`PairQuery::touching`] | yes or no (exact), at the first place found |
/// | [`PairQuery::triangle_pairs`] | all intersecting triangle pairs (exact), or their number |
/// | [`PairQuery::contours`] | the oriented lines along which the surfaces cross |
/// | [`PairQuery::distance`] | the distance with its nearest points and their features |
/// | [`PairQuery::distance_within`] | the same up to a bound, sooner where it is farther |
/// | [`PairQuery::cast`], [`PairQuery::sweep`] | when they first meet on a line, or while both move and turn |
/// | [`PairQuery::exit`] | when one first leaves the other on a line |
/// | [`PairQuery::intersection_volume`] | the volume in both bodies, its gradient and centroid |
/// | [`PairQuery::containment_by_winding`] | which body is inside the other, surfaces with gaps included |
/// | [`PairQuery::contacts`] | the manifolds, as a world would give them |
/// | [`PairQuery::contacts_within`] | the same with a margin of the call's own |
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
    sweep: SweepScratch,
    touch: TouchScratch,
    clearance: ClearanceScratch,
    leaf_pairs: Vec<[u32; 2]>,
    leaves: Vec<u32>,
    part_pairs: Vec<[u32; 2]>,
    /// Gaps between the bounding spheres of pairs of subshapes (m).
    gaps: Vec<(f64, [u32; 2])>,
    pub(crate) ray: RayBuffers,
    contacts: ContactScratch,
    /// The list of the next answer's manifolds, empty.
    manifolds: Vec<Manifold>,
}

impl QueryScratch {
    /// Takes manifolds of an earlier answer back for the memory that they have, and leaves none.
    fn take_back(&mut self, manifolds: &mut Vec<Manifold>) {
        self.contacts.clear(manifolds);
        self.manifolds = take(manifolds);
    }

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

    /// Costs of the sweeps that used these buffers, summed.
    pub fn sweep_counts(&self) -> SweepCounts {
        self.sweep.counts
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
    /// Makes two shapes ready. [`PreparedShape`] makes one ready for many pairs.
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn new(a: &Shape, b: &Shape, settings: QuerySettings) -> Result<PairQuery, BuildError> {
        let (narrow, contacts) = settings.checked()?;
        let mut trees = TreeCache::with_simd(settings.simd);
        let shapes = [a, b].map(|shape| PreparedShape::with_trees(shape, &mut trees));
        Ok(PairQuery { shapes, narrow, contacts })
    }

    /// The pair of two prepared shapes, with the settings' defaults. Builds nothing.
    pub fn between(a: &PreparedShape, b: &PreparedShape) -> PairQuery {
        let narrow =
            NarrowSettings { resolution: QuerySettings::default().resolution, ..NarrowSettings::default() };
        PairQuery { shapes: [a.clone(), b.clone()], narrow, contacts: ContactSettings::default() }
    }

    /// The same pair with other settings. Builds nothing; the vector instructions stay those that the shapes were
    /// prepared for.
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn with_settings(&self, settings: QuerySettings) -> Result<PairQuery, BuildError> {
        let (narrow, contacts) = settings.checked()?;
        Ok(PairQuery { shapes: self.shapes.clone(), narrow, contacts })
    }

    /// A and B.
    pub fn prepared(&self) -> [&PreparedShape; 2] {
        self.shapes.each_ref()
    }

    /// Both shapes, as the stages see them.
    fn shapes(&self) -> [&Prepared; 2] {
        self.shapes.each_ref().map(|shape| &**shape.stages())
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

    /// As [`PairQuery::contacts`], with contact points of negative depth where the bodies are closer than `margin` (m), whatever
    /// the settings say of a margin.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
    /// let query = PairQuery::between(&cube, &cube);
    /// let [here, above] = [0.0, 1.25].map(|z| Isometry3::translation(0.0, 0.0, z));
    /// assert!(query.contacts_within(&here, &above, 0.125)?.is_empty());
    /// assert_eq!(query.contacts_within(&here, &above, 0.5)?[0].depth, -0.25);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Margin`] for a margin that is not from 0 to 1e30 m.
    pub fn contacts_within(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        margin: f64,
    ) -> Result<Vec<Manifold>, QueryError> {
        self.contacts_within_with(a, b, margin, &mut QueryScratch::default())
    }

    /// As [`PairQuery::contacts_within`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn contacts_within_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        margin: f64,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<Manifold>, QueryError> {
        Ok(self.answer(&Poses::new(a, b)?, check_margin(margin)?, scratch, None).manifolds)
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
        Ok(self.answer(&Poses::new(a, b)?, self.narrow.margin, scratch, None))
    }

    /// The answer with a margin (m), and with what is remembered of the contacts, if anything is.
    fn answer(
        &self,
        poses: &Poses,
        margin: f64,
        scratch: &mut QueryScratch,
        followed: Option<&mut FollowedContacts>,
    ) -> PairAnswer {
        let mut batch = scratch.batch();
        self.find_within(0, poses, margin, &mut batch);
        let narrow = NarrowSettings { margin, ..self.narrow };
        let answer = self.reduce(&batch, batch.jobs.iter(), &narrow, scratch, followed);
        scratch.keep(batch);
        answer
    }

    /// The jobs of one placement, in a batch of many.
    fn find<'s>(&'s self, index: u32, poses: &Poses, batch: &mut CandidateBatch<'s>) {
        self.find_within(index, poses, self.narrow.margin, batch);
    }

    fn find_within<'s>(&'s self, index: u32, poses: &Poses, margin: f64, batch: &mut CandidateBatch<'s>) {
        let shapes = self.shapes();
        let [a, b] = Side::BOTH.map(|side| Placed { shape: shapes[side.index()], pose: *poses.of(side) });
        impinge_midphase::find(index, a, b, margin, batch, &mut MidphaseCounts::default());
    }

    /// The answer of one placement's jobs.
    fn reduce<'b, 's: 'b>(
        &self,
        batch: &CandidateBatch<'s>,
        jobs: impl Iterator<Item = &'b PairJob<'s>>,
        settings: &NarrowSettings,
        scratch: &mut QueryScratch,
        mut followed: Option<&mut FollowedContacts>,
    ) -> PairAnswer {
        let shapes = self.shapes();
        let closed = self.shapes.iter().all(PreparedShape::is_solid);
        let simple = shapes.iter().all(|shape| shape.parts().len() == 1);
        let mut answer = PairAnswer {
            triangle_pairs: (settings.count_triangle_pairs && simple && self.have_triangles()).then_some(0),
            volume: closed.then_some(0.0),
            manifolds: take(&mut scratch.manifolds),
            ..PairAnswer::default()
        };
        let mut parts = shapes.iter().flat_map(|shape| shape.parts());
        let closed_holes = parts.any(|p| p.surface.as_ref().is_some_and(|s| s.faces().has_closed_holes()));
        let mut counts = StepCounts {
            soup_pairs: u64::from(!closed),
            closed_hole_pairs: u64::from(closed_holes),
            ..StepCounts::default()
        };
        let mut jobs = jobs.peekable();
        if let (Some(followed), None) = (followed.as_deref_mut(), jobs.peek()) {
            *followed = FollowedContacts::default();
        }
        for job in jobs {
            let QueryScratch { narrow, result, contacts, .. } = scratch;
            let (mut fresh, none) = (NarrowMemory::default(), ContactMemory::default());
            let (memory, points) = match followed.as_deref_mut() {
                Some(followed) => (followed.narrow.of(job.part_indices), &followed.points),
                None => (&mut fresh, &none),
            };
            impinge_pair::run(job, batch, settings, memory, narrow, result);
            let placement = PairPlacement {
                colliders: [0, 1].map(|index| ColliderId { index, generation: 0 }),
                frame: &job.frame,
                subshape_poses: job.parts.map(|part| part.pose),
                tolerance: 0.0,
            };
            let reduced = impinge_contacts::manifolds_after(
                points,
                result,
                &placement,
                &self.contacts,
                contacts,
                &mut answer.manifolds,
            );
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
            counts.cut_searches += result.counts.cut_searches;
        }
        answer.status = counts.status();
        answer
    }

    /// Whether both shapes are meshes, so that triangle pairs can be counted.
    fn have_triangles(&self) -> bool {
        self.shapes().iter().all(|shape| shape.parts().iter().all(|part| part.surface.is_some()))
    }
}

/// A margin of a call's own (m).
fn check_margin(margin: f64) -> Result<f64, QueryError> {
    if (0.0..=FARTHEST).contains(&margin) { Ok(margin) } else { Err(QueryError::Margin { margin }) }
}
