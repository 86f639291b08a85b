//! What the midphase hands to the narrow phase.

use std::ops::Range;

use impinge_geometry::{PairFrame, Side};
use nalgebra::{Matrix3, Point3};

use crate::extent::{Extent, interest};
use crate::{PairKind, Part};

/// One piece of work for the narrow phase: two simple shapes that may touch.
#[derive(Clone, Debug)]
pub struct PairJob<'s> {
    /// Index of the collider pair in the step's sorted list of pairs.
    pub pair: u32,
    /// The two shapes.
    pub parts: [&'s Part; 2],
    /// Their indices among the children of their colliders' shapes.
    pub part_indices: [u32; 2],
    /// Where they stand (child poses included).
    pub frame: PairFrame,
    /// Volume of interest: a box of the pair frame that holds every point in which the two solids
    /// overlap or come closer than the margin (m): least and greatest corner, all finite.
    pub interest: [Point3<f64>; 2],
    /// Which test they take.
    pub kind: PairKind<'s>,
    /// What of them may touch: pairs of leaves in [`CandidateBatch::leaf_pairs`] where both are surfaces, leaves of
    /// the mesh's tree in [`CandidateBatch::leaves`] where one is. Empty where no surfaces meet, but one body may
    /// still be inside the other.
    pub candidates: Range<u32>,
}

impl PairJob<'_> {
    /// A box along other axes (columns, pair frame), in their coordinates, that holds every point in which the
    /// two solids overlap (m): least and greatest corner. `None` where there is none, or none that is finite.
    pub fn interest_along(&self, axes: &Matrix3<f64>) -> Option<[Point3<f64>; 2]> {
        let frame = PairFrame {
            rotation: self.frame.rotation.map(|r| axes.tr_mul(&r)),
            offset: self.frame.offset.map(|t| axes.tr_mul(&t)),
            ..self.frame
        };
        let [a, b] = Side::BOTH.map(|side| Extent::of(self.parts[side.index()], &frame, side));
        interest(&a, &b, 0.0)
    }
}

/// Work for the narrow phase, filled by one midphase worker.
#[derive(Clone, Debug, Default)]
pub struct CandidateBatch<'s> {
    /// The jobs, in the order of their pairs.
    pub jobs: Vec<PairJob<'s>>,
    /// Pairs of leaf ids (A's tree, B's tree) that jobs refer to.
    pub leaf_pairs: Vec<[u32; 2]>,
    /// Leaf ids that jobs refer to.
    pub leaves: Vec<u32>,
    /// Pairs of parts that may meet: of the pair of shapes that was last listed.
    pub part_pairs: Vec<[u32; 2]>,
}

impl CandidateBatch<'_> {
    /// The pairs of leaves of a job between surfaces.
    pub fn leaf_pairs_of(&self, job: &PairJob<'_>) -> &[[u32; 2]] {
        &self.leaf_pairs[job.candidates.start as usize..job.candidates.end as usize]
    }

    /// The leaves of the mesh's tree of a job between a mesh and a primitive.
    pub fn leaves_of(&self, job: &PairJob<'_>) -> &[u32] {
        &self.leaves[job.candidates.start as usize..job.candidates.end as usize]
    }

    /// Takes the jobs from number `jobs` on out again, with their candidates.
    pub fn truncate(&mut self, jobs: usize) {
        let first = |job: &PairJob<'_>| job.candidates.start as usize;
        let dropped = self.jobs.get(jobs..).unwrap_or_default();
        let surfaces = dropped.iter().find(|job| matches!(job.kind, PairKind::Surfaces(_))).map(first);
        let solids = dropped.iter().find(|job| matches!(job.kind, PairKind::MeshSolid { .. })).map(first);
        self.leaf_pairs.truncate(surfaces.unwrap_or(usize::MAX));
        self.leaves.truncate(solids.unwrap_or(usize::MAX));
        self.jobs.truncate(jobs);
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.leaf_pairs.clear();
        self.leaves.clear();
        self.part_pairs.clear();
    }
}
