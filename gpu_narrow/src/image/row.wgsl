// Rows of triangles but for their depths: edge functions with the top-left rule, in whole numbers, as the CPU has
// them. Shared by the passes that make rows.

// No edge function leaves this within a view where its start is within, and its changes add up to no more.
const EDGE: i32 = 1073741824;

// The first and the last pixel whose centre lies between the least and the greatest.
fn centres(v: vec3<i32>, side: u32) -> vec2<i32> {
    let low = max((min(min(v.x, v.y), v.z) + 255) >> 8u, 0);
    let high = min(max(max(v.x, v.y), v.z) >> 8u, i32(side) - 1);
    return vec2<i32>(low, high);
}

fn area_of(i: vec2<i32>, j: vec2<i32>) -> u32 {
    return (u32(i.x) << 4u) | (u32(i.y) << 11u) | (u32(j.x) << 18u) | (u32(j.y) << 25u);
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

// The start of an edge function in whole pixels. A centre on an edge belongs to the side that a shift by (-e, +e^2)
// takes it to.
fn edge_at(x: i32, y: i32, dx: i32, dy: i32) -> i32 {
    let own = (dy < 0) | ((dy == 0) & (dx < 0));
    let start = minus64(minus64(wide_signed(dy, x), wide_signed(dx, y)), vec2<u32>(select(1u, 0u, own), 0u));
    let pixels = vec2<u32>((start.x >> 8u) | (start.y << 24u), bitcast<u32>(bitcast<i32>(start.y) >> 8u));
    return held(pixels, -EDGE, EDGE);
}

// A triangle's row but for its depths, from its corners in whole sub-pixels.
fn edges(x: vec3<i32>, y: vec3<i32>, side: u32) -> TileRow {
    let i = centres(x, side);
    let j = centres(y, side);
    let turn = minus64(wide_signed(x.y - x.x, y.z - y.x), wide_signed(x.z - x.x, y.y - y.x));
    let back = turn.y < SIGN;
    // Front faces go round the other way.
    let px = select(x.xzy, x, back);
    let py = select(y.xzy, y, back);
    let dx = px.yzx - px;
    let dy = py.yzx - py;
    let most = vec3<i32>(EDGE / 2 / i32(side));
    var row = nothing();
    if (i.x <= i.y && j.x <= j.y && any(turn != vec2<u32>(0u))) {
        row = no_room(side);
        if (!any((abs(dx) > most) | (abs(dy) > most))) {
            row.area = area_of(i, j) | select(FACES_FRONT, 0u, back);
            row.edge = vec3<i32>(
                edge_at(px.x, py.x, dx.x, dy.x),
                edge_at(px.y, py.y, dx.y, dy.y),
                edge_at(px.z, py.z, dx.z, dy.z),
            );
            row.across = vec4<i32>(-dy.x, dx.x, -dy.y, dx.y);
        }
    }
    return row;
}

// Whether it may cover a pixel.
fn is_shown(row: TileRow) -> bool {
    return ((row.area >> 4u) & 127u) <= ((row.area >> 11u) & 127u);
}

// Whether its depths count.
fn has_plane(row: TileRow) -> bool {
    return is_shown(row) && (row.area & NO_ROOM) == 0u;
}
