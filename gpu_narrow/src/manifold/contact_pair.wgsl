// A pair of surfaces between the passes that find its contacts: where its bodies stand, the contours along which they
// cross, and the views of them.

// The segment along which two triangles cross, measured from the pair's origin (A's frame, scaled), and its contour.
struct ContourSegment {
    start: vec3<f32>,
    contour: u32,
    end: vec3<f32>,
    // The segment that follows.
    next: u32,
    // The edges, each by its vertices, and the triangles at which it begins and ends; its own triangles.
    begins_at: vec3<u32>,
    of_a: u32,
    ends_at: vec3<u32>,
    of_b: u32,
}

// Contours near each other: the sums over their segments, about the pair's origin, and the box that they lie in.
struct ContourCluster {
    // Sum of half r x dr.
    area: vec3<f32>,
    // Which contours, a bit each.
    contours: u32,
    // Sum of -1/2 |r|^2 dr.
    torque: vec3<f32>,
    spare: u32,
    low: vec3<f32>,
    spare_low: u32,
    high: vec3<f32>,
    spare_high: u32,
}

// A view: rows that take a place, measured from the pair's origin, to the lattice (a start in w), and the maps of both
// bodies.
struct ContactView {
    rows: array<vec4<f32>, 3>,
    // Which of the kept views it is; all ones for none.
    kept: u32,
    // Triangles that it may show.
    shown: u32,
    // Why there is none, or zero.
    status: u32,
    spare: u32,
    maps: array<LatticeMap, 2>,
}

// What is sent.
struct ContactPairHead {
    // From B's frame to A's: a row of the rotation and a part of the translation each (scaled).
    to_a: array<vec4<f32>, 3>,
    // Axes that the pixels of a new view lie along (A's frame).
    axes: array<vec4<f32>, 3>,
    // Where segments are measured from (A's frame, scaled).
    origin: vec3<f32>,
    // The power of two that lengths are multiplied by.
    scale: f32,
    // Words of `meshes`, and triangles.
    vertices_a: u32,
    starts_a: u32,
    corners_a: u32,
    slots_a: u32,
    vertices_b: u32,
    starts_b: u32,
    corners_b: u32,
    slots_b: u32,
    count_a: u32,
    count_b: u32,
    // The first leaf pair, and how many; word of the answers at which its first unit's record begins.
    first_leaf_pair: u32,
    leaf_pairs: u32,
    answer: u32,
    // The first of its rows: one for each view says how many there are of it and where. How many there is room for.
    first_row: u32,
    room: u32,
    // Pixels per side.
    side: u32,
    // Greatest error of a coordinate (scaled).
    delta: f32,
    // Views of the last step: the first, and how many.
    kept: u32,
    kept_count: u32,
    // Whether all intervals of its views are to come back.
    listed: u32,
    quanta_a: vec3<i32>,
    // The first of its views among those of all pairs.
    first_view: u32,
    quanta_b: vec3<i32>,
    // Views that there is room for.
    views: u32,
}

// The same with what is made on the device.
struct ContactPair {
    head: ContactPairHead,
    // Why it has no contacts, or zero; its segments, contours and clusters.
    status: u32,
    segments: u32,
    contours: u32,
    clusters: u32,
    cluster: array<ContourCluster, MOST_CLUSTERS>,
    view: array<ContactView, MOST_CLUSTERS>,
    segment: array<ContourSegment, MOST_SEGMENTS>,
}

const MOST_SEGMENTS: u32 = 1280u;
const MOST_CONTOURS: u32 = 16u;
const MOST_CLUSTERS: u32 = 8u;

// No contour, no kept view, no label.
const NONE: u32 = 0xffffffffu;

// Why a pair or a cluster has no patch.
const NO_SEGMENT: u32 = 1u;
const OPEN_CONTOUR: u32 = 2u;
const COPLANAR: u32 = 4u;
const CREASED: u32 = 8u;
const OVER_CONTOURS: u32 = 16u;
const NO_AREA_VECTOR: u32 = 32u;
const OVER_ROWS: u32 = 64u;
