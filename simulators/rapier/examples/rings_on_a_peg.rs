//! Rings fall over a peg and stay around it: meshes with holes, in rapier. `cargo run -p impinge-rapier --example rings_on_a_peg`

use rapier3d::prelude::*;

/// A ring around the y axis.
fn ring(major: f32, minor: f32, around: u32, across: u32) -> Result<SharedShape, Box<dyn std::error::Error>> {
    let turn = |k: u32, of: u32| std::f32::consts::TAU * (k % of) as f32 / of as f32;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let ((s, c), (t, d)) = (turn(i, around).sin_cos(), turn(j, across).sin_cos());
            vertices.push(Vector::new((major + minor * d) * c, minor * t, (major + minor * d) * s));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [p, q, r, o] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            triangles.extend([[p, q, r], [p, r, o]]);
        }
    }
    Ok(SharedShape::trimesh(vertices, triangles)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = PhysicsWorld::new();
    // This line, before the first step, is all that a program adds.
    impinge_rapier::install(&mut world)?;

    let (vertices, triangles) = Cylinder::new(3.0, 0.1).to_trimesh(32);
    let peg = ColliderBuilder::new(SharedShape::trimesh(vertices, triangles)?);
    world.insert(RigidBodyBuilder::fixed().translation(Vector::new(0.0, 3.0, 0.0)), peg);
    world.insert(RigidBodyBuilder::fixed(), ColliderBuilder::cuboid(5.0, 0.01, 5.0));

    let ring = ring(0.28, 0.12, 32, 16)?;
    let rings: Vec<RigidBodyHandle> = (1..=3)
        .map(|k| {
            let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 0.5 * k as f32, 0.01));
            world.insert(body, ColliderBuilder::new(ring.clone())).0
        })
        .collect();
    for _ in 0..300 {
        world.step();
    }
    for ring in rings {
        let at = world.bodies[ring].translation();
        println!("{:.3} m above the floor, {:.3} m off the peg's axis", at.y - 0.01, at.x.hypot(at.z));
        assert!(at.x.hypot(at.z) < 0.16, "a ring has left the peg");
    }
    Ok(())
}
