// What comes back of a cluster of contours and of its view.

// An interval that stands for the patch: its pixel, right and up, where A's own interval begins and ends and where B's
// does (steps), and at which triangles of their meshes.
struct Candidate {
    pixel: u32,
    depths: array<i32, 4>,
    triangles: array<u32, 4>,
}

struct PatchRecord {
    sequence: u32,
    // Why there is no patch; zero where there is.
    status: u32,
    // Contours and clusters of the pair.
    contours: u32,
    clusters: u32,
    // The contours' sums (A's frame, scaled), and which kept view was taken.
    area: vec3<f32>,
    kept: u32,
    torque: vec3<f32>,
    shown: u32,
    rows: array<vec4<f32>, 3>,
    // Intervals with an overlap, and the longest.
    overlaps: u32,
    longest: u32,
    // Sum of the lengths, and times twice the place of the interval's middle; low words first.
    length: vec2<u32>,
    moment_i: vec2<u32>,
    moment_j: vec2<u32>,
    moment_z: array<u32, 3>,
    gradient: i32,
    // How far B has to move along the view, and against it, until all are free.
    apart_along: i32,
    apart_against: i32,
    candidates: u32,
    crossings: u32,
    // Intervals of the view, and the first one's place among those of all views; all ones for none.
    intervals: u32,
    place: u32,
    // Its pair's number in the batch, and which of the pair's views it is.
    pair: u32,
    view: u32,
    spare: vec2<u32>,
    candidate: array<Candidate, CANDIDATES>,
}

// The longest, the one nearest to the middle, and the farthest in twelve directions.
const CANDIDATES: u32 = 14u;

// There is no cluster, or no view.
const NO_CLUSTER: u32 = 0x80u;
