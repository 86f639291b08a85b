// The crossings of a pixel in their order, as the layers have left them in none.

// The pixel's crossings, sorted; gives how many there are.
fn sort_crossings(tile: u32, lane: u32, all: u32) -> u32 {
    let count = min(all, DEEPEST_PIXEL);
    for (var k = 0u; k < count; k++) {
        let key = crossings[(tile * DEEPEST_PIXEL + k) * TILE_PIXELS + lane];
        let depth = bitcast<i32>(key.x ^ 0x80000000u);
        var place = k;
        while (place > 0u && (depth < z[place - 1u] || (depth == z[place - 1u] && key.y < face[place - 1u]))) {
            z[place] = z[place - 1u];
            face[place] = face[place - 1u];
            place -= 1u;
        }
        z[place] = depth;
        face[place] = key.y;
    }
    return count;
}
