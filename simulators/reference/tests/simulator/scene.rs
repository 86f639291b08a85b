//! Small scenes.

use impinge::prelude::*;
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};

/// The length of a step (s).
pub const DT: f64 = 1.0 / 60.0;

/// A simulator with nothing in it.
pub fn empty(settings: SimulatorSettings) -> Simulator {
    let world = World::builder().backend(Backend::Cpu).build().unwrap();
    Simulator::new(world, settings).unwrap()
}

/// A simulator with a floor at z = 0.
pub fn with_floor(settings: SimulatorSettings) -> Simulator {
    let mut sim = empty(settings);
    add_floor(&mut sim, Isometry3::identity(), Material::default());
    sim
}

/// Adds a half-space whose surface stands at `pose`.
pub fn add_floor(sim: &mut Simulator, pose: Isometry3<f64>, material: Material) -> BodyId {
    let floor = sim.world_mut().add_shape(Shape::half_space()).unwrap();
    sim.add_body(BodyDesc::fixed(floor).pose(pose).material(material)).unwrap()
}

/// Adds a shape.
pub fn shape(sim: &mut Simulator, shape: Shape) -> ShapeId {
    sim.world_mut().add_shape(shape).unwrap()
}

/// A cube of edge 1 m.
pub fn cube() -> Shape {
    Shape::cuboid([0.5, 0.5, 0.5]).unwrap()
}

/// Steps on for `seconds`.
pub fn run(sim: &mut Simulator, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        sim.step(DT).unwrap();
    }
}

/// No gravity.
pub fn weightless() -> SimulatorSettings {
    SimulatorSettings { gravity: Vector3::zeros(), ..SimulatorSettings::default() }
}

/// A torus about z of radii `major` and `minor` (m).
pub fn torus(major: f32, minor: f32, around: u32, across: u32) -> Shape {
    let turn = |i: u32, n: u32| i as f32 / n as f32 * std::f32::consts::TAU;
    let mut vertices = Vec::new();
    for i in 0..around {
        let (s, c) = turn(i, around).sin_cos();
        for j in 0..across {
            let (v, u) = turn(j, across).sin_cos();
            let r = major + minor * u;
            vertices.push(Point3::new(r * c, r * s, minor * v));
        }
    }
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Shape::from(TriMesh::new(vertices, triangles).unwrap())
}
