//! Meshes inside primitives and primitives inside meshes: no work for the device, which must not get in the way.

use impinge::prelude::*;
use impinge::{ColliderId, StepCounts};
use impinge_scenes::mesh::{Blob, Torus};

use crate::{on_cpu, on_gpu};

struct Nests {
    world: World,
    inner: Vec<(ColliderId, f64)>,
    step: u32,
}

impl Nests {
    fn new(mut world: World) -> Nests {
        let torus = world.add_shape(Torus::default().mesh().unwrap()).unwrap();
        let blob = world.add_shape(Blob::default().mesh().unwrap()).unwrap();
        let mut add = |shape: Shape| world.add_shape(shape).unwrap();
        let ball = add(Shape::sphere(1.0).unwrap());
        let drum = add(Shape::cylinder(0.8, 0.9).unwrap());
        let capsule = add(Shape::capsule(0.5, 0.9).unwrap());
        let bead = add(Shape::sphere(0.08).unwrap());
        let pin = add(Shape::cylinder(0.05, 0.04).unwrap());
        let nests = [(ball, torus), (drum, torus), (capsule, torus), (blob, bead), (blob, pin)];
        let mut inner = Vec::new();
        for (k, (outer, own)) in nests.into_iter().enumerate() {
            let x = 5.0 * k as f64;
            let outer = world.add_collider(Collider::new(outer)).unwrap();
            world.set_pose(outer, Isometry3::translation(x, 0.0, 0.0)).unwrap();
            inner.push((world.add_collider(Collider::new(own)).unwrap(), x));
        }
        Nests { world, inner, step: 0 }
    }

    fn step(&mut self) -> StepCounts {
        self.step += 1;
        let along = 0.003 * f64::from(self.step);
        for &(id, x) in &self.inner {
            let turn = UnitQuaternion::from_euler_angles(0.3, along, 0.1);
            let at = Translation3::new(x + along, -along, 0.5 * along);
            self.world.set_pose(id, Isometry3::from_parts(at, turn)).unwrap();
        }
        self.world.step().counts
    }
}

#[test]
fn meshes_and_primitives_in_each_other_are_found_with_the_gpu_as_without() {
    let Some(builder) = on_gpu("solids") else { return };
    let (mut gpu, mut cpu) = (Nests::new(builder.build().unwrap()), Nests::new(on_cpu().build().unwrap()));
    let pairs = gpu.inner.len() as u64;
    for step in 0..4 {
        let (counts, _) = (gpu.step(), cpu.step());
        assert_eq!(gpu.world.manifolds(), cpu.world.manifolds(), "step {step}");
        assert_eq!((counts.touching, counts.gpu_jobs, counts.gpu_redone), (pairs, 0, 0));
    }
}
