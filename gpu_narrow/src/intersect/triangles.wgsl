// How two triangles meet, as far as `f32` can tell. Shared by the filter of triangle intersection and by what follows
// contours.

struct IntersectUnit {
    // From B's frame to A's: a row of the rotation and a part of the translation each (scaled).
    to_a: array<vec4<f32>, 3>,
    // Where segments are measured from (A's frame, scaled).
    origin: vec3<f32>,
    // The power of two that lengths are multiplied by.
    scale: f32,
    // Greatest error of a coordinate (scaled).
    delta: f32,
    // Words of `meshes`: of A and B, the vertices, the starts of the leaves, and the corners of the
    // triangles in the order of the leaves.
    vertices_a: u32,
    starts_a: u32,
    corners_a: u32,
    vertices_b: u32,
    starts_b: u32,
    corners_b: u32,
    // First leaf pair, and how many.
    first: u32,
    count: u32,
    // Word of `answers` at which the record begins; the masks of its leaf pairs follow.
    answer: u32,
    // To a multiple of sixteen bytes.
    spare: vec2<u32>,
}

const MISS: u32 = 0u;
const UNCERTAIN: u32 = 1u;
const HIT: u32 = 2u;

// Greatest relative error of one operation: WGSL lets an implementation round either way.
const UNIT_ERROR: f32 = 1.1920929e-7;
// Least difference vector that the bound of orient holds for.
const SHORTEST: f32 = 9.536743e-7;

// Whether every sign counts, however small what it is of.
var<private> guess: bool;

struct Triangle {
    corner: array<vec3<f32>, 3>,
}

// The segment of a hit.
struct Meeting {
    kind: u32,
    start: vec3<f32>,
    end: vec3<f32>,
    // The edges that cross there: of A (0 to 2), or of B (3 to 5).
    edges: vec2<u32>,
}

fn largest(v: vec3<f32>) -> f32 {
    let a = abs(v);
    return max(a.x, max(a.y, a.z));
}

// Sign of the volume of the tetrahedron a b c d, zero where rounding may have made it: positive when d
// lies against the normal of a b c. With u the error of one operation and L the largest coordinate of
// the differences, 36 delta L^2 is what errors of the coordinates can do and 48 u L^3 what rounding
// can (geometry's predicate filter has the derivation), an eighth more for the higher orders.
fn orient(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32>, delta: f32) -> i32 {
    let p = a - d;
    let q = b - d;
    let r = c - d;
    let l = max(largest(p), max(largest(q), largest(r)));
    if (!guess && (l < SHORTEST || delta > l * 0.015625)) {
        return 0;
    }
    let det = p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z) + p.z * (q.x * r.y - q.y * r.x);
    let bound = (36.0 * delta + 48.0 * UNIT_ERROR * l) * (l * l) * 1.125;
    if (guess) {
        return select(-1, 1, det >= 0.0);
    }
    return select(0, 1, det > bound) - select(0, 1, det < -bound);
}

// About six times the volume of the tetrahedron: positive when d lies along the normal of a b c.
fn height(t: Triangle, d: vec3<f32>) -> f32 {
    let u = t.corner[1] - t.corner[0];
    let v = t.corner[2] - t.corner[0];
    return dot(cross(u, v), d - t.corner[0]);
}

// Sides of the corners of `face` to the plane of `plane`: positive above.
fn sides(plane: Triangle, face: Triangle, delta: f32) -> vec3<i32> {
    let t = plane.corner;
    return -vec3<i32>(
        orient(t[0], t[1], t[2], face.corner[0], delta),
        orient(t[0], t[1], t[2], face.corner[1], delta),
        orient(t[0], t[1], t[2], face.corner[2], delta),
    );
}

fn one_sided(s: vec3<i32>) -> bool {
    return abs(s.x + s.y + s.z) == 3;
}

// The edge that goes from sign -`end` to sign `end`. All signs are certain and not all alike.
fn crossing_edge(s: vec3<i32>, end: i32) -> u32 {
    if (s.x == -end && s.y == end) {
        return 0u;
    }
    return select(2u, 1u, s.y == -end && s.z == end);
}

fn boxes_apart(a: Triangle, b: Triangle, delta: f32) -> bool {
    let low_a = min(a.corner[0], min(a.corner[1], a.corner[2]));
    let high_a = max(a.corner[0], max(a.corner[1], a.corner[2]));
    let low_b = min(b.corner[0], min(b.corner[1], b.corner[2]));
    let high_b = max(b.corner[0], max(b.corner[1], b.corner[2]));
    let gap = max(low_a - high_b, low_b - high_a);
    let size = max(largest(low_a), max(largest(high_a), max(largest(low_b), largest(high_b))));
    let slack = 2.0 * delta + 4.0 * UNIT_ERROR * size;
    return gap.x > slack || gap.y > slack || gap.z > slack;
}

// The place where edge k of `t` meets the plane of `other`.
fn place(t: Triangle, k: u32, other: Triangle) -> vec3<f32> {
    let p = t.corner[k];
    let q = t.corner[(k + 1u) % 3u];
    let start = height(other, p);
    let end = height(other, q);
    let share = select(clamp(start / (start - end), 0.0, 1.0), 0.5, start == end);
    return p + (q - p) * share;
}

// How two triangles meet: Guigue and Devillers' test, as the twin has it, on certain signs alone.
fn meet(a: Triangle, b: Triangle, delta: f32) -> Meeting {
    var out = Meeting(MISS, vec3<f32>(0.0), vec3<f32>(0.0), vec2<u32>(0u));
    if (boxes_apart(a, b, delta)) {
        return out;
    }
    let of_b = sides(a, b, delta);
    if (one_sided(of_b)) {
        return out;
    }
    let of_a = sides(b, a, delta);
    if (one_sided(of_a)) {
        return out;
    }
    out.kind = UNCERTAIN;
    if (any(of_a == vec3<i32>(0)) || any(of_b == vec3<i32>(0))) {
        return out;
    }
    let a_in = crossing_edge(of_a, 1);
    let a_out = crossing_edge(of_a, -1);
    let b_in = crossing_edge(of_b, -1);
    let b_out = crossing_edge(of_b, 1);
    let first = between(a, a_in, b, b_out, delta);
    let last = between(a, a_out, b, b_in, delta);
    if (first > 0 || last < 0) {
        out.kind = MISS;
        return out;
    }
    if (first == 0 || last == 0) {
        return out;
    }
    out.kind = HIT;
    // Where the order of two ends is not certain they are as good as one.
    if (between(a, a_in, b, b_in, delta) > 0) {
        out.start = place(b, b_in, a);
        out.edges.x = 3u + b_in;
    } else {
        out.start = place(a, a_in, b);
        out.edges.x = a_in;
    }
    if (between(a, a_out, b, b_out, delta) > 0) {
        out.end = place(a, a_out, b);
        out.edges.y = a_out;
    } else {
        out.end = place(b, b_out, a);
        out.edges.y = 3u + b_out;
    }
    return out;
}

// The order of two edges' crossings along the line common to both planes, as the twin has it.
// Of a guess the ends of
// both edges are put in order first, so that the triangles on both sides of an edge say the same.
fn between(a: Triangle, i: u32, b: Triangle, j: u32, delta: f32) -> i32 {
    let p = a.corner[i];
    let q = a.corner[(i + 1u) % 3u];
    let r = b.corner[j];
    let s = b.corner[(j + 1u) % 3u];
    if (!guess) {
        return orient(p, q, r, s, delta);
    }
    let one = comes_after(p, q);
    let other = comes_after(r, s);
    let sign = orient(select(p, q, one), select(q, p, one), select(r, s, other), select(s, r, other), delta);
    return select(sign, -sign, one != other);
}

fn comes_after(p: vec3<f32>, q: vec3<f32>) -> bool {
    if (p.x != q.x) {
        return p.x > q.x;
    }
    if (p.y != q.y) {
        return p.y > q.y;
    }
    return p.z > q.z;
}

fn vertex(at: u32) -> vec3<f32> {
    return vec3<f32>(bitcast<f32>(meshes[at]), bitcast<f32>(meshes[at + 1u]), bitcast<f32>(meshes[at + 2u]));
}

fn face_of_a(unit: IntersectUnit, triangle: u32) -> Triangle {
    var t: Triangle;
    for (var k = 0u; k < 3u; k++) {
        t.corner[k] = vertex(unit.vertices_a + 3u * meshes[unit.corners_a + 3u * triangle + k]) * unit.scale;
    }
    return t;
}

fn face_of_b(unit: IntersectUnit, triangle: u32) -> Triangle {
    var t: Triangle;
    for (var k = 0u; k < 3u; k++) {
        let p = vertex(unit.vertices_b + 3u * meshes[unit.corners_b + 3u * triangle + k]);
        let x = dot(unit.to_a[0].xyz, p) + unit.to_a[0].w;
        let y = dot(unit.to_a[1].xyz, p) + unit.to_a[1].w;
        let z = dot(unit.to_a[2].xyz, p) + unit.to_a[2].w;
        t.corner[k] = vec3<f32>(x, y, z);
    }
    return t;
}
