// Double precision in whole numbers: the bits of IEEE 754, low word and high word, and its rounding, so that
// a sum is on every device what it is on the CPU. Numbers are finite, and none comes near the ends of the
// range: below 2^-1022 they are zero. Nothing here branches: neighbouring threads have different numbers.

// Numbers of 64 bits: low word, high word.

fn plus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

// By less than 64 bits.
fn left64(a: vec2<u32>, n: u32) -> vec2<u32> {
    let m = n & 31u;
    let low = a.x << m;
    return select(vec2<u32>(low, (a.y << m) | ((a.x >> 1u) >> (31u - m))), vec2<u32>(0u, low), n >= 32u);
}

// By less than 64 bits.
fn right64(a: vec2<u32>, n: u32) -> vec2<u32> {
    let m = n & 31u;
    let high = a.y >> m;
    return select(vec2<u32>((a.x >> m) | ((a.y << 1u) << (31u - m)), high), vec2<u32>(high, 0u), n >= 32u);
}

// To the right, of a number below 2^63; what falls out leaves a one at the end.
fn right_stuck(a: vec2<u32>, n: u32) -> vec2<u32> {
    let by = min(n, 63u);
    let moved = right64(a, by);
    let back = left64(moved, by);
    return vec2<u32>(moved.x | select(0u, 1u, any(back != a)), moved.y);
}

fn zeros64(a: vec2<u32>) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

// A product of two words.
fn wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let mid = ah * bl + (low >> 16u);
    let mid2 = al * bh + (mid & 0xffffu);
    return vec2<u32>((mid2 << 16u) | (low & 0xffffu), ah * bh + (mid >> 16u) + (mid2 >> 16u));
}

// A product of two signed words.
fn wide_signed(a: i32, b: i32) -> vec2<u32> {
    let p = wide(u32(abs(a)), u32(abs(b)));
    return select(p, minus64(vec2<u32>(0u), p), (a < 0) != (b < 0));
}

// The high word of a product.
fn high_word(a: u32, b: u32) -> u32 {
    return wide(a, b).y;
}

// Doubles.

const SIGN: u32 = 0x80000000u;

fn exponent(a: vec2<u32>) -> u32 {
    return (a.y >> 20u) & 0x7ffu;
}

// 53 bits, of a number that is not zero.
fn mantissa(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x, (a.y & 0xfffffu) | 0x100000u);
}

// The double of a mantissa whose first bit is the highest of 64, rounded to the nearest, ties to even.
fn packed64(sign: u32, power: i32, m: vec2<u32>) -> vec2<u32> {
    let q = vec2<u32>((m.x >> 11u) | (m.y << 21u), m.y >> 11u);
    let up = select(0u, 1u, (m.x & 0x7ffu) + (q.x & 1u) > 0x400u);
    let rounded = plus64(q, vec2<u32>(up, 0u));
    // The first bit of the mantissa, and what it may overflow by, are carried into the exponent.
    let whole = vec2<u32>(rounded.x, sign | ((u32(power - 1) << 20u) + rounded.y));
    return select(whole, vec2<u32>(0u, sign), power <= 0);
}

fn from_f32(word: u32) -> vec2<u32> {
    let sign = word & SIGN;
    let m = word & 0x7fffffu;
    let e = (word >> 23u) & 0xffu;
    // Below 2^-126 the first bit is farther to the right.
    let n = countLeadingZeros(m) - 8u;
    let tiny = e == 0u;
    let bits = select(m, (m << (n & 31u)) & 0x7fffffu, tiny);
    let power = select(e + 896u, 897u - n, tiny);
    let number = vec2<u32>(bits << 29u, sign | (power << 20u) | (bits >> 3u));
    return select(number, vec2<u32>(0u, sign), tiny & (m == 0u));
}

fn negated(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x, a.y ^ SIGN);
}

fn mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let ea = exponent(a);
    let eb = exponent(b);
    let ma = left64(mantissa(a), 11u);
    let mb = left64(mantissa(b), 11u);
    let ll = wide(ma.x, mb.x);
    let lh = wide(ma.x, mb.y);
    let hl = wide(ma.y, mb.x);
    let hh = wide(ma.y, mb.y);
    let once = ll.y + lh.x;
    let twice = once + hl.x;
    let carry = select(0u, 1u, once < ll.y) + select(0u, 1u, twice < once);
    let high = plus64(plus64(hh, vec2<u32>(lh.y, 0u)), plus64(vec2<u32>(hl.y, 0u), vec2<u32>(carry, 0u)));
    // A bit more to the left where the first is not set.
    let n = 1u - (high.y >> 31u);
    let first = vec2<u32>((high.x << n) | ((twice >> 31u) & n), (high.y << n) | ((high.x >> 31u) & n));
    let stuck = select(0u, 1u, ((twice << n) | ll.x) != 0u);
    let power = select(i32(ea + eb) - 1022 - i32(n), 0, (ea == 0u) | (eb == 0u));
    return packed64((a.y ^ b.y) & SIGN, power, vec2<u32>(first.x | stuck, first.y));
}

fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let swap = less64(magnitude(a), magnitude(b));
    let p = select(a, b, swap);
    let q = select(b, a, swap);
    let ep = exponent(p);
    let eq = exponent(q);
    let mp = left64(mantissa(p), 10u);
    let mq = right_stuck(left64(mantissa(q), 10u), ep - eq);
    let sum = select(minus64(mp, mq), plus64(mp, mq), ((p.y ^ q.y) & SIGN) == 0u);
    let n = zeros64(sum) & 63u;
    let found = packed64(p.y & SIGN, i32(ep) + 1 - i32(n), left64(sum, n));
    let whole = select(found, vec2<u32>(0u), all(sum == vec2<u32>(0u)));
    // Of two zeros only two that are negative make one that is.
    return select(whole, vec2<u32>(p.x, select(p.y, p.y & q.y, ep == 0u)), eq == 0u);
}

fn sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return add(a, negated(b));
}

// 2^84 by the mantissa of a number, from below: up to 21 units of the last of its 32 bits too small. (Newton's
// step for reciprocals comes from below; what is rounded adds 4 units at most.)
fn reciprocal(b: vec2<u32>) -> u32 {
    let by = left64(mantissa(b), 11u).y;
    let start = (0xffffffffu / ((by >> 16u) + 1u)) << 15u;
    let left = 0x80000000u - high_word(by, start);
    return start + high_word(start, left << 1u) - 4u;
}

// Some bits of a quotient, and what is left.
struct Digit {
    digit: u32,
    rest: vec2<u32>,
}

// One more where it fits.
fn raised(d: Digit, by: vec2<u32>) -> Digit {
    let fits = !less64(d.rest, by);
    return Digit(d.digit + select(0u, 1u, fits), select(d.rest, minus64(d.rest, by), fits));
}

// A digit that is at most 2 too small.
fn digit(whole: vec2<u32>, least: u32, by: vec2<u32>) -> Digit {
    let times = wide(least, by.x);
    let rest = minus64(whole, vec2<u32>(times.x, times.y + least * by.y));
    return raised(raised(Digit(least, rest), by), by);
}

// By a number that is not zero, whose reciprocal is known. 56 bits of the quotient, and whether something is left.
fn div(a: vec2<u32>, b: vec2<u32>, known: u32) -> vec2<u32> {
    let ea = exponent(a);
    let by = mantissa(b);
    let n = select(0u, 1u, less64(mantissa(a), by));
    let start = left64(mantissa(a), n);
    let power = i32(ea) - i32(exponent(b)) + 1023 - i32(n);
    let first = digit(left64(start, 27u), high_word(right64(start, 22u).x, known) >> 3u, by);
    let next = digit(left64(first.rest, 28u), high_word(right64(first.rest, 21u).x, known) >> 3u, by);
    let q = left64(plus64(left64(vec2<u32>(first.digit, 0u), 28u), vec2<u32>(next.digit, 0u)), 8u);
    let stuck = select(0u, 1u, any(next.rest != vec2<u32>(0u)));
    return packed64((a.y ^ b.y) & SIGN, select(power, 0, ea == 0u), vec2<u32>(q.x | stuck, q.y));
}

fn from_u32(n: u32) -> vec2<u32> {
    let zeros = countLeadingZeros(n);
    let number = packed64(0u, 1054 - i32(zeros), left64(vec2<u32>(n, 0u), (32u + zeros) & 63u));
    return select(number, vec2<u32>(0u), n == 0u);
}

// The square root of a number that is not negative: 56 bits of it, two of the number's at a time, and whether
// something is left.
fn root(a: vec2<u32>) -> vec2<u32> {
    let power = i32(exponent(a)) - 1023;
    let odd = u32(power) & 1u;
    let m = left64(mantissa(a), odd);
    var q = vec2<u32>(0u);
    var rest = vec2<u32>(0u);
    for (var k = 0u; k < 56u; k++) {
        let next = select(right64(m, (52u - 2u * k) & 63u).x & 3u, 0u, k > 26u);
        rest = left64(rest, 2u);
        rest.x |= next;
        let trial = plus64(left64(q, 2u), vec2<u32>(1u, 0u));
        let fits = !less64(rest, trial);
        rest = select(rest, minus64(rest, trial), fits);
        q = left64(q, 1u);
        q.x |= select(0u, 1u, fits);
    }
    q = left64(q, 8u);
    q.x |= select(0u, 1u, any(rest != vec2<u32>(0u)));
    return select(packed64(0u, (power - i32(odd)) / 2 + 1023, q), vec2<u32>(0u), exponent(a) == 0u);
}

// Times 2^n.
fn scaled(a: vec2<u32>, n: u32) -> vec2<u32> {
    return vec2<u32>(a.x, select(a.y + (n << 20u), a.y, exponent(a) == 0u));
}

// In the order of the numbers.
fn key64(a: vec2<u32>) -> vec2<u32> {
    let key = select(vec2<u32>(a.x, a.y ^ SIGN), ~a, a.y >= SIGN);
    return select(key, vec2<u32>(0u, SIGN), exponent(a) == 0u);
}

fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return less64(key64(a), key64(b));
}

fn magnitude(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x, a.y & ~SIGN);
}

// The nearest whole number, ties to even, of a number below 2^51 in size; of larger ones, below 2^63, the whole
// part. In two's complement.
fn whole64(a: vec2<u32>) -> vec2<u32> {
    let power = i32(exponent(a)) - 1023;
    let m = mantissa(a);
    let n = u32(clamp(52 - power, 1, 54));
    let part = right64(m, n);
    let rest = minus64(m, left64(part, n));
    let even = left64(vec2<u32>(1u, 0u), n - 1u);
    let up = less64(even, rest) | (all(rest == even) & ((part.x & 1u) == 1u));
    let near = plus64(part, vec2<u32>(select(0u, 1u, up & (power < 51)), 0u));
    let q = select(near, left64(m, u32(clamp(power - 52, 0, 63))), power >= 52);
    return select(q, minus64(vec2<u32>(0u), q), a.y >= SIGN);
}

// A number of 64 bits, held between two of 32.
fn held(a: vec2<u32>, least: i32, most: i32) -> i32 {
    let low = bitcast<i32>(a.x);
    let within = bitcast<i32>(a.y) == (low >> 31u);
    return select(select(most, least, a.y >= SIGN), clamp(low, least, most), within);
}
