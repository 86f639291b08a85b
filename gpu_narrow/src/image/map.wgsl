// The maps of a view that the device lays: from either body's quanta to the view's lattice. Twin:
// narrow/image_space/src/fixed_map.rs.

// Depth steps over a view's depths, and sub-pixels of a pixel.
const DEPTH_STEPS: f32 = 4194304.0;
const SUB_PIXELS: f32 = 65536.0;
// A view whose box is thinner than this many quanta has no map.
const THINNEST: f32 = 64.0;
// An area vector shorter than this part of a square over the contours says nothing.
const NO_AREA: f32 = 0.001;
// A pixel is no smaller than this many times the error of a coordinate.
const CERTAIN: f32 = 16.0;
// The least power of two that is a float to be multiplied by.
const LEAST_POWER: i32 = -126;

// 2 to a power from -126 to 127.
fn power(exponent: i32) -> f32 {
    return bitcast<f32>(u32(exponent + 127) << 23u);
}

// The least power of two no less than a size; far below zero of what is next to nothing.
fn above(x: f32) -> i32 {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    return i32(bits >> 23u) - 127 + select(0, 1, (bits & 0x7fffffu) != 0u);
}

// A float times 2 to the power of `by`, as a whole number of 64 bits; what is behind the point is cut off.
fn whole64(x: f32, by: i32) -> vec2<u32> {
    let bits = bitcast<u32>(x);
    let field = (bits >> 23u) & 0xffu;
    let mantissa = vec2<u32>((bits & 0x7fffffu) | select(0x800000u, 0u, field == 0u), 0u);
    let shift = max(i32(field), 1) - 150 + by;
    let moved = select(
        right64(mantissa, u32(clamp(-shift, 0, 63))),
        left64(mantissa, u32(clamp(shift, 0, 39))),
        shift >= 0,
    );
    return select(moved, minus64(vec2<u32>(0u), moved), (bits >> 31u) == 1u);
}

// A row of a map: how many units of the lattice a quantum is worth along each axis, and where the origin is. `units` are
// those of the view.
struct Row {
    fits: bool,
    row: vec3<i32>,
    shift: u32,
    start: vec2<u32>,
}

fn row_along(worth: vec3<f32>, at: f32, units: f32) -> Row {
    let size = abs(worth);
    let shift = min(min(30 - above(max(size.x, max(size.y, size.z))), 61 - above(at)), 61);
    var out: Row;
    out.fits = (size.x + size.y + size.z) * THINNEST <= units && shift >= 1;
    out.shift = u32(clamp(shift, 1, 61));
    out.row = vec3<i32>(round(worth * power(i32(out.shift))));
    out.start = plus64(whole64(at, i32(out.shift)), left64(vec2<u32>(1u, 0u), out.shift - 1u));
    return out;
}

// The map of a body. Along the rows of `to_a` its frame becomes A's (scaled); `axes` are those of the view, `worth` what a
// scaled metre is worth along them, `start` where the first pixel's centre and the first step are, from `origin`.
struct Along {
    axes: mat3x3<f32>,
    worth: vec3<f32>,
    start: vec3<f32>,
    units: vec3<f32>,
    origin: vec3<f32>,
    // The middle of the contours, from the origin.
    middle: vec3<f32>,
}

struct Mapped {
    fits: bool,
    map: LatticeMap,
}

fn map_of(view: Along, to_a: mat3x3<f32>, offset: vec3<f32>, scale: f32, given: LatticeMap) -> Mapped {
    var out: Mapped;
    out.map = given;
    out.fits = all(given.quanta >= vec3<i32>(LEAST_POWER)) && all(given.quanta <= vec3<i32>(127));
    if (!out.fits) {
        return out;
    }
    let quantum = vec3<f32>(power(given.quanta.x), power(given.quanta.y), power(given.quanta.z));
    // The middle of the contours in the body's own frame.
    let local = (view.origin + view.middle - offset) * to_a / (scale * scale);
    let most = vec3<f32>(536870912.0);
    let origin = clamp(round(local / quantum), -most, most);
    out.map.origin = vec3<i32>(origin);
    let at = to_a * (origin * quantum) + offset - view.origin;
    var r: array<Row, 3>;
    for (var k = 0u; k < 3u; k++) {
        let axis = view.axes[k];
        r[k] = row_along((axis * to_a) * quantum * view.worth[k], (dot(axis, at) - view.start[k]) * view.worth[k], view.units[k]);
        out.fits = out.fits && r[k].fits;
    }
    out.map.right = r[0].row;
    out.map.shift_right = r[0].shift;
    out.map.start_right = r[0].start;
    out.map.up = r[1].row;
    out.map.shift_up = r[1].shift;
    out.map.start_up = r[1].start;
    out.map.depth = r[2].row;
    out.map.shift_depth = r[2].shift;
    out.map.start_depth = r[2].start;
    out.map.far = i32(DEPTH_STEPS);
    return out;
}
