//! When do two shapes meet, and when does one leave the other, while they move?

mod exit;
mod sweep;
mod swept_box;

use impinge_exact::distance::Feature;
use impinge_exact::motion::FirstMeeting;
use impinge_geometry::{Motion, MotionError, PairFrame, Side};
use impinge_midphase::Part;
use nalgebra::{Isometry3, Point3, Vector3};

use super::{PairQuery, QueryError, QueryScratch};

pub use exit::PairExit;
pub(crate) use exit::exit_shift;
pub(crate) use sweep::{SweptShapes, default_gap};
pub(crate) use swept_box::swept_box;

/// How two shapes meet on their ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairSweep {
    /// They do not: that is proved.
    Free,
    /// They touch before anything moves: [`PairQuery::contacts`] has the rest.
    AtStart {
        /// The first subshapes found to touch.
        subshapes: [u32; 2],
    },
    /// They meet on the way.
    Impact(Impact),
}

/// Where two shapes first meet on their ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When (0 to 1): at no time before do they share a point.
    pub time: f64,
    /// How far apart they are then (m).
    pub gap: f64,
    /// Unit, from A to B (world).
    pub normal: Vector3<f64>,
    /// The nearest point of A then (m, world).
    pub on_a: Point3<f64>,
    /// The nearest point of B then (m, world).
    pub on_b: Point3<f64>,
    /// The nearest point of A in the frame of shape A (m).
    pub local_a: Point3<f64>,
    /// The nearest point of B in the frame of shape B (m).
    pub local_b: Point3<f64>,
    /// The features of A and of B that the points lie on.
    pub features: [Feature; 2],
    /// A triangle of each that holds its point, where it has triangles.
    pub triangles: [Option<u32>; 2],
    /// The subshapes they belong to: children of composites, 0 of a simple shape.
    pub subshapes: [u32; 2],
}

impl Impact {
    /// Of two parts that a search has brought together.
    pub(crate) fn new(
        meeting: &FirstMeeting,
        frame: &PairFrame,
        parts: [&Part; 2],
        subshapes: [u32; 2],
    ) -> Impact {
        let local = |side: Side| {
            let k = side.index();
            parts[k].pose * frame.to_local(side, &meeting.points[k])
        };
        let unit = |v: Vector3<f64>| v.try_normalize(0.0).unwrap_or(v);
        Impact {
            time: meeting.time,
            gap: meeting.gap,
            normal: unit(meeting.normal),
            on_a: frame.to_world(&meeting.points[0]),
            on_b: frame.to_world(&meeting.points[1]),
            local_a: local(Side::A),
            local_b: local(Side::B),
            features: meeting.features,
            triangles: meeting.triangles,
            subshapes,
        }
    }

    /// Of shapes that touch at the start, where nothing else is known.
    pub(crate) fn wedged(motions: &[Motion; 2], subshapes: [u32; 2]) -> Impact {
        let [a, b] = [0, 1].map(|k| Point3::from(motions[k].start().translation.vector));
        Impact {
            time: 0.0,
            gap: 0.0,
            normal: (b - a).try_normalize(0.0).unwrap_or_else(Vector3::z),
            on_a: a,
            on_b: b,
            local_a: Point3::origin(),
            local_b: Point3::origin(),
            features: [Feature::Smooth; 2],
            triangles: [None; 2],
            subshapes,
        }
    }
}

impl PairSweep {
    /// When they meet: 0 where they touch at the start; `None` where they never do.
    pub fn time(&self) -> Option<f64> {
        match self {
            PairSweep::Free => None,
            PairSweep::AtStart { .. } => Some(0.0),
            PairSweep::Impact(impact) => Some(impact.time),
        }
    }

    /// The impact, where they meet on the way.
    pub fn impact(&self) -> Option<&Impact> {
        match self {
            PairSweep::Impact(impact) => Some(impact),
            PairSweep::Free | PairSweep::AtStart { .. } => None,
        }
    }
}

impl PairQuery {
    /// When B, moved from `b` along `way` (m, world) without a turn, first meets A, which stands at `a`. The time is that of the
    /// contact but for rounding where both have triangles, and never late.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, 5.0));
    /// let found = query.cast(&here, &there, &Vector3::new(0.0, 0.0, -8.0))?;
    /// let impact = found.impact().ok_or("it hits")?;
    /// assert!((impact.time - 0.5).abs() < 1e-4);
    /// assert!((impact.normal.z - 1.0).abs() < 1e-9);
    /// assert!(query.cast(&here, &there, &Vector3::x())?.time().is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Motion`] for a way that is not finite or leads too far.
    pub fn cast(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        way: &Vector3<f64>,
    ) -> Result<PairSweep, QueryError> {
        self.cast_with(a, b, way, &mut QueryScratch::default())
    }

    /// As [`PairQuery::cast`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn cast_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        way: &Vector3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairSweep, QueryError> {
        self.sweep_with(&Motion::still(*a), &Motion::translation(*b, *way), None, scratch)
    }

    /// When the two first meet while both move. Where something turns, they are apart by no more than 1e-4 of the smaller one's
    /// radius at the time reported, and what passes by nearer than that may be reported, too; the time is never late.
    ///
    /// ```
    /// use impinge::geometry::Motion;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let rod = Shape::cuboid([1.0, 0.02, 0.02])?;
    /// let ball = Shape::sphere(0.1)?;
    /// let query = PairQuery::new(&rod, &ball, QuerySettings::default())?;
    /// // A quarter turn about the middle; a ball stands where the rod's end comes by at 45°.
    /// let turning = Motion::still(Isometry3::identity()).turn(Vector3::z() * std::f64::consts::FRAC_PI_2);
    /// let ball = Motion::still(Isometry3::translation(0.6, 0.6, 0.0));
    /// let found = query.sweep(&turning, &ball)?;
    /// let impact = found.impact().ok_or("it hits")?;
    /// // The rod's side touches the ball when its axis is 0.12 away from the ball's centre.
    /// let angle = std::f64::consts::FRAC_PI_4 - (0.12f64 / 0.72f64.sqrt()).asin();
    /// assert!((impact.time - angle / std::f64::consts::FRAC_PI_2).abs() < 1e-4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Motion`].
    pub fn sweep(&self, a: &Motion, b: &Motion) -> Result<PairSweep, QueryError> {
        self.sweep_with(a, b, None, &mut QueryScratch::default())
    }

    /// As [`PairQuery::sweep`], with the greatest gap (m) at the time reported, and with buffers that are used again.
    /// (No gap can be less than rounding; see [`Impact::gap`].)
    ///
    /// # Errors
    /// As there, and [`QueryError::Bound`] for a gap that is not greater than 0.
    pub fn sweep_with(
        &self,
        a: &Motion,
        b: &Motion,
        gap: Option<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairSweep, QueryError> {
        let motions = [checked('A', a)?, checked('B', b)?];
        let gap = gap.unwrap_or_else(|| default_gap(self.shapes()));
        if gap.is_nan() || gap <= 0.0 {
            return Err(QueryError::Bound { bound: gap });
        }
        Ok(SweptShapes { shapes: self.shapes(), motions: motions.each_ref(), gap }.first(1.0, scratch))
    }
}

pub(crate) fn checked(side: char, motion: &Motion) -> Result<Motion, QueryError> {
    motion.checked().map_err(|source| match source {
        MotionError::Start { source } => QueryError::Pose { side, source },
        source => QueryError::Motion { side, source },
    })
}
