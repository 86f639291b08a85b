// From one side's quanta to the lattice: the sum of a row's products with the vertex less the origin, and the start,
// shifted to the right.
struct LatticeMap {
    origin: vec3<i32>,
    // Triangles that lie wholly behind this depth are not seen (steps).
    far: i32,
    // The powers of two that the vertices' coordinates are rounded to: their quanta.
    quanta: vec3<i32>,
    spare: u32,
    right: vec3<i32>,
    shift_right: u32,
    up: vec3<i32>,
    shift_up: u32,
    depth: vec3<i32>,
    shift_depth: u32,
    start_right: vec2<u32>,
    start_up: vec2<u32>,
    start_depth: vec2<u32>,
    spare_2: vec2<u32>,
}
