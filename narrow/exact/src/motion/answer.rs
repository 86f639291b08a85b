//! What a sweep asks for, finds and costs.

use impinge_midphase::obb_tree::{MotionCounts, MotionScratch};
use nalgebra::{Point3, Vector3};

use crate::distance::{DistanceScratch, Feature};
use crate::touch::TouchScratch;

/// How precisely a sweep is to be answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    /// Greatest distance of the parts at the time reported, where something turns (m).
    pub gap: f64,
    /// Only meetings before this time are of interest (at most 1).
    pub bound: f64,
}

/// How two parts meet on their ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstContact {
    /// They touch before anything moves.
    AtStart,
    /// They meet on the way.
    Later(FirstMeeting),
}

/// Where two parts meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstMeeting {
    /// When (0 to 1): at no time before do they share a point.
    pub time: f64,
    /// How far apart they are then (m).
    pub gap: f64,
    /// Unit, from A to B (pair frame).
    pub normal: Vector3<f64>,
    /// The nearest points then, A's and B's (m, pair frame of that time).
    pub points: [Point3<f64>; 2],
    /// The features that they lie on.
    pub features: [Feature; 2],
    /// A triangle of each side that holds its point, where the side has triangles.
    pub triangles: [Option<u32>; 2],
}

/// Where a search has brought two parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub time: f64,
    /// Unit, from A to B; `None` where they touch and only their features can tell.
    pub normal: Option<Vector3<f64>>,
    /// The triangles that meet, where a side has any.
    pub triangles: [Option<u32>; 2],
}

/// Counts of sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepCounts {
    /// The search among boxes.
    pub search: MotionCounts,
    /// Pairs of triangles, or of a triangle and a solid, that were followed.
    pub followed: u64,
    /// Distances that were measured to follow them.
    pub gaps: u64,
}

impl std::ops::AddAssign for SweepCounts {
    fn add_assign(&mut self, other: SweepCounts) {
        self.search += other.search;
        self.followed += other.followed;
        self.gaps += other.gaps;
    }
}

/// What a sweep reuses from pair to pair.
#[derive(Debug, Default)]
pub struct SweepScratch {
    pub(super) search: MotionScratch,
    pub(super) touch: TouchScratch,
    pub(super) distance: DistanceScratch,
    /// Counts of all sweeps since it was made.
    pub counts: SweepCounts,
}
