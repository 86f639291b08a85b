// Sums over the intervals of a tile. Whole numbers: they do not depend on the order.

// Half words of the sums, in the order in which the record is put together.
const SUMS: u32 = 23u;
var<workgroup> sums: array<atomic<u32>, SUMS>;
// The longest interval, and how far B has to move along the view, and against it, until all are free (steps).
var<workgroup> longest: atomic<u32>;
var<workgroup> apart: array<atomic<i32>, 2>;

// A product of two words: low, high.
fn product(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let mid = ah * bl + (low >> 16u);
    let mid2 = al * bh + (mid & 0xffffu);
    return vec2<u32>((mid2 << 16u) | (low & 0xffffu), ah * bh + (mid >> 16u) + (mid2 >> 16u));
}

// Adds a number to a sum that begins at `at`: sixteen bits in each word, so that no carry is lost.
fn add_word(at: u32, word: u32) {
    atomicAdd(&sums[at], word & 0xffffu);
    atomicAdd(&sums[at + 1u], word >> 16u);
}

// Adds a product of 64 bits, whose high word is small, to a sum of three words.
fn add_product(at: u32, p: vec2<u32>) {
    add_word(at, p.x);
    atomicAdd(&sums[at + 2u], p.y);
}

// Counts a interval in the sums.
fn count_overlap(c: Overlap, pixel: vec2<u32>) {
    let touches = c.end <= c.begin + 1;
    let length = bitcast<u32>(c.end) - bitcast<u32>(c.begin);
    if (touches) {
        atomicAdd(&sums[1], 1u);
        return;
    }
    add_word(6u, length);
    atomicAdd(&sums[0], 1u);
    let place = 2u * pixel + 1u;
    atomicMax(&longest, length);
    atomicMax(&apart[0], c.along);
    atomicMax(&apart[1], c.against);
    add_product(9u, product(length, place.x));
    add_product(12u, product(length, place.y));
    // begin + end has 33 bits: its low word, and 0 or -1 above.
    let low = bitcast<u32>(c.begin) + bitcast<u32>(c.end);
    let negative = (c.begin >> 1u) + (c.end >> 1u) + (c.begin & c.end & 1) < 0;
    let deep = product(length, low);
    add_word(15u, deep.x);
    let high = deep.y - select(0u, length, negative);
    add_word(17u, high);
    // Below zero the bits above are ones: each counts as minus one.
    if (negative && (deep.y < length)) {
        atomicSub(&sums[19], 1u);
    }
    atomicAdd(&sums[20], bitcast<u32>(c.gradient));
    atomicAdd(&sums[21], bitcast<u32>(c.gradient * i32(place.x)));
    atomicAdd(&sums[22], bitcast<u32>(c.gradient * i32(place.y)));
}

// A sum of two or three words that begins at `at`: what is above each half word is carried on.
fn carried(at: u32) -> vec2<u32> {
    let low = atomicLoad(&sums[at]);
    let high = atomicLoad(&sums[at + 1u]) + (low >> 16u);
    return vec2<u32>((low & 0xffffu) | (high << 16u), high >> 16u);
}

fn carried_product(at: u32) -> vec2<u32> {
    let low = carried(at);
    return vec2<u32>(low.x, atomicLoad(&sums[at + 2u]) + low.y);
}

// The sum of products with the depth, of 96 bits.
fn carried_depth(at: u32) -> array<u32, 3> {
    let low = carried(at);
    let middle = atomicLoad(&sums[at + 2u]) + low.y;
    let high = atomicLoad(&sums[at + 3u]) + (middle >> 16u);
    return array<u32, 3>(low.x, (middle & 0xffffu) | (high << 16u), atomicLoad(&sums[at + 4u]) + (high >> 16u));
}
