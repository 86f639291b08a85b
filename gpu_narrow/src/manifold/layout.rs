//! What the shaders of contacts read and write, as Rust sees it.

use bytemuck::{Pod, Zeroable};

use crate::image::layout::LatticeMap;

/// Segments of the contours of a pair, at most: what crosses in more triangle pairs is the CPU's.
pub const MOST_SEGMENTS: u32 = 1280;
/// Contours of a pair, at most.
pub const MOST_CONTOURS: u32 = 16;
/// Clusters of contours of a pair, and so views, at most.
pub const MOST_CLUSTERS: u32 = 8;
/// Views of a pair that has no more kept ones.
pub const USUAL_VIEWS: u32 = 4;
/// Kept views of a pair, at most.
pub const MOST_KEPT: usize = MOST_CLUSTERS as usize;
/// Intervals that stand for a patch, at most.
pub const CANDIDATES: u32 = 14;
/// Intervals of a pixel, at most.
pub const PIXEL_INTERVALS: u32 = 3;
/// Rows of the views of a pair, at least: large triangles become several.
pub const LEAST_ROWS: u32 = 1 << 8;
/// Rows of the views of a pair that has the usual number of views, at most.
pub const PAIR_ROWS: u32 = 1 << 12;
/// Triangles of both meshes of a pair, at most: every view goes through all of them.
pub const PAIR_TRIANGLES: u32 = 1 << 21;

/// Status of a pair: no triangle pair crosses for certain.
pub const NO_SEGMENT: u32 = 1;
/// A contour does not close.
pub const OPEN_CONTOUR: u32 = 2;
/// Triangles of one plane meet.
pub const COPLANAR: u32 = 4;
/// A contour goes over a concave crease.
pub const CREASED: u32 = 8;
/// More segments, contours or clusters than there is room for.
pub const OVER_CONTOURS: u32 = 16;
/// The contours' area vector says nothing, or they are too small for `f32`.
pub const NO_AREA_VECTOR: u32 = 32;
/// More triangles in the views than there is room for.
pub const OVER_ROWS: u32 = 64;
/// Status of a view or a record: the pair has fewer clusters.
pub const NO_CLUSTER: u32 = 1 << 7;
/// A pixel has too many crossings.
pub const OVER_LAYERS: u32 = 1 << 8;
/// A pixel has too many intervals.
pub const OVER_INTERVALS: u32 = 1 << 9;
/// The end of an overlap lies behind what the view sees.
pub const CUT_OFF: u32 = 1 << 10;
/// A contour passes no interval, or no interval overlaps.
pub const NO_INTERVAL: u32 = 1 << 11;
/// The contours of the cluster are in several connected sets, or in one with others.
pub const SEVERAL_SETS: u32 = 1 << 12;

/// Words of an interval that comes back: its pixel and the upper bits of four triangles, four depths, and the triangles' lower halves.
pub const INTERVAL_WORDS: u32 = 7;
/// Bits of a triangle's number in them; all ones where a solid has none.
pub const TRIANGLE_BITS: u32 = 22;
/// Bits of it that stand beside the pixel.
pub const UPPER_BITS: u32 = TRIANGLE_BITS - 16;
/// Bits of the pixel, in a view of 16 pixels a side.
pub const PIXEL_BITS: u32 = 8;

const _: () = assert!(PAIR_TRIANGLES < 1 << TRIANGLE_BITS && PIXEL_BITS + 4 * UPPER_BITS == 32);

/// See `contact_pair.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContourSegment {
    /// Where it starts, measured from the pair's origin (A's frame, scaled).
    pub start: [f32; 3],
    /// Its contour's number.
    pub contour: u32,
    /// Where it ends.
    pub end: [f32; 3],
    /// The segment that follows.
    pub next: u32,
    /// The edge at which it begins, by its vertices, and the triangle there, twice, one more where the edge is B's.
    pub begins_at: [u32; 3],
    /// Its triangle of A, in the order of the leaves.
    pub of_a: u32,
    /// As `begins_at`.
    pub ends_at: [u32; 3],
    /// Its triangle of B.
    pub of_b: u32,
}

/// Contours near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContourCluster {
    /// Σ ½ r × dr.
    pub area: [f32; 3],
    /// Which contours, a bit each.
    pub contours: u32,
    /// Σ −½ |r|² dr.
    pub torque: [f32; 3],
    /// To a multiple of sixteen bytes.
    pub spare: u32,
    /// Least corner of their box.
    pub low: [f32; 3],
    /// See `spare`.
    pub spare_low: u32,
    /// Greatest corner.
    pub high: [f32; 3],
    /// See `spare`.
    pub spare_high: u32,
}

/// A view of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactView {
    /// From places measured from the pair's origin (A's frame, scaled) to the lattice, a start in the fourth.
    pub rows: [[f32; 4]; 3],
    /// Which of the kept views it is; all ones for none.
    pub kept: u32,
    /// Triangles that it may show.
    pub shown: u32,
    /// Why there is none: [`NO_CLUSTER`] and the like; zero where there is.
    pub status: u32,
    /// To a multiple of sixteen bytes.
    pub spare: u32,
    /// From A's quanta and from B's to the lattice.
    pub maps: [LatticeMap; 2],
}

/// A view of the last step, as it stands now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct KeptContactView {
    /// As in [`ContactView`].
    pub rows: [[f32; 4]; 3],
    /// As there.
    pub maps: [LatticeMap; 2],
}

/// A pair of surfaces whose contacts are made on the device: what is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactPairHead {
    /// As in [`IntersectUnit`](crate::intersect::layout::IntersectUnit).
    pub to_a: [[f32; 4]; 3],
    /// Axes that the pixels of a new view lie along (A's frame).
    pub axes: [[f32; 4]; 3],
    /// As in the unit.
    pub origin: [f32; 3],
    /// As in the unit.
    pub scale: f32,
    /// Word of A's vertices.
    pub vertices_a: u32,
    /// Word of the starts of A's leaves.
    pub starts_a: u32,
    /// Word of the corners of A's triangles, in the order of the leaves.
    pub corners_a: u32,
    /// Word of the triangles' places in that order.
    pub slots_a: u32,
    /// As of A.
    pub vertices_b: u32,
    /// As of A.
    pub starts_b: u32,
    /// As of A.
    pub corners_b: u32,
    /// As of A.
    pub slots_b: u32,
    /// Triangles of A.
    pub count_a: u32,
    /// Triangles of B.
    pub count_b: u32,
    /// The first leaf pair.
    pub first_leaf_pair: u32,
    /// Leaf pairs.
    pub leaf_pairs: u32,
    /// Word of the intersection's answers at which the first unit's record begins.
    pub answer: u32,
    /// The first row.
    pub first_row: u32,
    /// Rows that there is room for.
    pub room: u32,
    /// Pixels per side.
    pub side: u32,
    /// Greatest error of a coordinate (scaled).
    pub delta: f32,
    /// The first kept view.
    pub kept: u32,
    /// Kept views.
    pub kept_count: u32,
    /// Whether all intervals of its views are to come back.
    pub listed: u32,
    /// The powers of two of A's quanta.
    pub quanta_a: [i32; 3],
    /// The first of its views among those of all pairs.
    pub first_view: u32,
    /// Of B's.
    pub quanta_b: [i32; 3],
    /// Views that there is room for.
    pub views: u32,
}

/// The same with what is made on the device.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactPair {
    /// What is sent.
    pub head: ContactPairHead,
    /// [`NO_SEGMENT`] and the like.
    pub status: u32,
    /// Candidates of segments; those that do not cross are of no contour.
    pub segments: u32,
    /// Contours.
    pub contours: u32,
    /// Clusters.
    pub clusters: u32,
    /// Clusters.
    pub cluster: [ContourCluster; MOST_CLUSTERS as usize],
    /// Their views.
    pub view: [ContactView; MOST_CLUSTERS as usize],
    /// Segments.
    pub segment: [ContourSegment; MOST_SEGMENTS as usize],
}

/// An interval that stands for a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Candidate {
    /// Its pixel to the right, and upwards from bit 16 on.
    pub pixel: u32,
    /// Where A's own interval begins and ends, and B's (steps).
    pub depths: [i32; 4],
    /// At which triangles of their meshes.
    pub triangles: [u32; 4],
}

/// A quadric along the lines of a view: a z² + 2 (b · (1, x, y)) z + c · (1, x, y, x², xy, y²), negative inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Quadric {
    /// a, and b: constant, x, y.
    pub line: [f32; 4],
    /// c: constant, x, y, x².
    pub flat: [f32; 4],
    /// c: xy, y².
    pub rest: [f32; 4],
}

/// A solid without triangles in a view, whose x, y and z run from -1 to 1 over the pixels and the depth steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SolidSurface {
    /// A tube or a ball; the balls at the ends of a capsule.
    pub quadrics: [Quadric; 3],
    /// Planes, negative inside: constant, x, y, z.
    pub planes: [[f32; 4]; 2],
    /// [`HALF_SPACE`] and the like.
    pub kind: u32,
    /// 0 where the solid is A, 1 where it is B.
    pub side: u32,
    /// What lies behind is not seen (steps).
    pub far: i32,
    /// To a multiple of sixteen bytes.
    pub spare: u32,
}

/// Kind of a [`SolidSurface`]: the first plane.
pub const HALF_SPACE: u32 = 1;
/// The first quadric.
pub const BALL: u32 = 2;
/// The first quadric between two planes.
pub const CYLINDER: u32 = 3;
/// A cylinder and two balls.
pub const CAPSULE: u32 = 4;
/// Flag of a [`TileUnit`](crate::image::layout::TileUnit): its view is of a mesh and the solid of number `answer`.
pub const OF_SOLID: u32 = 64;

/// What comes back of a cluster: whole numbers of pixels and depth steps, low words first, but for the contours' sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PatchRecord {
    /// The number of the step.
    pub sequence: u32,
    /// Why there is no patch; zero where there is.
    pub status: u32,
    /// Contours of the pair.
    pub contours: u32,
    /// Clusters of the pair.
    pub clusters: u32,
    /// As in [`ContourCluster`].
    pub area: [f32; 3],
    /// As in [`ContactView`].
    pub kept: u32,
    /// As in [`ContourCluster`].
    pub torque: [f32; 3],
    /// As in [`ContactView`].
    pub shown: u32,
    /// As in [`ContactView`].
    pub rows: [[f32; 4]; 3],
    /// Intervals with an overlap.
    pub overlaps: u32,
    /// The longest.
    pub longest: u32,
    /// Σ length.
    pub length: [u32; 2],
    /// Σ length · twice the place of the interval's middle to the right.
    pub moment_i: [u32; 2],
    /// The same upwards.
    pub moment_j: [u32; 2],
    /// The same in depth.
    pub moment_z: [u32; 3],
    /// Σ of the intervals' gradients.
    pub gradient: i32,
    /// How far B has to move along the view until all are free.
    pub apart_along: i32,
    /// The same against the view.
    pub apart_against: i32,
    /// Candidates.
    pub candidates: u32,
    /// Surfaces crossed by the lines of the view.
    pub crossings: u32,
    /// Intervals of the view, where they are to come back.
    pub intervals: u32,
    /// The first one's place among those of all views; all ones for none.
    pub place: u32,
    /// Its pair's number in the batch, and which of the pair's views it is.
    pub pair: u32,
    /// See `pair`.
    pub view: u32,
    /// To a multiple of sixteen bytes.
    pub spare: [u32; 2],
    /// The candidates, the longest first.
    pub candidate: [Candidate; CANDIDATES as usize],
}
