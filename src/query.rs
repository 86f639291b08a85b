//! One pair of shapes, without a world: are they touching, where, how deep?

use impinge_contacts::{ContactSettings, Manifold, PairPlacement};
use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{ColliderId, PoseError, Shape};
use impinge_midphase::{CandidateBatch, Job, MidphaseCounts, Placed, PreparedShape};
use impinge_narrow::{Containment, NarrowMemory, NarrowScratch, NarrowSettings, PairResult};
use nalgebra::Isometry3;

use crate::BuildError;
use crate::config::check_resolution;
use crate::report::{StepCounts, StepStatus};

/// Settings of a [`PairQuery`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuerySettings {
    /// Columns per side of a view: a power of two from 4 to 256 (default 32).
    pub resolution: u32,
    /// Count all intersecting triangle pairs (default: no).
    pub count_triangle_pairs: bool,
    /// Send primitives and hulls through columns instead of their closed forms (default: no).
    pub columns_only: bool,
    /// Primitives and hulls closer than this (m, default 0) give points of negative depth.
    pub margin: f64,
    /// Most points of a manifold, 1 to 4 (default 4).
    pub max_points: usize,
    /// Most manifolds of a pair of parts (default 4); the deepest are kept.
    pub max_manifolds: usize,
}

impl Default for QuerySettings {
    fn default() -> QuerySettings {
        QuerySettings {
            resolution: 32,
            count_triangle_pairs: false,
            columns_only: false,
            margin: 0.0,
            max_points: 4,
            max_manifolds: 4,
        }
    }
}

/// Two shapes made ready to be asked about at many poses. Asking changes nothing and can be done from
/// many threads at once; a [`QueryScratch`] lets one thread ask without allocating.
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
}

/// What is known of a pair at one placement.
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
    /// Contacts; the world's frame is that of the poses asked about. Collider 0 is A, collider 1 is B.
    pub manifolds: Vec<Manifold>,
    /// What was dropped or is less certain.
    pub status: StepStatus,
}

/// A question that cannot be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("pose of {side}: {source}")]
pub struct QueryError {
    /// `A` or `B`.
    pub side: char,
    /// What is wrong with its pose.
    pub source: PoseError,
}

impl PairQuery {
    /// Makes two shapes ready.
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn new(a: &Shape, b: &Shape, settings: QuerySettings) -> Result<PairQuery, BuildError> {
        check_resolution("resolution", settings.resolution)?;
        let out_of_range = |setting, value: String, remedy| BuildError::Setting { setting, value, remedy };
        if !(settings.margin.is_finite() && settings.margin >= 0.0) {
            let value = format!("{} m", settings.margin);
            return Err(out_of_range("margin", value, "it must be finite and not negative"));
        }
        if !(1..=4).contains(&settings.max_points) {
            return Err(out_of_range(
                "max_points",
                settings.max_points.to_string(),
                "it must be from 1 to 4",
            ));
        }
        if settings.max_manifolds == 0 {
            return Err(out_of_range("max_manifolds", "0".to_owned(), "it must be at least 1"));
        }
        Ok(PairQuery {
            shapes: [PreparedShape::new(a), PreparedShape::new(b)],
            narrow: NarrowSettings {
                resolution: settings.resolution,
                margin: settings.margin,
                count_triangle_pairs: settings.count_triangle_pairs,
                columns_only: settings.columns_only,
            },
            contacts: ContactSettings {
                max_points: settings.max_points,
                max_manifolds: settings.max_manifolds,
            },
        })
    }

    /// The answer with A at `a` and B at `b` (m).
    ///
    /// # Errors
    /// [`QueryError`] for a pose that is not finite.
    pub fn at(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<PairAnswer, QueryError> {
        self.at_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::at`], with buffers that are used again.
    ///
    /// # Errors
    /// [`QueryError`] for a pose that is not finite.
    pub fn at_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairAnswer, QueryError> {
        let a = checked_pose(a).map_err(|source| QueryError { side: 'A', source })?;
        let b = checked_pose(b).map_err(|source| QueryError { side: 'B', source })?;
        let mut batch = CandidateBatch::default();
        let placed = |k: usize, pose| Placed { shape: &self.shapes[k], pose };
        let mut found = MidphaseCounts::default();
        impinge_midphase::find(0, placed(0, a), placed(1, b), self.narrow.margin, &mut batch, &mut found);
        let closed = self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.is_solid()));
        let simple = self.shapes.iter().all(|shape| shape.parts().len() == 1);
        let mut answer = PairAnswer {
            triangle_pairs: (self.narrow.count_triangle_pairs && simple && self.have_triangles())
                .then_some(0),
            volume: closed.then_some(0.0),
            ..PairAnswer::default()
        };
        let mut counts = StepCounts { soup_pairs: u64::from(!closed), ..StepCounts::default() };
        for job in &batch.jobs {
            let Job::Pair(job) = job else { continue };
            let QueryScratch { narrow, result } = scratch;
            let memory = &mut NarrowMemory::default();
            impinge_narrow::pair::run(job, &batch, &self.narrow, memory, narrow, result);
            let placement = PairPlacement {
                colliders: [0, 1].map(|index| ColliderId { index, generation: 0 }),
                frame: &job.frame,
                part_poses: job.parts.map(|part| part.pose),
                tolerance: 0.0,
            };
            let reduced =
                impinge_contacts::manifolds(result, &placement, &self.contacts, &mut answer.manifolds);
            answer.touching |= result.touching;
            answer.contained |= result.containment != Containment::None;
            answer.volume = answer.volume.and_then(|v| Some(v + result.volume?));
            if let (Some(all), Some(some)) = (&mut answer.triangle_pairs, result.triangle_pairs) {
                *all += some;
            }
            counts.dropped_manifolds += reduced.over_limit;
            counts.odd_columns += result.counts.odd_columns;
        }
        answer.status = counts.status();
        Ok(answer)
    }

    /// Whether both shapes are meshes, so that triangle pairs can be counted.
    fn have_triangles(&self) -> bool {
        self.shapes.iter().all(|shape| shape.parts().iter().all(|part| part.surface.is_some()))
    }
}
