// The crossings of every pixel in order: depth, back faces before front faces, triangle.

struct LdiParams {
    views: u32,
    width: u32,
    height: u32,
    layer: u32,
    pixels: u32,
    room: u32,
    blocks: u32,
    spare: u32,
}

@group(0) @binding(0) var<uniform> params: LdiParams;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> crossings: array<vec2<u32>>;

@compute @workgroup_size(256)
fn sort(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.pixels) {
        return;
    }
    let from_place = min(starts[id.x], params.room);
    let to_place = min(starts[id.x + 1u], params.room);
    for (var k = from_place + 1u; k < to_place; k++) {
        let own = crossings[k];
        var at = k;
        while (at > from_place) {
            let other = crossings[at - 1u];
            if (other.x < own.x || (other.x == own.x && other.y < own.y)) {
                break;
            }
            crossings[at] = other;
            at--;
        }
        crossings[at] = own;
    }
}
