
// All crossings at once, in any order: counted, then placed where the scan of the counts says.

@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> crossings: array<vec2<u32>>;

@fragment
fn count(in: Boxed) -> @location(0) vec4<f32> {
    let found = crossing(in);
    if (found.covered) {
        atomicAdd(&counts[found.pixel], 1u);
    }
    return vec4(0.0);
}

@fragment
fn scatter(in: Boxed) -> @location(0) vec4<f32> {
    let found = crossing(in);
    if (found.covered) {
        let at = starts[found.pixel] + atomicSub(&counts[found.pixel], 1u) - 1u;
        if (at < params.room) {
            crossings[at] = found.words;
        }
    }
    return vec4(0.0);
}
