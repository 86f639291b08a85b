//! The narrow phase's output: patches of contact, and counts.

use impinge_geometry::Containment;
use nalgebra::{Point3, Vector3};

use crate::contact_patch::ContactPatch;

/// How a patch was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchOrigin {
    /// OverlapIntervals of overlap.
    OverlapIntervals,
    /// OverlapIntervals in which the surfaces meet face to face without overlap.
    Touch,
    /// The contact contour alone: smaller than the lattice, or of a surface without an inside. Of the latter, depth
    /// and normal are guesses, and no point is beyond the contours, the vertices they lead to, and the bodies' boxes.
    Contour,
    /// Two convex solids.
    Convex,
    /// A gap smaller than the margin: the surfaces do not touch there.
    Gap,
}

/// One column of a patch, or one point of two convex solids: a candidate for a contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPoint {
    /// The point on A's surface that has gone deepest into B along the normal (m, pair frame).
    pub on_a: Point3<f64>,
    /// The point on B's surface that has gone deepest into A (m, pair frame).
    pub on_b: Point3<f64>,
    /// `(on_a − on_b) · normal` (m): positive where the bodies overlap, negative where they are apart.
    pub depth: f64,
    /// The area it stands for, seen along the normal (m²); not negative.
    pub weight: f64,
    /// Names the same place in the next step.
    pub key: u64,
}

/// A part of a region whose faces wind round its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// Which part of the turn it is, as A sees it, and of the region's height: from 0 to 11, two for each sixth of the turn.
    pub index: u32,
    /// Area vector of A's surface inside B there (m²).
    pub gradient: Vector3<f64>,
    /// ∫ x × dA over it (m³), about the pair frame's origin.
    pub torque: Vector3<f64>,
}

/// A connected region in which two bodies overlap or touch. Lengths in metres, in the pair frame
/// (axes parallel to the world's).
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Unit normal from A to B: moving B along it frees the patch.
    pub normal: Vector3<f64>,
    /// How far B has to move along the normal to free the patch (m); negative for a gap.
    pub depth: f64,
    /// Volume of the overlap (m³).
    pub volume: f64,
    /// G: area vector of A's surface inside B (m²), the gradient of the volume when A is moved.
    pub gradient: Vector3<f64>,
    /// Torque part: ∫ x × dA over A's surface inside B (m³), about the pair frame's origin.
    pub torque: Vector3<f64>,
    /// Centroid of the overlap (m).
    pub centroid: Point3<f64>,
    /// Centre of pressure: where a single force along the normal acts like the patch (m).
    pub pressure_center: Point3<f64>,
    /// Greatest distance of a point of the patch from the centroid (m).
    pub radius: f64,
    /// Candidates for contact points, never empty, in a fixed order.
    pub points: Vec<PatchPoint>,
    /// Those of the points that stand at corners of the region, as far as these are known.
    pub corners: Vec<u32>,
    /// The region in parts, where its faces wind round the normal like a thread's and the parts have normals of their own:
    /// by rising index, and together they have the gradient and the torque. Empty of other regions.
    pub sectors: Vec<Sector>,
    /// How it was found.
    pub origin: PatchOrigin,
    /// Its outline and samples, where [`NarrowSettings::patch_samples`](crate::NarrowSettings::patch_samples) asks for them
    /// and both bodies are solid; `None` of a gap.
    pub region: Option<Box<ContactPatch>>,
}

/// The narrow phase's answer for one pair of parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairResult {
    /// Index of the collider pair in the step's list.
    pub pair: u32,
    /// Indices of the parts among their shapes' children.
    pub part_indices: [u32; 2],
    /// Whether the bodies touch: the surfaces intersect (exact), or one is inside the other.
    pub touching: bool,
    /// Whether one body is inside the other without their surfaces meeting there.
    pub containment: Containment,
    /// All intersecting triangle pairs, where both sides are triangles and it was asked for.
    pub triangle_pairs: Option<u64>,
    /// Volume of the overlap (m³); `None` where a side bounds no volume.
    pub volume: Option<f64>,
    /// G of the whole overlap: area vector of A's surface inside B (m²).
    pub gradient: Vector3<f64>,
    /// Its torque part: ∫ x × dA over A's surface inside B (m³), about the pair frame's origin.
    pub torque: Vector3<f64>,
    /// The patches, in a fixed order.
    pub patches: Vec<Patch>,
    /// Counts of the work done.
    pub counts: NarrowCounts,
}

impl PairResult {
    /// Adds up what the patches in which the bodies overlap have of G and of the torque part.
    pub(crate) fn sum_patches(&mut self) {
        let overlapping = || self.patches.iter().filter(|patch| patch.depth > 0.0);
        (self.gradient, self.torque) =
            (overlapping().map(|patch| patch.gradient).sum(), overlapping().map(|patch| patch.torque).sum());
    }
}

/// Counts of the narrow phase, for spans and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NarrowCounts {
    /// Triangle pairs tested.
    pub triangle_tests: u64,
    /// Touching triangle pairs without a regular crossing: coplanar, or meeting in a corner or an edge.
    pub degenerate: u64,
    /// Views made, of more than one line.
    pub views: u64,
    /// Single lines sampled, through a vertex or a crossing of edges.
    pub lines: u64,
    /// Fragments written to layers.
    pub fragments: u64,
    /// OverlapIntervals with an overlap.
    pub columns: u64,
    /// OverlapIntervals whose counters did not return to zero (a body that is not closed).
    pub odd_columns: u64,
    /// Searches for the least translation that ended because the pair's budget was spent.
    pub cut_searches: u64,
    /// Jobs that were answered by height maps.
    pub height_maps: u64,
    /// Touching jobs for which height maps did not do.
    pub past_height_maps: u64,
}

impl std::ops::AddAssign for NarrowCounts {
    fn add_assign(&mut self, other: NarrowCounts) {
        self.triangle_tests += other.triangle_tests;
        self.degenerate += other.degenerate;
        self.views += other.views;
        self.lines += other.lines;
        self.fragments += other.fragments;
        self.columns += other.columns;
        self.odd_columns += other.odd_columns;
        self.cut_searches += other.cut_searches;
        self.height_maps += other.height_maps;
        self.past_height_maps += other.past_height_maps;
    }
}

/// The deepest patch, the first of equals.
pub(crate) fn deepest(patches: &[Patch]) -> Option<usize> {
    (0..patches.len()).reduce(|best, k| if patches[k].depth > patches[best].depth { k } else { best })
}
