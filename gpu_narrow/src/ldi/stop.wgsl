// After a layer in which nothing was drawn, nothing more is drawn.

struct DrawArguments {
    vertices: u32,
    instances: u32,
    first_vertex: u32,
    first_instance: u32,
}

@group(0) @binding(0) var<storage, read> drawn: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: DrawArguments;

@compute @workgroup_size(1)
fn stop() {
    if (drawn[0] == 0u && drawn[1] == 0u) {
        arguments.instances = 0u;
    }
}
