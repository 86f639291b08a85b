// A layer that was peeled goes to where the passes after it read crossings; where it has one, the next layer is drawn, too.

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var layer: texture_2d<u32>;
@group(0) @binding(2) var<storage, read_write> crossings: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> arguments: array<DrawArguments>;

// Tiles side by side.
const ATLAS_TILES: u32 = 64u;
// A texel without a crossing, in all its words.
const NOTHING: u32 = 0xffffffffu;

@compute @workgroup_size(256)
fn capture_collect(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.x;
    if (index >= params.tiles) {
        return;
    }
    let tile = TILE_SIDE * vec2<u32>(index % ATLAS_TILES, index / ATLAS_TILES);
    let texel = textureLoad(layer, vec2<i32>(tile + vec2<u32>(lane % TILE_SIDE, lane / TILE_SIDE)), 0);
    if (texel.z == NOTHING || texel.w >= PEELED_LAYERS) {
        return;
    }
    crossings[(index * DEEPEST_PIXEL + texel.w) * TILE_PIXELS + lane] = texel.xy;
    if (texel.w + 1u < PEELED_LAYERS) {
        atomicStore(&arguments[texel.w + 1u].instances, 1u);
    }
}
