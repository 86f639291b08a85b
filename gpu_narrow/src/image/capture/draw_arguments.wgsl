// What tells the device to draw, layer by layer: a draw of no instance draws nothing.

struct DrawArguments {
    vertices: u32,
    instances: atomic<u32>,
    first_vertex: u32,
    first_instance: u32,
}

// Layers that are peeled: as many crossings as a pixel has room for.
const PEELED_LAYERS: u32 = 32u;
