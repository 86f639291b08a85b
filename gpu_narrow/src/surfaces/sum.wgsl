// The records of a pair's workgroups are added up in their order, so that the same input gives the same bits.

struct SumParams {
    first: u32,
    count: u32,
    to: u32,
    sequence: u32,
}

@group(0) @binding(0) var<uniform> params: SumParams;
@group(0) @binding(1) var<storage, read_write> answers: array<u32>;

const RECORD_WORDS: u32 = 24u;

// What becomes of a word of the record: how many there are, sums, a least or a greatest coordinate, or nothing.
fn kind(word: u32) -> u32 {
    if (word % 4u == 3u) {
        return select(0u, 4u, word == 11u || word == 23u);
    }
    return select(1u, word / 4u, word / 4u == 2u || word / 4u == 3u);
}

@compute @workgroup_size(24)
fn sum_meetings(@builtin(local_invocation_index) word: u32) {
    let own = kind(word);
    var whole = 0u;
    var part = select(0.0, select(-3.0e38, 3.0e38, own == 2u), own == 2u || own == 3u);
    for (var k = 0u; k < params.count; k++) {
        let bits = answers[params.first + RECORD_WORDS * k + word];
        let value = bitcast<f32>(bits);
        switch own {
            case 0u: { whole += bits; }
            case 1u: { part += value; }
            case 2u: { part = min(part, value); }
            case 3u: { part = max(part, value); }
            default: {}
        }
    }
    var bits = bitcast<u32>(part);
    if (own == 0u) {
        bits = whole;
    }
    if (own == 4u) {
        bits = select(0u, params.sequence, word == 11u);
    }
    answers[params.to + word] = bits;
}
