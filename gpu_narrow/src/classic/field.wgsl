// The distance of every pixel's centre to the outline of a polygon (Hoff 2001): a thread for each pixel, in f32. On the CPU:
// narrow/image_space/src/classic/hoff.rs.

const FIELD_GROUP: u32 = 64u;

struct FieldParams {
    wide: u32,
    pixels: u32,
    corners: u32,
    spare_0: u32,
    right_x: f32,
    right_y: f32,
    up_x: f32,
    up_y: f32,
}

@group(0) @binding(0) var<uniform> params: FieldParams;
@group(0) @binding(1) var<storage, read> outline: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> distances: array<f32>;

@compute @workgroup_size(64)
fn field(@builtin(global_invocation_id) thread: vec3<u32>) {
    let pixel = thread.x;
    if (pixel >= params.pixels) {
        return;
    }
    let right = f32(pixel % params.wide);
    let up = f32(pixel / params.wide);
    let place = right * vec2(params.right_x, params.right_y) + up * vec2(params.up_x, params.up_y);
    var least = 3.0e38;
    for (var k = 0u; k < params.corners; k++) {
        let start = outline[k];
        let edge = outline[(k + 1u) % params.corners] - start;
        let long = dot(edge, edge);
        var share = 0.0;
        if (long > 0.0) {
            share = clamp(dot(place - start, edge) / long, 0.0, 1.0);
        }
        let off = place - start - share * edge;
        least = min(least, dot(off, off));
    }
    distances[pixel] = sqrt(least);
}
