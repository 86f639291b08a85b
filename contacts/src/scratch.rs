//! Buffers of the contacts stage.

use crate::matches::Matches;
use crate::merge::KeptPatches;
use crate::persistence::Persistence;
use crate::reduction::ReductionScratch;
use crate::sectors::Sectors;
use crate::{ContactPoint, Manifold, ReducedPoint};

/// Lists of points that are kept for manifolds to come, at most (1024 of four points: half a megabyte). A chunk of pairs of a
/// step has fewer. Less: steps ask for memory; greater: a worker that clears more manifolds than it makes keeps their memory.
const SPARE: usize = 1024;

/// Buffers of the contacts stage, to be used again, one for each thread. A step that is given the buffers of the last step, with its
/// manifolds in them ([`ContactScratch::clear`]), asks for no memory once they have grown.
#[derive(Debug, Default)]
pub struct ContactScratch {
    pub(crate) kept: KeptPatches,
    pub(crate) reduction: ReductionScratch,
    pub(crate) reduced: Vec<ReducedPoint>,
    pub(crate) persistence: Persistence,
    pub(crate) held: Vec<u32>,
    pub(crate) sectors: Sectors,
    pub(crate) matches: Matches,
    pub(crate) spare: SparePoints,
}

/// Lists of points of manifolds that are gone.
#[derive(Debug, Default)]
pub(crate) struct SparePoints(Vec<Vec<ContactPoint>>);

impl ContactScratch {
    /// Empties a list of manifolds; the lists of their points serve manifolds to come.
    pub fn clear(&mut self, manifolds: &mut Vec<Manifold>) {
        let spare = &mut self.spare.0;
        let room = SPARE.saturating_sub(spare.len());
        spare.extend(manifolds.drain(..).map(|manifold| manifold.points).take(room));
        manifolds.clear();
    }
}

impl SparePoints {
    /// An empty list with room for the points of a manifold.
    pub fn take(&mut self) -> Vec<ContactPoint> {
        let mut points = self.0.pop().unwrap_or_default();
        points.clear();
        points.reserve(4);
        points
    }
}
