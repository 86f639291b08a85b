// Snap: the triangles that a view may show, from their meshes to whole numbers on the view's lattice.
//
// Twin: narrow/image_space/src/fixed_map.rs. A workgroup takes one view, a thread every 64th of its triangles.

struct SnapView {
    // Triangles: the first of `triangles`, how many, how many of them A's; pixels per side.
    first: u32,
    count: u32,
    of_a: u32,
    side: u32,
    // Words of `meshes`: vertices, corners of the triangles in the order of the leaves, and where in that order
    // each triangle is.
    vertices_a: u32,
    corners_a: u32,
    slots_a: u32,
    vertices_b: u32,
    corners_b: u32,
    slots_b: u32,
    spare: vec2<u32>,
    // From the frame of A and from that of B to the lattice.
    maps: array<LatticeMap, 2>,
}

@group(0) @binding(0) var<uniform> params: TileParams;
@group(0) @binding(1) var<storage, read> meshes: array<u32>;
@group(0) @binding(2) var<storage, read> views: array<SnapView>;
@group(0) @binding(3) var<storage, read> triangles: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<TileRow>;

const SNAP_THREADS: u32 = 64u;

// A corner of a triangle on the lattice.
fn corner(map: LatticeMap, word: u32) -> vec3<i32> {
    return placed(map, meshes[word], meshes[word + 1u], meshes[word + 2u]);
}

@compute @workgroup_size(64)
fn snap(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = group.y * params.row + group.x;
    if (index >= params.tiles) {
        return;
    }
    let v = params.first + index;
    for (var k = lane; k < views[v].count; k += SNAP_THREADS) {
        let of_b = k >= views[v].of_a;
        let first = select(views[v].vertices_a, views[v].vertices_b, of_b);
        let corners = select(views[v].corners_a, views[v].corners_b, of_b);
        let slots = select(views[v].slots_a, views[v].slots_b, of_b);
        let at = corners + 3u * meshes[slots + triangles[views[v].first + k]];
        let map = views[v].maps[select(0u, 1u, of_b)];
        rows[views[v].first - params.base + k] = row_of(
            corner(map, first + 3u * meshes[at]),
            corner(map, first + 3u * meshes[at + 1u]),
            corner(map, first + 3u * meshes[at + 2u]),
            views[v].side,
            map.far,
        );
    }
}
