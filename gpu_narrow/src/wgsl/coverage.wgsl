// Coverage: which pixels a triangle covers, and how deep it is at their centres. Twin: narrow/image_space/src/coverage.
//
// Corners lie on an integer lattice: whole sub-pixels across from the centre of the first pixel, whole steps deep. A
// pixel is covered where its centre lies inside the triangle; a centre on an edge belongs to one side of it, by the
// top-left rule. Depth is that of the plane through the three corners, rounded to the nearest step, halves up.

// The first and the last pixel, of `count`, whose centres lie between the least and the greatest of three coordinates;
// none where the first is beyond the last.
fn centres(v: vec3<i32>, bits: u32, count: u32) -> vec2<i32> {
    let low = (min(v.x, min(v.y, v.z)) + (1i << bits) - 1) >> bits;
    let high = max(v.x, max(v.y, v.z)) >> bits;
    return vec2<i32>(max(low, 0), min(high, i32(count) - 1));
}

// Whether a centre on an edge along `d` is covered, of a triangle whose corners go counter-clockwise (right, up).
fn owns(d: vec2<i32>) -> bool {
    return (d.y < 0) | ((d.y == 0) & (d.x < 0));
}

// In 64 bits: for corners nearer than 2^29 sub-pixels.

fn cross64(u: vec2<i32>, v: vec2<i32>) -> vec2<u32> {
    return minus64(signed_product64(u.x, v.y), signed_product64(u.y, v.x));
}

// An edge function, positive inside: of the edge from `a` along `d`, at `p`.
fn edge64(a: vec2<i32>, d: vec2<i32>, p: vec2<i32>) -> vec2<u32> {
    return cross64(d, p - a);
}

// Whether a centre with this edge function is inside, as far as this edge goes.
fn inside64(edge: vec2<u32>, d: vec2<i32>) -> bool {
    return !is_negative64(edge) & (any(edge != vec2<u32>(0u)) | owns(d));
}

// (b rise.x + c rise.y) over the area, to the nearest, halves up, where b, c and area - b - c are not negative and the area
// is below 2^52. Guessed in floats to within 2^11, and what the guess leaves over is known exactly, though the products
// are not: numbers wrap. Where that is more than two steps, as of large rises and of lanes that are outside the triangle and whose
// answer nothing takes, it is guessed again, to within a step; what then is left over decides.
fn quotient64(b: vec2<u32>, c: vec2<u32>, area: vec2<u32>, rise: vec2<i32>) -> i32 {
    let over = unsigned_float64(area);
    let guess = float64(b) * f32(rise.x) + float64(c) * f32(rise.y);
    var quotient = i32(round(guess / over));
    var rest = minus64(plus64(times64(b, rise.x), times64(c, rise.y)), times64(area, quotient));
    let left = float64(rest);
    if (abs(left) > 2.0 * over) {
        let more = i32(round(left / over));
        rest = minus64(rest, times64(area, more));
        quotient += more;
    }
    while (is_negative64(plus64(double64(rest), area))) {
        rest = plus64(rest, area);
        quotient -= 1;
    }
    while (!is_negative64(minus64(double64(rest), area))) {
        rest = minus64(rest, area);
        quotient += 1;
    }
    return quotient;
}

// The depth that the three corners have where they weigh so much, for areas below 2^61: it is their least depth, and the
// quotient of the weighed rises from there by the area, which is the sum of the weights, to the nearest, halves up. One
// bit of the rises after the other, the highest first: what is left over is below the area, and twice that with what the
// weights add to it is below three times the area.
fn weighed64(weights: array<vec2<u32>, 3>, area: vec2<u32>, z: vec3<i32>) -> i32 {
    let least = min(z.x, min(z.y, z.z));
    let rise = vec3<u32>(z - least);
    var bit = 32u - countLeadingZeros(rise.x | rise.y | rise.z);
    var rest = vec2<u32>(0u);
    var quotient = 0u;
    while (bit > 0u) {
        bit -= 1u;
        rest = double64(rest);
        rest = plus64(rest, weights[0] & vec2<u32>(0u - ((rise.x >> bit) & 1u)));
        rest = plus64(rest, weights[1] & vec2<u32>(0u - ((rise.y >> bit) & 1u)));
        rest = plus64(rest, weights[2] & vec2<u32>(0u - ((rise.z >> bit) & 1u)));
        quotient = quotient << 1u;
        for (var k = 0u; k < 2u; k++) {
            let over = !less64(rest, area);
            rest = select(rest, minus64(rest, area), over);
            quotient += select(0u, 1u, over);
        }
    }
    let up = !less64(double64(rest), area);
    return least + i32(quotient + select(0u, 1u, up));
}

// In 32 bits: for triangles whose products of differences stay below 2^31.

fn cross32(u: vec2<i32>, v: vec2<i32>) -> i32 {
    return u.x * v.y - u.y * v.x;
}

fn inside32(edge: i32, d: vec2<i32>) -> bool {
    return edge > 0 || (edge == 0 && owns(d));
}

// (b rise.x + c rise.y) over the area, to the nearest, halves up. The quotient is guessed within a few steps; what is
// left of the dividend is then less than 2^31 and known, though the dividend is not: numbers wrap.
fn quotient32(b: i32, c: i32, area: i32, rise: vec2<i32>) -> i32 {
    let over = f32(area);
    let guess = i32(round(f32(b) / over * f32(rise.x) + f32(c) / over * f32(rise.y)));
    var rest = bitcast<i32>(bitcast<u32>(b) * bitcast<u32>(rise.x) + bitcast<u32>(c) * bitcast<u32>(rise.y)
        - bitcast<u32>(guess) * bitcast<u32>(area));
    var more = rest / area;
    rest -= more * area;
    if (rest < 0) {
        more -= 1;
        rest += area;
    }
    return guess + more + select(0, 1, 2 * rest >= area);
}
