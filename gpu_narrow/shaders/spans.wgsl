// Spans: where solids of closed form begin and end along the line through a pixel's centre.
//
// Twin: narrow/src/solid/span.rs, by the numbers of narrow/src/spans.rs. A workgroup takes a tile, a thread a pixel.
// Double precision in whole numbers (f64.wgsl), operation by operation in the CPU's order, as for triangles. The
// crossings stand before those of triangles, which `layers` adds.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> solids: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> fragments: array<vec2<u32>>;

// No solid on this side.
const NO_SOLID: u32 = 0xffffffffu;

// Kinds of solids: planes alone, and what is round besides.
const BALL: u32 = 1u;
const CYLINDER: u32 = 2u;
const CAPSULE: u32 = 3u;

// Where the numbers of a solid stand.
const ANCHOR: u32 = 0u;
const RIGHT: u32 = 3u;
const UP: u32 = 6u;
const DEPTH: u32 = 9u;
const PIXEL: u32 = 12u;
const FIRST: u32 = 14u;
const NEAR: u32 = 16u;
const STEP: u32 = 17u;
const END: u32 = 18u;
const ROTATION: u32 = 19u;
const OFFSET: u32 = 28u;
const DIRECTION: u32 = 31u;
const SPEED2: u32 = 34u;
const FLAT2: u32 = 35u;
const RADIUS2: u32 = 36u;
const HALF: u32 = 37u;
const PLANES: u32 = 38u;
const PLANE: u32 = 5u;

// Of a crossing's key: the line goes in, B's, and no triangle.
const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;
const ANALYTIC: u32 = 0x3fffffffu;

// 2^1000 and its opposite stand for what is endless.
const ENDLESS: vec2<u32> = vec2<u32>(0u, 0x7e700000u);

struct Span {
    found: bool,
    enter: vec2<u32>,
    exit: vec2<u32>,
}

struct Point {
    x: vec2<u32>,
    y: vec2<u32>,
    z: vec2<u32>,
}

fn everything() -> Span {
    return Span(true, negated(ENDLESS), ENDLESS);
}

fn number(base: u32, at: u32) -> vec2<u32> {
    return solids[base + 1u + at];
}

fn point(base: u32, at: u32) -> Point {
    return Point(number(base, at), number(base, at + 1u), number(base, at + 2u));
}

fn dot3(a: Point, b: Point) -> vec2<u32> {
    return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}

// A coordinate of the place of a pixel's centre at the first depth, from the solid's origin (pair frame).
fn from_origin(base: u32, k: u32, u: vec2<u32>, v: vec2<u32>) -> vec2<u32> {
    let across = add(mul(number(base, RIGHT + k), u), mul(number(base, UP + k), v));
    let place = add(number(base, ANCHOR + k), add(across, mul(number(base, DEPTH + k), number(base, NEAR))));
    return sub(place, number(base, OFFSET + k));
}

// The same in the solid's frame.
fn start_of(base: u32, pixel: vec2<u32>) -> Point {
    let u = mul(add(number(base, FIRST), from_u32(pixel.x)), number(base, PIXEL));
    let v = mul(add(number(base, FIRST + 1u), from_u32(pixel.y)), number(base, PIXEL + 1u));
    let p = Point(from_origin(base, 0u, u, v), from_origin(base, 1u, u, v), from_origin(base, 2u, u, v));
    return Point(
        dot3(point(base, ROTATION), p),
        dot3(point(base, ROTATION + 3u), p),
        dot3(point(base, ROTATION + 6u), p),
    );
}

// Keeps what lies behind a plane.
fn behind(s: Span, base: u32, plane: u32, start: Point) -> Span {
    let at = PLANES + PLANE * plane;
    let height = sub(dot3(point(base, at), start), number(base, at + 3u));
    let speed = number(base, at + 4u);
    let along = exponent(speed) == 0u;
    let t = div(negated(height), speed, reciprocal(speed));
    let out = speed.y < SIGN;
    let enter = select(s.enter, t, !along & !out & less(s.enter, t));
    let exit = select(s.exit, t, !along & out & less(t, s.exit));
    let left = select(less(enter, exit), less(height, vec2<u32>(0u)), along);
    return Span(s.found & left, enter, exit);
}

fn ball(start: Point, direction: Point, speed2: vec2<u32>, radius2: vec2<u32>) -> Span {
    let by = reciprocal(speed2);
    let middle = div(negated(dot3(start, direction)), speed2, by);
    let nearest = Point(
        add(start.x, mul(direction.x, middle)),
        add(start.y, mul(direction.y, middle)),
        add(start.z, mul(direction.z, middle)),
    );
    let left = sub(radius2, dot3(nearest, nearest));
    let reach = root(div(select(left, vec2<u32>(0u), left.y >= SIGN), speed2, by));
    let enter = sub(middle, reach);
    let exit = add(middle, reach);
    return Span(less(vec2<u32>(0u), reach) & less(enter, exit), enter, exit);
}

// The endless tube around z.
fn tube(base: u32, start: Point) -> Span {
    let at = Point(start.x, start.y, vec2<u32>(0u));
    let flat2 = number(base, FLAT2);
    var s = everything();
    if (exponent(flat2) == 0u) {
        s.found = less(dot3(at, at), number(base, RADIUS2));
    } else {
        let direction = Point(number(base, DIRECTION), number(base, DIRECTION + 1u), vec2<u32>(0u));
        s = ball(at, direction, flat2, number(base, RADIUS2));
    }
    return s;
}

// What is in both.
fn in_both(a: Span, b: Span) -> Span {
    let enter = select(a.enter, b.enter, less(a.enter, b.enter));
    let exit = select(a.exit, b.exit, less(b.exit, a.exit));
    return Span(a.found & b.found & less(enter, exit), enter, exit);
}

// From the first way in to the last way out.
fn around_both(a: Span, b: Span) -> Span {
    let enter = select(a.enter, b.enter, less(b.enter, a.enter));
    let exit = select(a.exit, b.exit, less(a.exit, b.exit));
    var both = Span(true, enter, exit);
    if (!a.found) {
        both = b;
    } else if (!b.found) {
        both = a;
    }
    return both;
}

fn span(base: u32, pixel: vec2<u32>) -> Span {
    let kind = solids[base].x;
    let planes = solids[base].y;
    let start = start_of(base, pixel);
    var s = everything();
    for (var k = 0u; k < planes && s.found; k++) {
        s = behind(s, base, k, start);
    }
    let direction = point(base, DIRECTION);
    if (kind == BALL) {
        s = ball(start, direction, number(base, SPEED2), number(base, RADIUS2));
    }
    if (kind == CYLINDER || kind == CAPSULE) {
        s = in_both(s, tube(base, start));
    }
    if (kind == CAPSULE) {
        for (var k = 0u; k < 2u; k++) {
            let end = number(base, HALF) ^ vec2<u32>(0u, select(SIGN, 0u, k == 0u));
            let from_end = Point(start.x, start.y, sub(start.z, end));
            s = around_both(s, ball(from_end, direction, number(base, SPEED2), number(base, RADIUS2)));
        }
    }
    return s;
}

fn is_endless(t: vec2<u32>) -> bool {
    return exponent(t) >= exponent(ENDLESS);
}

@compute @workgroup_size(256)
fn spans(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = tiles[params.first + index];
    let pixel = tile.origin + vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    if ((tile.flags & WITH_SOLIDS) == 0u) {
        return;
    }
    var found = 0u;
    for (var side = 0u; side < 2u; side++) {
        let base = tile.solids[side];
        if (base != NO_SOLID && max(pixel.x, pixel.y) < tile.side) {
            let s = span(base, pixel);
            let by = number(base, STEP);
            let end = number(base, END);
            let ends = array<vec2<u32>, 2>(s.enter, s.exit);
            for (var k = 0u; k < 2u; k++) {
                let endless = is_endless(ends[k]);
                let t = select(div(ends[k], by, reciprocal(by)), ends[k], endless);
                if (s.found && !less(end, t)) {
                    let own = select(0u, FRONT, k == 0u) | select(0u, SIDE_B, side == 1u) | ANALYTIC;
                    let key = vec2<u32>(bitcast<u32>(steps(t)) ^ 0x80000000u, own);
                    fragments[(index * DEEPEST_PIXEL + found) * TILE_PIXELS + lane] = key;
                    found++;
                }
            }
        }
    }
    counts[index * TILE_PIXELS + lane] = found;
}
