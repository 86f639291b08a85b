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

struct TriangleBox {
    low: vec3<f32>,
    high: vec3<f32>,
}

fn box_of(t: Triangle) -> TriangleBox {
    return TriangleBox(
        min(t.corner[0], min(t.corner[1], t.corner[2])),
        max(t.corner[0], max(t.corner[1], t.corner[2])),
    );
}

fn boxes_apart(a: TriangleBox, b: TriangleBox, delta: f32) -> bool {
    let gap = max(a.low - b.high, b.low - a.high);
    let size = max(max(abs(a.low), abs(a.high)), max(abs(b.low), abs(b.high)));
    let slack = 2.0 * delta + 4.0 * UNIT_ERROR * max(size.x, max(size.y, size.z));
    return max(gap.x, max(gap.y, gap.z)) > slack;
}

// Whether a triangle is certainly wholly on one side of another's plane. The bound is that of orient, for the longest of the
// differences.
fn is_aside(plane: Triangle, face: Triangle, delta: f32) -> bool {
    let u = plane.corner[1] - plane.corner[0];
    let v = plane.corner[2] - plane.corner[0];
    let d = array<vec3<f32>, 3>(
        face.corner[0] - plane.corner[0],
        face.corner[1] - plane.corner[0],
        face.corner[2] - plane.corner[0],
    );
    let normal = cross(u, v);
    let at = vec3<f32>(dot(normal, d[0]), dot(normal, d[1]), dot(normal, d[2]));
    let most = max(max(abs(u), abs(v)), max(abs(d[0]), max(abs(d[1]), abs(d[2]))));
    let l = max(most.x, max(most.y, most.z));
    let bound = (36.0 * delta + 48.0 * UNIT_ERROR * l) * (l * l) * 1.125;
    let certain = l >= SHORTEST && delta <= l * 0.015625;
    return certain && (all(at > vec3<f32>(bound)) || all(at < vec3<f32>(-bound)));
}

// A corner by its number. (Not by index: what is indexed by a number that is not constant has to lie in memory.)
fn corner(t: Triangle, k: u32) -> vec3<f32> {
    return select(select(t.corner[2], t.corner[1], k == 1u), t.corner[0], k == 0u);
}

// The corner at the end of the edge of this number.
fn edge_end(t: Triangle, k: u32) -> vec3<f32> {
    return select(select(t.corner[0], t.corner[2], k == 1u), t.corner[1], k == 0u);
}

// The place where edge k of `t` meets the plane of `other`.
fn place(t: Triangle, k: u32, other: Triangle) -> vec3<f32> {
    let p = corner(t, k);
    let q = edge_end(t, k);
    let start = height(other, p);
    let end = height(other, q);
    let share = select(clamp(start / (start - end), 0.0, 1.0), 0.5, start == end);
    return p + (q - p) * share;
}

// How two triangles meet: Guigue and Devillers' test, as the twin has it, on certain signs alone.
fn meet(a: Triangle, b: Triangle, delta: f32) -> Meeting {
    if (boxes_apart(box_of(a), box_of(b), delta)) {
        return Meeting(MISS, vec3<f32>(0.0), vec3<f32>(0.0), vec2<u32>(0u));
    }
    return meet_near(a, b, delta);
}

// The same of triangles whose boxes are not apart.
fn meet_near(a: Triangle, b: Triangle, delta: f32) -> Meeting {
    var out = Meeting(MISS, vec3<f32>(0.0), vec3<f32>(0.0), vec2<u32>(0u));
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
    let p = corner(a, i);
    let q = edge_end(a, i);
    let r = corner(b, j);
    let s = edge_end(b, j);
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
    let at = unit.corners_a + 3u * triangle;
    return Triangle(array<vec3<f32>, 3>(
        vertex(unit.vertices_a + 3u * meshes[at]) * unit.scale,
        vertex(unit.vertices_a + 3u * meshes[at + 1u]) * unit.scale,
        vertex(unit.vertices_a + 3u * meshes[at + 2u]) * unit.scale,
    ));
}

// A vertex of B, by its word, in A's frame.
fn vertex_of_b(unit: IntersectUnit, at: u32) -> vec3<f32> {
    let p = vertex(at);
    let x = dot(unit.to_a[0].xyz, p) + unit.to_a[0].w;
    let y = dot(unit.to_a[1].xyz, p) + unit.to_a[1].w;
    let z = dot(unit.to_a[2].xyz, p) + unit.to_a[2].w;
    return vec3<f32>(x, y, z);
}

fn face_of_b(unit: IntersectUnit, triangle: u32) -> Triangle {
    let at = unit.corners_b + 3u * triangle;
    return Triangle(array<vec3<f32>, 3>(
        vertex_of_b(unit, unit.vertices_b + 3u * meshes[at]),
        vertex_of_b(unit, unit.vertices_b + 3u * meshes[at + 1u]),
        vertex_of_b(unit, unit.vertices_b + 3u * meshes[at + 2u]),
    ));
}
