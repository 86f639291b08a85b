// Where the line through a pixel is inside A, and inside B, and where these meet.

// Flags of a tile: bodies without an inside.
const OPEN_A: u32 = 1u;
const OPEN_B: u32 = 2u;

const NEAREST: i32 = -2147483646;
const FARTHEST: i32 = 2147483645;
const BEYOND: i32 = 2147483646;

// A place among a pixel's crossings that is none.
const NOWHERE: u32 = 255u;

// The crossings of this thread's pixel, in their order.
var<private> z: array<i32, DEEPEST_PIXEL>;
var<private> face: array<u32, DEEPEST_PIXEL>;
// Intervals inside A from the front, and inside B from the back: the places of the crossings at their
// ends.
var<private> body_intervals: array<vec2<u32>, DEEPEST_PIXEL>;
var<private> interval_counts: array<u32, 2>;

struct Overlap {
    // A's body_interval and B's: first and last crossing.
    ends: vec4<u32>,
    begin: i32,
    end: i32,
    // How far B has to move until these body_intervals are apart, along the view and against it.
    along: i32,
    against: i32,
    gradient: i32,
}

fn body_interval(side: u32, k: u32) -> vec2<u32> {
    return body_intervals[select(k, DEEPEST_PIXEL - 1u - k, side == 1u)];
}

fn open_of(s: vec2<u32>) -> i32 {
    if (s.x == NOWHERE) {
        return NEAREST;
    }
    return z[s.x];
}

fn close_of(s: vec2<u32>) -> i32 {
    if (s.y == NOWHERE) {
        return BEYOND;
    }
    return z[s.y];
}

// Whether both counters end at zero.
fn trace(count: u32, flags: u32) -> bool {
    var inside = array<i32, 2>(0, 0);
    interval_counts = array<u32, 2>(0u, 0u);
    for (var k = 0u; k < count; k++) {
        let side = (face[k] >> 30u) & 1u;
        let was = inside[side];
        let many = interval_counts[side];
        let last = select(many - 1u, DEEPEST_PIXEL - many, side == 1u);
        let next = select(many, DEEPEST_PIXEL - 1u - many, side == 1u);
        if ((face[k] >> 31u) == 1u) {
            inside[side] = was + 1;
            if (was == 0) {
                // Two faces of a body back to back have nothing between them.
                if (many > 0u && close_of(body_intervals[last]) == z[k]) {
                    body_intervals[last].y = NOWHERE;
                } else {
                    body_intervals[next] = vec2<u32>(k, NOWHERE);
                    interval_counts[side] = many + 1u;
                }
            }
        } else if (was == 0 && (flags & select(OPEN_A, OPEN_B, side == 1u)) != 0u) {
            body_intervals[next] = vec2<u32>(NOWHERE, k);
            interval_counts[side] = many + 1u;
        } else {
            inside[side] = was - 1;
            if (was == 1) {
                body_intervals[last].y = k;
            }
        }
    }
    return inside[0] == 0 && inside[1] == 0;
}

// a - b, held within 32 bits.
fn gap(a: i32, b: i32) -> i32 {
    let d = a - b;
    if (b > 0 && d > a) {
        return -0x7fffffff - 1;
    }
    if (b < 0 && d < a) {
        return 0x7fffffff;
    }
    return d;
}

// 2 where a is farther than b, 0 where it is nearer, 1 where they are within a step.
fn share(a: i32, b: i32) -> i32 {
    return select(select(1, 0, a < b - 1), 2, a > b + 1);
}

fn overlap(a: vec2<u32>, b: vec2<u32>) -> Overlap {
    let opens = vec2<i32>(open_of(a), open_of(b));
    let closes = vec2<i32>(close_of(a), close_of(b));
    var c: Overlap;
    c.ends = vec4<u32>(a, b);
    c.begin = max(opens.x, opens.y);
    c.end = min(closes.x, closes.y);
    c.along = gap(closes.x, opens.y);
    c.against = gap(closes.y, opens.x);
    c.gradient = share(closes.y, closes.x) - share(opens.x, opens.y);
    return c;
}

// A place where body_intervals of A and B meet, or would if the end were seen.
struct Meeting {
    found: bool,
    cut: bool,
    // Where to go on.
    at: vec2<u32>,
    overlap: Overlap,
}

// The next meeting, from a body_interval of A and one of B on.
fn meet(start: vec2<u32>) -> Meeting {
    var m: Meeting;
    m.at = start;
    while (!m.found && !m.cut && m.at.x < interval_counts[0] && m.at.y < interval_counts[1]) {
        let a = body_interval(0u, m.at.x);
        let b = body_interval(1u, m.at.y);
        m.overlap = overlap(a, b);
        if (m.overlap.end > FARTHEST) {
            m.cut = m.overlap.begin < FARTHEST;
        } else {
            m.found = m.overlap.end >= m.overlap.begin - 1;
        }
        let closes = vec2<i32>(close_of(a), close_of(b));
        m.at += vec2<u32>(select(0u, 1u, closes.x <= closes.y), select(0u, 1u, closes.y <= closes.x));
    }
    return m;
}
