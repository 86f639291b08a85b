// Triangles in whole numbers on a view's lattice. Twins: narrow/image_space/src/fixed_map.rs and coverage. Shared by the
// passes that make rows.

// Corners of a triangle are nearer than this across (sub-pixels), and in depth (steps).
const ACROSS: i32 = 536870912;
const DEEP: i32 = 1073741824;

// Edge functions are held within this at the first pixel; where they change by no more than as much over all of a view,
// that changes no sign.
const EDGE: i32 = 1073741824;

// The nearest whole number of quanta, 2 to the power of `exponent`, to a float; ties to even.
fn quantized(word: u32, exponent: i32) -> i32 {
    let field = (word >> 23u) & 0xffu;
    let mantissa = (word & 0x7fffffu) | select(0x800000u, 0u, field == 0u);
    let power = max(i32(field), 1) - 150 - exponent;
    let by = u32(clamp(-power, 1, 25));
    let rounded = (mantissa + (1u << (by - 1u)) - 1u + ((mantissa >> by) & 1u)) >> by;
    let size = i32(select(rounded, mantissa << u32(clamp(power, 0, 7)), power >= 0));
    return select(size, -size, (word >> 31u) == 1u);
}

// One coordinate of a vertex on the lattice, held within what corners may be.
fn along(row: vec3<i32>, d: vec3<i32>, start: vec2<u32>, shift: u32) -> i32 {
    let xy = plus64(signed_product64(row.x, d.x), signed_product64(row.y, d.y));
    return held64(right64(plus64(plus64(xy, signed_product64(row.z, d.z)), start), shift), -DEEP, DEEP);
}

// Where a vertex is: right, up, depth.
fn placed(map: LatticeMap, x: u32, y: u32, z: u32) -> vec3<i32> {
    return placed_quanta(map, vec3<i32>(quantized(x, map.quanta.x), quantized(y, map.quanta.y), quantized(z, map.quanta.z)));
}

// The same of a vertex in quanta.
fn placed_quanta(map: LatticeMap, q: vec3<i32>) -> vec3<i32> {
    let d = q - map.origin;
    return vec3<i32>(
        along(map.right, d, map.start_right, map.shift_right),
        along(map.up, d, map.start_up, map.shift_up),
        along(map.depth, d, map.start_depth, map.shift_depth),
    );
}

fn area_of(i: vec2<i32>, j: vec2<i32>) -> u32 {
    return (u32(i.x) << 4u) | (u32(i.y) << 11u) | (u32(j.x) << 18u) | (u32(j.y) << 25u);
}

// A triangle that covers nothing.
fn nothing() -> TileRow {
    var row: TileRow;
    row.edge = vec3<i32>(-1);
    row.area = area_of(vec2<i32>(1, 0), vec2<i32>(1, 0));
    return row;
}

// The start of an edge function in whole pixels; a centre on the edge counts as inside where it is covered.
fn edge_start(a: vec2<i32>, d: vec2<i32>) -> i32 {
    let start = minus64(edge64(a, d, vec2<i32>(0)), vec2<u32>(select(1u, 0u, owns(d)), 0u));
    return held64(right64(start, SUB_BITS), -EDGE, EDGE);
}

// The row of a triangle, by its corners on the lattice.
fn row_of(u: vec3<i32>, v: vec3<i32>, w: vec3<i32>, side: u32, far: i32) -> TileRow {
    let x = vec3<i32>(u.x, v.x, w.x);
    let y = vec3<i32>(u.y, v.y, w.y);
    let z = vec3<i32>(u.z, v.z, w.z);
    let i = centres(x, SUB_BITS, side);
    let j = centres(y, SUB_BITS, side);
    var row = nothing();
    if (i.x > i.y || j.x > j.y || min(z.x, min(z.y, z.z)) > far) {
        return row;
    }
    if (any((abs(x) >= vec3<i32>(ACROSS)) | (abs(y) >= vec3<i32>(ACROSS)) | (abs(z) >= vec3<i32>(DEEP)))) {
        row.area = NO_ROOM | area_of(i, j);
        row.edge = vec3<i32>(0);
        return row;
    }
    let turn = cross64(v.xy - u.xy, w.xy - u.xy);
    if (all(turn == vec2<u32>(0u))) {
        return row;
    }
    // Of front faces, whose corners go clockwise, the second and the third change places.
    let front = is_negative64(turn);
    row.x = select(x, x.xzy, front);
    row.y = select(y, y.xzy, front);
    row.z = select(z, z.xzy, front);
    let dx = row.x.yzx - row.x;
    let dy = row.y.yzx - row.y;
    // Of views of less than a tile as of a tile, so that areas stay below 2^52.
    let most = vec3<i32>(EDGE / 2 / i32(max(side, TILE_SIDE)));
    let wide = any((abs(dx) > most) | (abs(dy) > most));
    row.area = area_of(i, j) | select(0u, FACES_FRONT, front) | select(0u, WIDE, wide);
    row.edge = vec3<i32>(
        edge_start(vec2<i32>(row.x.x, row.y.x), vec2<i32>(dx.x, dy.x)),
        edge_start(vec2<i32>(row.x.y, row.y.y), vec2<i32>(dx.y, dy.y)),
        edge_start(vec2<i32>(row.x.z, row.y.z), vec2<i32>(dx.z, dy.z)),
    );
    return row;
}

// Whether it may cover a pixel.
fn is_shown(row: TileRow) -> bool {
    return ((row.area >> 4u) & 127u) <= ((row.area >> 11u) & 127u);
}
