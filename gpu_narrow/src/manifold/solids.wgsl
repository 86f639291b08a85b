// Solids: where the line through each pixel of a view enters and leaves a convex solid that has no triangles.
//
// Twin: narrow/convex/src/line_interval/. A workgroup takes the one tile of a view, a thread one pixel of it. A quadric is a
// polynomial of the place in the view, made by the CPU about the view's middle, so that a surface near it loses no digits
// to the solid's size. Places and depths run from -1 to 1 over the view.

// Along the line through (x, y): a z² + 2 (b.x + b.y x + b.z y) z + c, negative inside.
struct Quadric {
    // a, b
    line: vec4<f32>,
    // c: constant, x, y, x²
    flat: vec4<f32>,
    // c: xy, y²
    rest: vec4<f32>,
}

struct SolidSurface {
    // A tube or a ball; the balls at the ends of a capsule.
    quadrics: array<Quadric, 3>,
    // Planes, negative inside: constant, x, y, z.
    planes: array<vec4<f32>, 2>,
    kind: u32,
    // 0 where the solid is A, 1 where it is B.
    side: u32,
    // What lies behind is not seen (steps).
    far: i32,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> tiles: array<TileUnit>;
@group(0) @binding(2) var<storage, read> surfaces: array<SolidSurface>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> crossings: array<vec2<u32>>;

// Flag of a tile: its view is of a mesh and a solid.
const OF_SOLID: u32 = 64u;

const HALF_SPACE: u32 = 1u;
const BALL: u32 = 2u;
const CYLINDER: u32 = 3u;
const CAPSULE: u32 = 4u;

const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;
// Stands for the triangle.
const ANALYTIC: u32 = 0x3fffffffu;

const NEAREST: i32 = -2147483646;
const FARTHEST: i32 = 2147483645;
// Depth steps of half a view.
const HALF_STEPS: f32 = 2097152.0;
// Depths beyond this many halves of a view are as far as there is one.
const ENDLESS: f32 = 1000.0;

// Nothing of a line is inside.
const NO_SPAN: vec2<f32> = vec2<f32>(1.0, -1.0);
const ALL: vec2<f32> = vec2<f32>(-3.0e38, 3.0e38);

fn in_quadric(q: Quadric, at: vec2<f32>) -> vec2<f32> {
    let a = q.line.x;
    let b = q.line.y + q.line.z * at.x + q.line.w * at.y;
    let c = q.flat.x + q.flat.y * at.x + q.flat.z * at.y + q.flat.w * at.x * at.x + q.rest.x * at.x * at.y + q.rest.y * at.y * at.y;
    if (a <= 0.0) {
        // The line runs along the tube.
        return select(NO_SPAN, ALL, c < 0.0);
    }
    let square = b * b - a * c;
    if (square <= 0.0) {
        return NO_SPAN;
    }
    let root = sqrt(square);
    // Of a surface near the view the root that loses no digits.
    if (b > 0.0) {
        return vec2<f32>(-(b + root) / a, -c / (b + root));
    }
    return vec2<f32>(-c / (b - root), (root - b) / a);
}

fn behind(span: vec2<f32>, plane: vec4<f32>, at: vec2<f32>) -> vec2<f32> {
    let height = plane.x + plane.y * at.x + plane.z * at.y;
    if (plane.w == 0.0) {
        return select(NO_SPAN, span, height < 0.0);
    }
    let t = -height / plane.w;
    return select(vec2<f32>(max(span.x, t), span.y), vec2<f32>(span.x, min(span.y, t)), plane.w > 0.0);
}

// Around two spans, either of which may be none.
fn around(one: vec2<f32>, other: vec2<f32>) -> vec2<f32> {
    if (one.x >= one.y) {
        return other;
    }
    if (other.x >= other.y) {
        return one;
    }
    return vec2<f32>(min(one.x, other.x), max(one.y, other.y));
}

fn span_of(s: SolidSurface, at: vec2<f32>) -> vec2<f32> {
    if (s.kind == HALF_SPACE) {
        return behind(ALL, s.planes[0], at);
    }
    let wide = in_quadric(s.quadrics[0], at);
    if (s.kind == BALL) {
        return wide;
    }
    let tube = behind(behind(wide, s.planes[0], at), s.planes[1], at);
    if (s.kind == CYLINDER) {
        return tube;
    }
    return around(around(tube, in_quadric(s.quadrics[1], at)), in_quadric(s.quadrics[2], at));
}

fn steps_of(t: f32) -> i32 {
    if (t <= -ENDLESS) {
        return NEAREST;
    }
    if (t >= ENDLESS) {
        return FARTHEST;
    }
    return i32(round((t + 1.0) * HALF_STEPS));
}

@compute @workgroup_size(256)
fn solids(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = params.first + index;
    if ((tiles[tile].flags & OF_SOLID) == 0u) {
        return;
    }
    var all = counts[index * TILE_PIXELS + lane];
    let side = tiles[tile].side;
    let pixel = vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE);
    // Where the mesh is not there is nothing to meet.
    if (all == 0u || all >= UNSEEN || any(pixel >= vec2<u32>(side))) {
        return;
    }
    let at = (2.0 * vec2<f32>(pixel) + 1.0) / f32(side) - 1.0;
    let s = surfaces[tiles[tile].answer];
    let span = span_of(s, at);
    // Also where it is no number.
    if (!(span.x < span.y)) {
        return;
    }
    let name = ANALYTIC | select(0u, SIDE_B, s.side == 1u);
    let ends = vec2<i32>(steps_of(span.x), steps_of(span.y));
    for (var k = 0u; k < 2u; k++) {
        if (ends[k] <= s.far) {
            if (all < DEEPEST_PIXEL) {
                let key = vec2<u32>(bitcast<u32>(ends[k]) ^ 0x80000000u, name | select(0u, FRONT, k == 0u));
                crossings[(index * DEEPEST_PIXEL + all) * TILE_PIXELS + lane] = key;
            }
            all += 1u;
        }
    }
    counts[index * TILE_PIXELS + lane] = all;
}
