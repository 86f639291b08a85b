// Where triangles cross the lines of a tile, whichever pass asks: coverage and depth at the centre of a pixel, in whole numbers
// (coverage.wgsl), and the crossing as the passes after it read it.

// Flag of a tile: the device has counted its triangles.
const COUNTED: u32 = 16u;
// Flag of a tile: crossings have the triangles' own numbers.
const NAMED: u32 = 32u;

const FRONT: u32 = 0x80000000u;
const SIDE_B: u32 = 0x40000000u;

// The depth at a pixel's centre, and whether the triangle covers it.
struct Centre {
    covered: bool,
    depth: i32,
}

fn centre(row: TileRow, pixel: vec2<u32>) -> Centre {
    let p = vec2<i32>(pixel << vec2<u32>(SUB_BITS));
    let a = vec2<i32>(row.x.x, row.y.x);
    let b = vec2<i32>(row.x.y, row.y.y);
    let c = vec2<i32>(row.x.z, row.y.z);
    // Each weighs the corner that is not on its edge.
    let of_c = edge64(a, b - a, p);
    let of_a = edge64(b, c - b, p);
    let of_b = edge64(c, a - c, p);
    var out: Centre;
    out.covered = inside64(of_c, b - a) & inside64(of_a, c - b) & inside64(of_b, a - c);
    if (out.covered) {
        let area = plus64(plus64(of_a, of_b), of_c);
        if ((row.area & WIDE) != 0u) {
            out.depth = weighed64(array<vec2<u32>, 3>(of_a, of_b, of_c), area, row.z);
        } else {
            out.depth = row.z.x + quotient64(of_b, of_c, area, row.z.yz - row.z.x);
        }
    }
    return out;
}

// The depth at a centre that is covered, of a triangle that is not wide and whose edge functions are none of them held. In
// units of a pixel these are known, rounded down, so the upper words of the whole ones are; the lower words come from products
// that wrap.
fn covered_depth(row: TileRow, pixel: vec2<u32>) -> i32 {
    let dx = row.x.yzx - row.x;
    let dy = row.y.yzx - row.y;
    let p = vec2<i32>(pixel);
    let low = bitcast<vec3<u32>>(dx * ((p.y << SUB_BITS) - row.y) - dy * ((p.x << SUB_BITS) - row.x));
    let e = row.edge - dy * p.x + dx * p.y;
    // Where an edge does not own its centres, one less was rounded down.
    let lessened = (low == vec3<u32>(0u)) & !((dy < vec3<i32>(0)) | ((dy == vec3<i32>(0)) & (dx < vec3<i32>(0))));
    let high = bitcast<vec3<u32>>(e >> vec3<u32>(SUB_BITS)) + select(vec3<u32>(0u), vec3<u32>(1u), lessened);
    let of_c = vec2<u32>(low.x, high.x);
    let of_a = vec2<u32>(low.y, high.y);
    let of_b = vec2<u32>(low.z, high.z);
    let area = plus64(plus64(of_a, of_b), of_c);
    return row.z.x + quotient64(of_b, of_c, area, row.z.yz - row.z.x);
}

// The first and the last pixel of a tile whose centre a triangle may cover: right, up; right, up.
fn box_in(area: u32, origin: vec2<u32>) -> vec4<u32> {
    let first = max(vec2<u32>((area >> 4u) & 127u, (area >> 18u) & 127u), origin);
    let last = min(vec2<u32>((area >> 11u) & 127u, area >> 25u), origin + TILE_SIDE - 1u);
    return vec4<u32>(first, last);
}

// Whether what is covered has to be asked in 64 bits.
fn is_asked(row: TileRow) -> bool {
    return (row.area & WIDE) != 0u || any(abs(row.edge) >= vec3<i32>(EDGE));
}

// The crossing of a triangle at a depth: order of depth, and then back faces before front faces, A before B, triangle.
fn key_of(row: TileRow, depth: i32, name: u32, of_b: bool) -> vec2<u32> {
    let z = bitcast<u32>(depth) ^ 0x80000000u;
    let front = select(0u, FRONT, (row.area & FACES_FRONT) != 0u);
    return vec2<u32>(z, front | select(0u, SIDE_B, of_b) | name);
}
