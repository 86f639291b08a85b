// All crossings of all tiles in one draw, in whatever order fragments come.

@group(0) @binding(4) var<storage, read_write> crossings: array<vec2<u32>>;

@fragment
fn capture_unordered(in: RowBox) -> @location(0) vec4<f32> {
    let found = crossed(in);
    let count = in.about.x * TILE_PIXELS + found.lane;
    if (found.unseen) {
        atomicAdd(&counts[count], UNSEEN);
    } else if (found.covered) {
        let place = atomicAdd(&counts[count], 1u);
        if (place < DEEPEST_PIXEL) {
            crossings[(in.about.x * DEEPEST_PIXEL + place) * TILE_PIXELS + found.lane] = found.key;
        }
    }
    return vec4<f32>(0.0);
}
