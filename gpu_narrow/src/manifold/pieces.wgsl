// Triangles too large for a row, of which the view shows a small part: divided at the middles of their long edges until the
// parts that it may show have room. An edge is long or not by itself, and its middle is the same from either of its sides, so
// neighbours stay neighbours.

// Corners, in quanta.
struct Piece {
    a: vec3<i32>,
    b: vec3<i32>,
    c: vec3<i32>,
}

// Pieces that the view may show, at most.
const MOST_PIECES: u32 = 16u;
// Pieces that are yet to be divided, at most.
const PILE: u32 = 32u;
// Edges that span more than this across (sub-pixels), or in depth (steps), are long.
const LONG_ACROSS: i32 = 268435456;
const LONG_DEEP: i32 = 536870912;

struct Pieces {
    count: u32,
    list: array<Piece, MOST_PIECES>,
}

fn middle_of(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> {
    return (a + b) >> vec3<u32>(1u);
}

// Whether an edge is long, by its ends on the lattice, which are held within a range. A view is at least 64 quanta wide and
// deep, so what is long has a middle of its own.
fn is_long(u: vec3<i32>, v: vec3<i32>) -> bool {
    let half = abs((u >> vec3<u32>(1u)) - (v >> vec3<u32>(1u)));
    return half.x > LONG_ACROSS / 2 || half.y > LONG_ACROSS / 2 || half.z > LONG_DEEP / 2;
}

// Whether a view of `side` pixels may show what lies between three places on the lattice.
fn may_show(u: vec3<i32>, v: vec3<i32>, w: vec3<i32>, side: u32, far: i32) -> bool {
    let i = centres(vec3<i32>(u.x, v.x, w.x), SUB_BITS, side);
    let j = centres(vec3<i32>(u.y, v.y, w.y), SUB_BITS, side);
    return i.x <= i.y && j.x <= j.y && min(u.z, min(v.z, w.z)) <= far;
}

// Puts a piece on the pile if the view may show it. There is always room for four more.
fn put(pile: ptr<function, array<Piece, PILE>>, left: ptr<function, u32>, map: LatticeMap, t: Piece, side: u32) {
    if (may_show(placed_quanta(map, t.a), placed_quanta(map, t.b), placed_quanta(map, t.c), side, map.far)) {
        (*pile)[*left] = t;
        *left += 1u;
    }
}

// The pieces of a triangle that a view may show; what has room is one. Of one that would be too many there is a piece
// without room.
fn pieces_of(body: u32, whole: Piece, row: TileRow, side: u32) -> Pieces {
    var out: Pieces;
    out.count = 1u;
    out.list[0] = whole;
    if ((row.area & NO_ROOM) == 0u) {
        return out;
    }
    let map = laid.view.maps[body];
    var pile: array<Piece, PILE>;
    pile[0] = whole;
    var left = 1u;
    out.count = 0u;
    while (left > 0u) {
        left -= 1u;
        let t = pile[left];
        let u = placed_quanta(map, t.a);
        let v = placed_quanta(map, t.b);
        let w = placed_quanta(map, t.c);
        let long = vec3<bool>(is_long(u, v), is_long(v, w), is_long(w, u));
        let ab = middle_of(t.a, t.b);
        let bc = middle_of(t.b, t.c);
        let ca = middle_of(t.c, t.a);
        if (!any(long)) {
            if (out.count == MOST_PIECES) {
                left = PILE;
            } else {
                out.list[out.count] = t;
                out.count += 1u;
            }
        } else if (all(long)) {
            put(&pile, &left, map, Piece(t.a, ab, ca), side);
            put(&pile, &left, map, Piece(ab, t.b, bc), side);
            put(&pile, &left, map, Piece(ca, bc, t.c), side);
            put(&pile, &left, map, Piece(ab, bc, ca), side);
        } else if (long.x && long.y) {
            // What is cut off at the corner between two long edges, and what is left.
            put(&pile, &left, map, Piece(ab, t.b, bc), side);
            put(&pile, &left, map, Piece(t.a, ab, bc), side);
            put(&pile, &left, map, Piece(t.a, bc, t.c), side);
        } else if (long.y && long.z) {
            put(&pile, &left, map, Piece(bc, t.c, ca), side);
            put(&pile, &left, map, Piece(t.b, bc, ca), side);
            put(&pile, &left, map, Piece(t.b, ca, t.a), side);
        } else if (long.z && long.x) {
            put(&pile, &left, map, Piece(ca, t.a, ab), side);
            put(&pile, &left, map, Piece(t.c, ca, ab), side);
            put(&pile, &left, map, Piece(t.c, ab, t.b), side);
        } else if (long.x) {
            put(&pile, &left, map, Piece(t.a, ab, t.c), side);
            put(&pile, &left, map, Piece(ab, t.b, t.c), side);
        } else if (long.y) {
            put(&pile, &left, map, Piece(t.b, bc, t.a), side);
            put(&pile, &left, map, Piece(bc, t.c, t.a), side);
        } else {
            put(&pile, &left, map, Piece(t.c, ca, t.b), side);
            put(&pile, &left, map, Piece(ca, t.a, t.b), side);
        }
        if (left + 4u > PILE) {
            out.count = 1u;
            out.list[0] = whole;
            return out;
        }
    }
    return out;
}

// The row of a piece: what is so far before the view that it has no depth is as far as there is one.
fn piece_row(body: u32, t: Piece, side: u32) -> TileRow {
    let map = laid.view.maps[body];
    var corners = array<vec3<i32>, 3>(placed_quanta(map, t.a), placed_quanta(map, t.b), placed_quanta(map, t.c));
    for (var k = 0u; k < 3u; k++) {
        corners[k].z = max(corners[k].z, 1 - DEEP);
    }
    return row_of(corners[0], corners[1], corners[2], side, map.far);
}
