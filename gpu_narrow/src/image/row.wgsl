// Triangles in whole numbers on a view's lattice. Twins: narrow/image_space/src/fixed_map.rs and coverage. Shared by the
// passes that make rows.

// Corners of a triangle are nearer than this across (sub-pixels), and in depth (steps).
const ACROSS: i32 = 536870912;
const DEEP: i32 = 1073741824;

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

// Words in halves, the upper ones with the sign.
struct Halves {
    low: vec3<i32>,
    high: vec3<i32>,
}

fn halves(v: vec3<i32>) -> Halves {
    return Halves(v & vec3<i32>(0xffff), v >> vec3<u32>(16u));
}

// A map's rows: right, up, depth.
struct RowHalves {
    right: Halves,
    up: Halves,
    depth: Halves,
}

fn row_halves(map: LatticeMap) -> RowHalves {
    return RowHalves(halves(map.right), halves(map.up), halves(map.depth));
}

// One coordinate of a vertex on the lattice, held within what corners may be. The row and `d` are at most 2^30 in size, so both
// products of a half with the other's other half fit into a word together.
fn along(row: Halves, d: Halves, start: vec2<u32>, shift: u32) -> i32 {
    let lows = vec3<u32>(row.low) * vec3<u32>(d.low);
    let mids = row.high * d.low + row.low * d.high;
    let highs = row.high * d.high + (mids >> vec3<u32>(16u));
    let ends = lows & vec3<u32>(0xffffu);
    let end = ends.x + ends.y + ends.z;
    let carries = (lows >> vec3<u32>(16u)) + vec3<u32>(mids & vec3<i32>(0xffff));
    let carry = carries.x + carries.y + carries.z + (end >> 16u);
    let top = bitcast<u32>(highs.x + highs.y + highs.z) + (carry >> 16u);
    let sum = vec2<u32>((carry << 16u) | (end & 0xffffu), top);
    return held64(right64(plus64(sum, start), shift), -DEEP, DEEP);
}

// Where a vertex is: right, up, depth.
fn placed(map: LatticeMap, x: u32, y: u32, z: u32) -> vec3<i32> {
    return placed_quanta(map, vec3<i32>(quantized(x, map.quanta.x), quantized(y, map.quanta.y), quantized(z, map.quanta.z)));
}

// The same of a vertex in quanta.
fn placed_quanta(map: LatticeMap, q: vec3<i32>) -> vec3<i32> {
    return placed_by(map, row_halves(map), q);
}

// The same where the rows' halves are known.
fn placed_by(map: LatticeMap, rows: RowHalves, q: vec3<i32>) -> vec3<i32> {
    let d = halves(q - map.origin);
    return vec3<i32>(
        along(rows.right, d, map.start_right, map.shift_right),
        along(rows.up, d, map.start_up, map.shift_up),
        along(rows.depth, d, map.start_depth, map.shift_depth),
    );
}

fn area_of(i: vec2<i32>, j: vec2<i32>) -> u32 {
    return (u32(i.x) << 4u) | (u32(i.y) << 11u) | (u32(j.x) << 18u) | (u32(j.y) << 25u);
}

// A triangle that covers nothing.
fn nothing() -> TileRow {
    var row: TileRow;
    row.edge = vec3<i32>(-1);
    // From pixel 1 to pixel 0.
    row.area = (1u << 4u) | (1u << 18u);
    return row;
}

// The start of an edge function in whole pixels; a centre on the edge counts as inside where it is covered.
fn edge_start(a: vec2<i32>, d: vec2<i32>) -> i32 {
    let start = minus64(edge64(a, d, vec2<i32>(0)), vec2<u32>(select(1u, 0u, owns(d)), 0u));
    let low = (start.x >> SUB_BITS) | (start.y << (32u - SUB_BITS));
    return held64(vec2<u32>(low, bitcast<u32>(bitcast<i32>(start.y) >> SUB_BITS)), -EDGE, EDGE);
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
