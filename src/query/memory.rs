//! What is remembered of two shapes from pose to pose.

use impinge_exact::distance::DistanceMemory;
use impinge_exact::intersect::LastHit;
use impinge_midphase::PreparedShape;

/// Memory of a pair from pose to pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryMemory {
    /// The subshapes that touched last.
    pub touched: Option<[u32; 2]>,
    /// One for every pair of subshapes, once one was asked about.
    subshapes: Vec<SubshapeMemory>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SubshapeMemory {
    pub touch: LastHit,
    pub distance: DistanceMemory,
}

impl QueryMemory {
    /// That of a pair of subshapes.
    pub fn of(&mut self, shapes: [&PreparedShape; 2], indices: [u32; 2]) -> &mut SubshapeMemory {
        let columns = shapes[1].parts().len();
        let at = indices[0] as usize * columns + indices[1] as usize;
        if self.subshapes.len() <= at {
            self.subshapes.resize(at + 1, SubshapeMemory::default());
        }
        &mut self.subshapes[at]
    }
}
