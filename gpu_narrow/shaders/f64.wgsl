// Double precision in whole numbers: the bits of IEEE 754, low word and high word, and its rounding, so that
// a sum is on every device what it is on the CPU. Numbers are finite, and none comes near the ends of the
// range: below 2^-1022 they are zero.

// Numbers of 64 bits: low word, high word.

fn plus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn minus64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn less64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn left64(a: vec2<u32>, n: u32) -> vec2<u32> {
    if (n >= 32u) {
        return vec2<u32>(0u, select(0u, a.x << (n - 32u), n < 64u));
    }
    if (n == 0u) {
        return a;
    }
    return vec2<u32>(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}

fn right64(a: vec2<u32>, n: u32) -> vec2<u32> {
    if (n >= 32u) {
        return vec2<u32>(select(0u, a.y >> (n - 32u), n < 64u), 0u);
    }
    if (n == 0u) {
        return a;
    }
    return vec2<u32>((a.x >> n) | (a.y << (32u - n)), a.y >> n);
}

// To the right; what falls out leaves a one at the end.
fn right_stuck(a: vec2<u32>, n: u32) -> vec2<u32> {
    let moved = right64(a, n);
    let back = left64(moved, n);
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
    if ((a < 0) != (b < 0)) {
        return minus64(vec2<u32>(0u), p);
    }
    return p;
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
    if (power <= 0) {
        return vec2<u32>(0u, sign);
    }
    let rest = m.x & 0x7ffu;
    var q = right64(m, 11u);
    if (rest > 0x400u || (rest == 0x400u && (q.x & 1u) == 1u)) {
        q = plus64(q, vec2<u32>(1u, 0u));
    }
    // The first bit of the mantissa, and what it may overflow by, are carried into the exponent.
    return vec2<u32>(q.x, sign | ((u32(power - 1) << 20u) + q.y));
}

fn from_f32(word: u32) -> vec2<u32> {
    let sign = word & SIGN;
    let m = word & 0x7fffffu;
    let e = (word >> 23u) & 0xffu;
    if (e != 0u) {
        return vec2<u32>(m << 29u, sign | ((e + 896u) << 20u) | (m >> 3u));
    }
    if (m == 0u) {
        return vec2<u32>(0u, sign);
    }
    let n = countLeadingZeros(m) - 8u;
    let whole = (m << n) & 0x7fffffu;
    return vec2<u32>(whole << 29u, sign | ((897u - n) << 20u) | (whole >> 3u));
}

fn negated(a: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x, a.y ^ SIGN);
}

fn mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & SIGN;
    let ea = exponent(a);
    let eb = exponent(b);
    if (ea == 0u || eb == 0u) {
        return vec2<u32>(0u, sign);
    }
    let ma = left64(mantissa(a), 11u);
    let mb = left64(mantissa(b), 11u);
    let ll = wide(ma.x, mb.x);
    let lh = wide(ma.x, mb.y);
    let hl = wide(ma.y, mb.x);
    let hh = wide(ma.y, mb.y);
    let once = ll.y + lh.x;
    let twice = once + hl.x;
    let carry = select(0u, 1u, once < ll.y) + select(0u, 1u, twice < once);
    var high = plus64(plus64(hh, vec2<u32>(lh.y, 0u)), plus64(vec2<u32>(hl.y, 0u), vec2<u32>(carry, 0u)));
    var power = i32(ea + eb) - 1022;
    var rest = twice;
    if (high.y < SIGN) {
        high = vec2<u32>((high.x << 1u) | (rest >> 31u), (high.y << 1u) | (high.x >> 31u));
        rest = rest << 1u;
        power -= 1;
    }
    high.x |= select(0u, 1u, (rest | ll.x) != 0u);
    return packed64(sign, power, high);
}

fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let swap = less64(vec2<u32>(a.x, a.y & ~SIGN), vec2<u32>(b.x, b.y & ~SIGN));
    let p = select(a, b, swap);
    let q = select(b, a, swap);
    let ep = exponent(p);
    let eq = exponent(q);
    if (eq == 0u) {
        // Of two zeros only two that are negative make one that is.
        return vec2<u32>(p.x, select(p.y, p.y & q.y, ep == 0u));
    }
    let mp = left64(mantissa(p), 10u);
    let mq = right_stuck(left64(mantissa(q), 10u), ep - eq);
    let sign = p.y & SIGN;
    if (sign == (q.y & SIGN)) {
        let sum = plus64(mp, mq);
        if (sum.y >= SIGN) {
            return packed64(sign, i32(ep) + 1, sum);
        }
        return packed64(sign, i32(ep), left64(sum, 1u));
    }
    let rest = minus64(mp, mq);
    if (all(rest == vec2<u32>(0u))) {
        return vec2<u32>(0u);
    }
    let n = zeros64(rest);
    return packed64(sign, i32(ep) + 1 - i32(n), left64(rest, n));
}

fn sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return add(a, negated(b));
}

// By a number that is not zero.
fn div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = (a.y ^ b.y) & SIGN;
    let ea = exponent(a);
    let eb = exponent(b);
    if (ea == 0u) {
        return vec2<u32>(0u, sign);
    }
    let by = mantissa(b);
    var rest = mantissa(a);
    var power = i32(ea) - i32(eb) + 1023;
    if (less64(rest, by)) {
        rest = left64(rest, 1u);
        power -= 1;
    }
    var q = vec2<u32>(0u);
    for (var k = 0u; k < 56u; k++) {
        let fits = !less64(rest, by);
        rest = left64(select(rest, minus64(rest, by), fits), 1u);
        q = left64(q, 1u);
        q.x |= select(0u, 1u, fits);
    }
    q = left64(q, 8u);
    q.x |= select(0u, 1u, any(rest != vec2<u32>(0u)));
    return packed64(sign, power, q);
}

// Times 2^n.
fn scaled(a: vec2<u32>, n: u32) -> vec2<u32> {
    return vec2<u32>(a.x, select(a.y + (n << 20u), a.y, exponent(a) == 0u));
}

// In the order of the numbers.
fn key64(a: vec2<u32>) -> vec2<u32> {
    if (exponent(a) == 0u) {
        return vec2<u32>(0u, SIGN);
    }
    return select(vec2<u32>(a.x, a.y ^ SIGN), ~a, a.y >= SIGN);
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
    if (power < -1) {
        return vec2<u32>(0u);
    }
    let m = mantissa(a);
    var q = m;
    if (power >= 52) {
        q = left64(m, u32(power) - 52u);
    } else {
        let n = u32(52 - power);
        q = right64(m, n);
        if (power < 51) {
            let rest = minus64(m, left64(q, n));
            let half = left64(vec2<u32>(1u, 0u), n - 1u);
            if (less64(half, rest) || (all(rest == half) && (q.x & 1u) == 1u)) {
                q = plus64(q, vec2<u32>(1u, 0u));
            }
        }
    }
    if (a.y >= SIGN) {
        return minus64(vec2<u32>(0u), q);
    }
    return q;
}

// A number of 64 bits, held between two of 32.
fn held(a: vec2<u32>, least: i32, most: i32) -> i32 {
    let low = bitcast<i32>(a.x);
    if (bitcast<i32>(a.y) == (low >> 31u)) {
        return clamp(low, least, most);
    }
    return select(most, least, a.y >= SIGN);
}
