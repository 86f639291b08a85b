//! What came back of a part of a step: nothing of the engine is needed to read it, so that workers can while the device goes on.

use std::sync::Arc;

use crate::intersect::layout::IntersectUnit;
use crate::manifold::layout::{ContactPairHead, PatchRecord};
use crate::part::Marks;
use crate::surface_patch::SurfacePatch;

/// The answers of one part of a step.
#[derive(Debug, Default)]
pub struct Received {
    /// The number of the step.
    pub(crate) sequence: u32,
    /// Where the part begins in the step.
    pub(crate) from: Marks,
    /// Units of triangle intersection, and the words of their answers, which units name from the first of the part on.
    pub(crate) units: Vec<IntersectUnit>,
    pub(crate) answers: Vec<u32>,
    /// The parts of height fields and level sets that jobs of the step are about.
    pub(crate) patches: Vec<Arc<SurfacePatch>>,
    /// Pairs whose contacts were asked for, and which patches their bodies are.
    pub(crate) heads: Vec<ContactPairHead>,
    pub(crate) head_patches: Vec<[Option<u32>; 2]>,
    pub(crate) records: Vec<PatchRecord>,
    /// Words of the intervals of views.
    pub(crate) listed: Vec<u32>,
}

impl Received {
    /// Forgets everything but the room that it took.
    pub(crate) fn clear(&mut self) {
        self.sequence = 0;
        self.units.clear();
        self.answers.clear();
        self.patches.clear();
        self.heads.clear();
        self.head_patches.clear();
        self.records.clear();
        self.listed.clear();
    }
}
