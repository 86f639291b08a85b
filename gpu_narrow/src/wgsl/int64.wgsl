// Numbers of 64 bits in two words: low word, high word.

fn plus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// Of numbers without a sign.
fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

fn is_negative64(a: vec2<u32>) -> bool {
    return bitcast<i32>(a.y) < 0;
}

// Twice a number, and a bit more.
fn double64(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x << 1u, (a.y << 1u) | (a.x >> 31u));
}

// By less than 64 bits.
fn left64(a: vec2<u32>, n: u32) -> vec2<u32> {
    let m = n & 31u;
    let low = a.x << m;
    return select(vec2<u32>(low, (a.y << m) | ((a.x >> 1u) >> (31u - m))), vec2<u32>(0u, low), n >= 32u);
}

// By less than 64 bits; the sign stays.
fn right64(a: vec2<u32>, n: u32) -> vec2<u32> {
    let m = n & 31u;
    let high = bitcast<u32>(bitcast<i32>(a.y) >> m);
    let sign = bitcast<u32>(bitcast<i32>(a.y) >> 31u);
    return select(vec2<u32>((a.x >> m) | ((a.y << 1u) << (31u - m)), high), vec2<u32>(high, sign), n >= 32u);
}

// A product of two words.
fn product64(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let mid = ah * bl + (low >> 16u);
    let mid2 = al * bh + (mid & 0xffffu);
    return vec2<u32>((mid2 << 16u) | (low & 0xffffu), ah * bh + (mid >> 16u) + (mid2 >> 16u));
}

// A product of two signed words: that of the words without their signs, less what the signs add to it.
fn signed_product64(a: i32, b: i32) -> vec2<u32> {
    let p = product64(bitcast<u32>(a), bitcast<u32>(b));
    return vec2<u32>(p.x, p.y - select(0u, bitcast<u32>(b), a < 0) - select(0u, bitcast<u32>(a), b < 0));
}

// A signed number, held within a range that one word has room for.
fn held64(a: vec2<u32>, least: i32, most: i32) -> i32 {
    let low = bitcast<i32>(a.x);
    let fits = bitcast<i32>(a.y) == (low >> 31u);
    return clamp(select(select(most, least, is_negative64(a)), low, fits), least, most);
}

// The low 64 bits of a product with a signed word.
fn times64(a: vec2<u32>, b: i32) -> vec2<u32> {
    let p = product64(a.x, bitcast<u32>(b));
    return vec2<u32>(p.x, p.y + a.y * bitcast<u32>(b) - select(0u, a.x, b < 0));
}

// The nearest float to a number without a sign, or one next to it.
fn unsigned_float64(a: vec2<u32>) -> f32 {
    return f32(a.y) * 4294967296.0 + f32(a.x);
}

// The same of a signed number.
fn float64(a: vec2<u32>) -> f32 {
    let x = unsigned_float64(select(a, minus64(vec2<u32>(0u), a), is_negative64(a)));
    return select(x, -x, is_negative64(a));
}
