// Snap: the triangles that a view may show, from their meshes to whole numbers on the view's lattice.
//
// Twin: narrow/src/snap.rs. A workgroup takes one view, a thread every 64th of its triangles. The CPU does this
// in double precision; so does this shader, in whole numbers (f64.wgsl), operation by operation in the same
// order, and comes to the same bits.

struct SnapView {
    // Triangles: the first of `triangles`, how many, how many of them A's; pixels per side.
    first: u32,
    count: u32,
    of_a: u32,
    side: u32,
    // Words of `meshes`: vertices, corners of the triangles in the order of the leaves, and where in that order
    // each triangle is.
    vertices_a: u32,
    corners_a: u32,
    slots_a: u32,
    vertices_b: u32,
    corners_b: u32,
    slots_b: u32,
    // Doubles: the depth beyond which nothing is seen (steps), and the view's side (sub-pixels).
    far: vec2<u32>,
    limit: vec2<u32>,
    // From the frame of A and that of B to sub-pixels from the first pixel's centre, and depth steps: three rows,
    // and what is added to each.
    lattice: array<vec2<u32>, 24>,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> views: array<SnapView>;
@group(0) @binding(3) var<storage, read> triangles: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<TileRow>;

const SNAP_THREADS: u32 = 64u;


// As doubles: -1, 2^30 - 1 and its opposite.
const MINUS_ONE: vec2<u32> = vec2<u32>(0u, 0xbff00000u);
const FAR: vec2<u32> = vec2<u32>(0xff800000u, 0x41cfffffu);
const MINUS_FAR: vec2<u32> = vec2<u32>(0xff800000u, 0xc1cfffffu);
// 2^38 and 2^48: beyond these slopes and depths a triangle is seen from its side.
const STEEPEST: vec2<u32> = vec2<u32>(0u, 0x42500000u);
const DEEPEST: vec2<u32> = vec2<u32>(0u, 0x42f00000u);

// A corner of the triangle at hand.
var<private> corner: array<array<vec2<u32>, 3>, 3>;

// A coordinate of a vertex on the lattice: a row of the map, and what is added.
fn along(v: u32, row: u32, shift: u32, x: vec2<u32>, y: vec2<u32>, z: vec2<u32>) -> vec2<u32> {
    let xy = add(mul(views[v].lattice[row], x), mul(views[v].lattice[row + 1u], y));
    return add(add(xy, mul(views[v].lattice[row + 2u], z)), views[v].lattice[shift]);
}

// Where the vertex at a word of `meshes` is: right, up, depth.
fn place(v: u32, word: u32, of_b: bool) -> array<vec2<u32>, 3> {
    let own = select(0u, 12u, of_b);
    let x = from_f32(meshes[word]);
    let y = from_f32(meshes[word + 1u]);
    let z = from_f32(meshes[word + 2u]);
    return array<vec2<u32>, 3>(
        along(v, own, own + 9u, x, y, z),
        along(v, own + 3u, own + 10u, x, y, z),
        along(v, own + 6u, own + 11u, x, y, z),
    );
}

fn lesser(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, less(a, b));
}

fn greater(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, less(b, a));
}

// The least and the greatest of a coordinate.
fn least_of(axis: u32) -> vec2<u32> {
    return lesser(lesser(corner[0][axis], corner[1][axis]), corner[2][axis]);
}

fn most_of(axis: u32) -> vec2<u32> {
    return greater(greater(corner[0][axis], corner[1][axis]), corner[2][axis]);
}

// A coordinate of the three corners in whole sub-pixels.
fn snapped(axis: u32) -> vec3<i32> {
    return bitcast<vec3<i32>>(vec3<u32>(
        whole64(corner[0][axis]).x,
        whole64(corner[1][axis]).x,
        whole64(corner[2][axis]).x,
    ));
}

// A slope or a depth in parts of a step.
fn fixed(x: vec2<u32>) -> vec2<u32> {
    return whole64(scaled(x, FRACTION));
}

// The plane's depths.
fn slope(row: ptr<function, TileRow>) {
    let u0 = sub(corner[1][0], corner[0][0]);
    let u1 = sub(corner[1][1], corner[0][1]);
    let u2 = sub(corner[1][2], corner[0][2]);
    let v0 = sub(corner[2][0], corner[0][0]);
    let v1 = sub(corner[2][1], corner[0][1]);
    let v2 = sub(corner[2][2], corner[0][2]);
    let flat = sub(mul(u0, v1), mul(v0, u1));
    let by = reciprocal(flat);
    let by_x = div(sub(mul(u2, v1), mul(v2, u1)), flat, by);
    let by_y = div(sub(mul(u0, v2), mul(v0, u2)), flat, by);
    let start = sub(sub(corner[0][2], mul(by_x, corner[0][0])), mul(by_y, corner[0][1]));
    let gx = scaled(by_x, 8u);
    let gy = scaled(by_y, 8u);
    let sloped = (exponent(flat) != 0u) & less(magnitude(gx), STEEPEST) & less(magnitude(gy), STEEPEST)
        & less(magnitude(start), DEEPEST);
    let own = select(corner[0][2], start, sloped);
    let at = select(own, vec2<u32>(0u, DEEPEST.y | (own.y & SIGN)), less(DEEPEST, magnitude(own)));
    (*row).at = plus64(fixed(at), vec2<u32>(1u << (FRACTION - 1u), 0u));
    (*row).along_i = select(vec2<u32>(0u), fixed(gx), sloped);
    (*row).along_j = select(vec2<u32>(0u), fixed(gy), sloped);
    (*row).least = steps(least_of(2u));
    (*row).most = steps(most_of(2u));
}

fn row_of(v: u32) -> TileRow {
    let side = views[v].side;
    let limit = views[v].limit;
    let low = array<vec2<u32>, 2>(least_of(0u), least_of(1u));
    let high = array<vec2<u32>, 2>(most_of(0u), most_of(1u));
    let beside = less(high[0], MINUS_ONE) | less(high[1], MINUS_ONE) | less(limit, low[0]) | less(limit, low[1])
        | less(views[v].far, least_of(2u));
    let fits = less(MINUS_FAR, low[0]) & less(MINUS_FAR, low[1]) & less(high[0], FAR) & less(high[1], FAR);
    var row = nothing();
    if (!beside) {
        row = no_room(side);
        if (fits) {
            let x = snapped(0u);
            let y = snapped(1u);
            row = edges(x, y, side);
            if (has_plane(row)) {
                slope(&row);
            }
        }
    }
    return row;
}

@compute @workgroup_size(64)
fn snap(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let v = params.first + index;
    for (var k = lane; k < views[v].count; k += SNAP_THREADS) {
        let of_b = k >= views[v].of_a;
        let first = select(views[v].vertices_a, views[v].vertices_b, of_b);
        let corners = select(views[v].corners_a, views[v].corners_b, of_b);
        let slots = select(views[v].slots_a, views[v].slots_b, of_b);
        let at = corners + 3u * meshes[slots + triangles[views[v].first + k]];
        corner[0] = place(v, first + 3u * meshes[at], of_b);
        corner[1] = place(v, first + 3u * meshes[at + 1u], of_b);
        corner[2] = place(v, first + 3u * meshes[at + 2u], of_b);
        rows[views[v].first - params.base + k] = row_of(v);
    }
}
