//! A body in the corner of floor and wall is pushed along neither's normal but its own.

use impinge::prelude::*;
use impinge_oracle::solids::{block, shape};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};

/// A floor, z < 0, and a wall, x < 0, as one mesh.
fn corner() -> TriMesh {
    let profile = [[-1.0, -1.0], [3.0, -1.0], [3.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-1.0, 2.0]];
    let vertices: Vec<Point3<f32>> =
        [-2.0, 2.0].into_iter().flat_map(|y| profile.map(|[x, z]| Point3::new(x, y, z))).collect();
    let mut triangles = Vec::new();
    for [p, q, r] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[p, q, r], [p + 6, r + 6, q + 6]]);
    }
    for k in 0..6u32 {
        let next = (k + 1) % 6;
        triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A cube without friction stands on the floor for 3 s, flush with the wall, or sunk into the floor by a millimetre and
/// a nanometre from the wall or in it: it is not pushed off.
#[test]
fn a_box_flush_with_a_wall_stays_there() {
    for (gap, sunk) in [(0.0, 0.0), (0.0, 1e-3), (1e-9, 1e-3), (-1e-9, 1e-3)] {
        let world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
        let settings = SimulatorSettings { sleeping: false, ..SimulatorSettings::default() };
        let mut sim = Simulator::new(world, settings).unwrap();
        let smooth = Material { friction: 0.0, ..Material::default() };
        let floor = sim.world_mut().add_shape(shape(corner())).unwrap();
        sim.add_body(BodyDesc::fixed(floor).material(smooth)).unwrap();
        let body = sim.world_mut().add_shape(shape(block([0.5; 3]))).unwrap();
        let at = [0.5 + gap, 0.125, 0.5 - sunk];
        let id = sim.add_body(BodyDesc::new(body).position(at).material(smooth)).unwrap();
        let mut off = 0.0f64;
        for _ in 0..180 {
            sim.step(1.0 / 60.0).unwrap();
            let now = sim.body(id).unwrap().pose().translation.vector;
            off = off.max((now.x - at[0]).abs()).max((now.y - at[1]).abs());
        }
        println!("gap {gap}, sunk {sunk}: at most {off:.2e} m aside");
        assert!(off < 1e-3, "gap {gap}, sunk {sunk}: pushed {off} m aside");
    }
}
