//! Meshes and solids without triangles: inside each other, which is no work for the device, and on each other.

use impinge::gpu_narrow::InjectedFault;
use impinge::prelude::*;
use impinge::{ColliderId, Redo, StepCounts, StepStatus};
use impinge_scenes::fixtures::box_mesh;
use impinge_scenes::mesh::{Blob, Torus};
use impinge_scenes::random::Random;

use crate::meaning::assert_alike;
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

/// A mesh and a smaller one like it round the same origin, as one: its shells overlap.
fn doubled(mesh: &TriMesh) -> TriMesh {
    let count = mesh.vertices().len() as u32;
    let vertices = mesh.vertices().iter().copied().chain(mesh.vertices().iter().map(|p| p * 0.9));
    let triangles =
        mesh.triangles().iter().copied().chain(mesh.triangles().iter().map(|t| t.map(|v| v + count)));
    TriMesh::new(vertices.collect(), triangles.collect()).unwrap()
}

/// Rings, blobs and blocks that dip into a half-space, and balls, drums and capsules that dip into blocks and blobs.
struct Heap {
    world: World,
    ground: ColliderId,
    bodies: Vec<(ColliderId, Isometry3<f64>)>,
}

impl Heap {
    fn new(mut world: World) -> Heap {
        let ground = world.add_shape(Shape::half_space()).unwrap();
        let ground = world.add_collider(Collider::new(ground).fixed(true)).unwrap();
        let meshes = [Torus::default().mesh().unwrap(), Blob::default().mesh().unwrap(), box_mesh([0.3; 3])];
        // Contacts of solids with other meshes are known without lines.
        let doubled = meshes.each_ref().map(|mesh| Shape::from(doubled(mesh)));
        let meshes = meshes.map(Shape::from);
        let solids = [
            Shape::sphere(0.25).unwrap(),
            Shape::cylinder(0.2, 0.2).unwrap(),
            Shape::capsule(0.2, 0.2).unwrap(),
        ];
        let mut random = Random::new(9);
        let mut bodies = Vec::new();
        for k in 0..9 {
            let (mesh, solid) = (meshes[k / 3].clone(), solids[k % 3].clone());
            let turn = random.rotation();
            let at = |x: f64, z: f64| Isometry3::from_parts(Translation3::new(x, 0.0, z), turn);
            let lowest = |shape: &Shape| f64::from(shape.aabb_at(&at(0.0, 0.0)).min[2]);
            // On the ground, and a solid on a mesh high above it.
            bodies.push((mesh.clone(), at(2.0 * k as f64, -0.02 - lowest(&mesh))));
            bodies.push((doubled[k / 3].clone(), at(2.0 * k as f64, 10.0)));
            bodies.push((solid, at(2.0 * k as f64 + 0.3, 10.25)));
        }
        let mut add = |(shape, pose): (Shape, Isometry3<f64>)| {
            let shape = world.add_shape(shape).unwrap();
            (world.add_collider(Collider::new(shape)).unwrap(), pose)
        };
        let bodies = bodies.drain(..).map(&mut add).collect();
        Heap { world, ground, bodies }
    }

    /// How many bodies touch the ground.
    fn grounded(&self) -> u64 {
        let on_ground = self.world.contacts().filter(|contact| contact.colliders.contains(&self.ground));
        on_ground.count() as u64
    }

    fn step(&mut self, time: f64) -> StepReport {
        for (id, pose) in &self.bodies {
            let moved = Translation3::new(1e-4 * time, 0.0, 0.0) * pose;
            self.world.set_pose(*id, moved).unwrap();
        }
        self.world.step()
    }
}

#[test]
fn meshes_on_solids_are_answered_by_the_device_by_meaning_and_without_it_when_it_is_lost() {
    let Some(builder) = on_gpu("solids by meaning") else { return };
    let mut gpu = Heap::new(builder.parity(Parity::Meaning).build().unwrap());
    let mut cpu = Heap::new(on_cpu().build().unwrap());
    let (mut asked, mut answered) = (0, 0);
    for (step, fault) in [None, None, Some(InjectedFault::LoseDevice), None].into_iter().enumerate() {
        if let Some(fault) = fault {
            gpu.world.inject_gpu_fault(fault);
        }
        let (report, reference) = (gpu.step(step as f64), cpu.step(step as f64));
        assert_alike(&gpu.world, &cpu.world);
        let counts = &report.counts;
        // What stands on the ground is known without lines, and not asked for.
        let grounded = gpu.grounded();
        assert_eq!(counts.gpu_touching + grounded, reference.counts.touching, "step {step}");
        assert!(grounded >= 3, "{grounded}");
        assert_eq!(counts.gpu_manifolds + counts.redone.total(), counts.gpu_touching);
        assert_eq!(report.status.contains(StepStatus::GPU_LOST), fault.is_some());
        let lost = counts.redone.of(Redo::Fault);
        assert_eq!(lost, if fault.is_some() { counts.gpu_touching } else { 0 });
        (asked, answered) = (asked + counts.gpu_touching - lost, answered + counts.gpu_manifolds);
        if step == 0 {
            assert!(counts.gpu_jobs >= counts.gpu_touching && counts.gpu_redone == 0, "{counts:?}");
        }
    }
    println!(
        "{answered} of {asked} touching pairs of a mesh and a solid were answered without a view on the CPU"
    );
    // Of those of the solids on meshes what is one contact seen from its side.
    assert!(asked >= 20 && 4 * answered >= asked, "{answered} of {asked}");
}
