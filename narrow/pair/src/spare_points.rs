//! Lists of points of patches that are no longer needed.

use crate::patch::{PairResult, PatchPoint};

/// The most lists that are kept.
const MOST: usize = 256;

/// Lists of points for new patches, so that a warm step needs no memory for them.
#[derive(Debug, Default)]
pub(crate) struct SparePoints {
    lists: Vec<Vec<PatchPoint>>,
}

impl SparePoints {
    /// Empties a result and keeps the lists of its patches.
    pub fn recycle(&mut self, result: &mut PairResult) {
        let mut patches = std::mem::take(&mut result.patches);
        for patch in patches.drain(..) {
            if self.lists.len() < MOST {
                let mut points = patch.points;
                points.clear();
                self.lists.push(points);
            }
        }
        *result = PairResult { patches, ..PairResult::default() };
    }

    /// Returns an empty list.
    pub fn take(&mut self) -> Vec<PatchPoint> {
        self.lists.pop().unwrap_or_default()
    }
}
