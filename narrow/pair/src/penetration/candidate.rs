//! A direction on its way through a search.

use std::cmp::Ordering;

use impinge_exact::translation::Clearance;
use nalgebra::Vector3;

/// By what a direction is bounded from below so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    /// Balls inside both bodies, looked at so far (m).
    Balls(f64),
    /// … and the line through the first common place.
    Line,
    /// … and the lines through all of them.
    Lines,
}

/// A direction that is being followed: what may be shortest comes first; of equals, the one that was named first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// B is known not to be free before (m).
    pub least: f64,
    pub order: usize,
    /// Unit.
    pub direction: Vector3<f64>,
    /// How it was followed so far: what it passed last.
    pub passed: Option<Clearance>,
    pub bounded: Bound,
    /// How many of the known obstacles it has been tried on.
    pub tried: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.least.total_cmp(&other.least).then(self.order.cmp(&other.order))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
