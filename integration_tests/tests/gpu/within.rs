//! Bodies wholly inside others: no contour says where to look, and the device rules out every triangle pair.

use impinge::geometry::Primitive;
use impinge::prelude::*;
use impinge::{ColliderId, Manifold, StepCounts};
use impinge_scenes::mesh::{Blob, Torus};

use crate::{on_cpu, on_gpu};

/// Small tori in boxes, in blobs, and in the walls of hollow boxes, far apart from each other.
struct Nests {
    world: World,
    inner: Vec<(ColliderId, Vector3<f64>)>,
    step: u32,
}

fn cuboid(half: f32) -> TriMesh {
    Primitive::Cuboid { half: [half; 3] }.surface().unwrap()
}

/// A box with a hollow.
fn hollow() -> TriMesh {
    let (outer, inner) = (cuboid(0.6), cuboid(0.3));
    let base = outer.vertices().len() as u32;
    let vertices = outer.vertices().iter().chain(inner.vertices()).copied().collect();
    let turned = inner.triangles().iter().map(|[a, b, c]| [a + base, c + base, b + base]);
    TriMesh::new(vertices, outer.triangles().iter().copied().chain(turned).collect()).unwrap()
}

impl Nests {
    fn new(mut world: World) -> Nests {
        let torus = Torus::default().mesh().unwrap();
        let small = torus.with_vertices(torus.vertices().iter().map(|v| v * 0.25).collect()).unwrap();
        let small = world.add_shape(small).unwrap();
        let outer = [
            (cuboid(0.5), Vector3::zeros()),
            (Blob::default().mesh().unwrap(), Vector3::new(0.02, 0.0, -0.01)),
            (hollow(), Vector3::new(0.45, 0.02, 0.0)),
        ];
        let mut inner = Vec::new();
        for (k, (mesh, offset)) in outer.into_iter().enumerate() {
            let shape = world.add_shape(mesh).unwrap();
            let at = Vector3::new(5.0 * k as f64, 0.0, 0.0);
            let outer = world.add_collider(Collider::new(shape)).unwrap();
            world.set_pose(outer, Isometry3::translation(at.x, 0.0, 0.0)).unwrap();
            inner.push((world.add_collider(Collider::new(small)).unwrap(), at + offset));
        }
        Nests { world, inner, step: 0 }
    }

    /// Moves every inner body a little and takes a step.
    fn step(&mut self) -> (StepCounts, Vec<Manifold>) {
        self.step += 1;
        let along = 0.002 * f64::from(self.step);
        for (id, at) in &self.inner {
            let turn = UnitQuaternion::from_euler_angles(0.3, along, 0.1);
            let at = Translation3::from(at + Vector3::new(along, -along, 0.5 * along));
            self.world.set_pose(*id, Isometry3::from_parts(at, turn)).unwrap();
        }
        let counts = self.world.step().counts;
        (counts, self.world.manifolds().to_vec())
    }
}

#[test]
fn what_is_inside_is_found_with_the_gpu_as_without() {
    let Some(builder) = on_gpu("within") else { return };
    let (mut gpu, mut cpu) = (Nests::new(builder.build().unwrap()), Nests::new(on_cpu().build().unwrap()));
    let pairs = gpu.inner.len() as u64;
    for step in 0..4 {
        let ((counts, found), (_, wanted)) = (gpu.step(), cpu.step());
        assert_eq!(found, wanted, "step {step}");
        assert_eq!(counts.touching, pairs);
    }
}
