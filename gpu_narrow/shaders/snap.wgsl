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

// Depths at which everything nearer, and everything farther, ends up.
const NEAREST: i32 = -2147483646;
const FARTHEST: i32 = 2147483645;
// No edge function leaves this within a view where its start is within, and its changes add up to no more.
const EDGE: i32 = 1073741824;

// As doubles: -1, 2^30 - 1 and its opposite.
const MINUS_ONE: vec2<u32> = vec2<u32>(0u, 0xbff00000u);
const FAR: vec2<u32> = vec2<u32>(0xff800000u, 0x41cfffffu);
const MINUS_FAR: vec2<u32> = vec2<u32>(0xff800000u, 0xc1cfffffu);
// 2^38 and 2^48: beyond these slopes and depths a triangle is seen from its side.
const STEEPEST: vec2<u32> = vec2<u32>(0u, 0x42500000u);
const DEEPEST: vec2<u32> = vec2<u32>(0u, 0x42f00000u);

// A corner of the triangle at hand: right, up, depth.
var<private> corner: array<array<vec2<u32>, 3>, 3>;

// Places the corners of triangle `k` of a view.
fn place(v: u32, k: u32) {
    let of_b = k >= views[v].of_a;
    let vertices = select(views[v].vertices_a, views[v].vertices_b, of_b);
    let corners = select(views[v].corners_a, views[v].corners_b, of_b);
    let slots = select(views[v].slots_a, views[v].slots_b, of_b);
    let own = select(0u, 12u, of_b);
    let at = corners + 3u * meshes[slots + triangles[views[v].first + k]];
    for (var c = 0u; c < 3u; c++) {
        let word = vertices + 3u * meshes[at + c];
        let x = from_f32(meshes[word]);
        let y = from_f32(meshes[word + 1u]);
        let z = from_f32(meshes[word + 2u]);
        for (var axis = 0u; axis < 3u; axis++) {
            let row = own + 3u * axis;
            let xy = add(mul(views[v].lattice[row], x), mul(views[v].lattice[row + 1u], y));
            let xyz = add(xy, mul(views[v].lattice[row + 2u], z));
            corner[c][axis] = add(xyz, views[v].lattice[own + 9u + axis]);
        }
    }
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

// The first and the last pixel whose centre lies between the least and the greatest.
fn centres(v: vec3<i32>, side: u32) -> vec2<i32> {
    let low = max((min(min(v.x, v.y), v.z) + 255) >> 8u, 0);
    let high = min(max(max(v.x, v.y), v.z) >> 8u, i32(side) - 1);
    return vec2<i32>(low, high);
}

fn area_of(i: vec2<i32>, j: vec2<i32>) -> u32 {
    return (u32(i.x) << 4u) | (u32(i.y) << 11u) | (u32(j.x) << 18u) | (u32(j.y) << 25u);
}

// Steps at a depth.
fn steps(z: vec2<u32>) -> i32 {
    if (exponent(z) >= 1023u + 62u) {
        return select(FARTHEST, NEAREST, z.y >= SIGN);
    }
    return held(whole64(z), NEAREST, FARTHEST);
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
    var at = corner[0][2];
    var gx = vec2<u32>(0u);
    var gy = vec2<u32>(0u);
    if (exponent(flat) != 0u) {
        let by_x = div(sub(mul(u2, v1), mul(v2, u1)), flat);
        let by_y = div(sub(mul(u0, v2), mul(v0, u2)), flat);
        let start = sub(sub(at, mul(by_x, corner[0][0])), mul(by_y, corner[0][1]));
        let steep = vec2<bool>(
            less(magnitude(scaled(by_x, 8u)), STEEPEST),
            less(magnitude(scaled(by_y, 8u)), STEEPEST),
        );
        if (all(steep) && less(magnitude(start), DEEPEST)) {
            at = start;
            gx = scaled(by_x, 8u);
            gy = scaled(by_y, 8u);
        }
    }
    if (less(DEEPEST, magnitude(at))) {
        at = vec2<u32>(0u, DEEPEST.y | (at.y & SIGN));
    }
    (*row).at = plus64(fixed(at), vec2<u32>(1u << (FRACTION - 1u), 0u));
    (*row).along_i = fixed(gx);
    (*row).along_j = fixed(gy);
    (*row).least = steps(least_of(2u));
    (*row).most = steps(most_of(2u));
}

// A triangle that covers nothing, and one that is everywhere and has no room.
fn nothing() -> TileRow {
    var row: TileRow;
    row.edge = vec3<i32>(-1);
    row.area = area_of(vec2<i32>(1, 0), vec2<i32>(1, 0));
    return row;
}

fn no_room(side: u32) -> TileRow {
    var row: TileRow;
    let all = vec2<i32>(0, i32(side) - 1);
    row.area = NO_ROOM | area_of(all, all);
    return row;
}

fn row_of(v: u32) -> TileRow {
    let side = views[v].side;
    let limit = views[v].limit;
    let low = array<vec2<u32>, 2>(least_of(0u), least_of(1u));
    let high = array<vec2<u32>, 2>(most_of(0u), most_of(1u));
    if (less(high[0], MINUS_ONE) || less(high[1], MINUS_ONE) || less(limit, low[0]) || less(limit, low[1])
        || less(views[v].far, least_of(2u))) {
        return nothing();
    }
    if (!(less(MINUS_FAR, low[0]) && less(MINUS_FAR, low[1]) && less(high[0], FAR) && less(high[1], FAR))) {
        return no_room(side);
    }
    let x = snapped(0u);
    let y = snapped(1u);
    let i = centres(x, side);
    let j = centres(y, side);
    if (i.x > i.y || j.x > j.y) {
        return nothing();
    }
    let turn = minus64(wide_signed(x.y - x.x, y.z - y.x), wide_signed(x.z - x.x, y.y - y.x));
    if (all(turn == vec2<u32>(0u))) {
        return nothing();
    }
    let back = turn.y < SIGN;
    let order = select(vec3<u32>(0u, 2u, 1u), vec3<u32>(0u, 1u, 2u), back);
    let most = EDGE / 2 / i32(side);
    var row: TileRow;
    row.area = area_of(i, j) | select(FACES_FRONT, 0u, back);
    var across = array<vec2<i32>, 3>();
    for (var k = 0u; k < 3u; k++) {
        let a = order[k];
        let b = order[(k + 1u) % 3u];
        let dx = x[b] - x[a];
        let dy = y[b] - y[a];
        if (abs(dx) > most || abs(dy) > most) {
            return no_room(side);
        }
        // A centre on an edge belongs to the side that a shift by (-e, +e^2) takes it to.
        let own = dy > 0 || (dy == 0 && dx > 0);
        var start = minus64(wide_signed(dy, x[a]), wide_signed(dx, y[a]));
        start = minus64(start, vec2<u32>(select(1u, 0u, own), 0u));
        let pixels = vec2<u32>((start.x >> 8u) | (start.y << 24u), bitcast<u32>(bitcast<i32>(start.y) >> 8u));
        row.edge[k] = held(pixels, -EDGE, EDGE);
        across[k] = vec2<i32>(-dy, dx);
    }
    row.across = vec4<i32>(across[0], across[1]);
    slope(&row);
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
        place(v, k);
        rows[views[v].first - params.base + k] = row_of(v);
    }
}
