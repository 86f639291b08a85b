//! impinge as a simulator meets it: the same two bodies step after step.

use std::sync::Arc;

use impinge::{Backend, Collider, ColliderId, Shape, World};
use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Translation3, Vector3};

use super::{MeshContender, Query};

/// By how much a body that rests moves from step to step, as a part of its radius: enough that a step looks at it.
const TREMOR: f64 = 1e-9;

/// Two meshes in a world that remembers its last step. Asked again about a pose, it is asked about a body at rest there,
/// which trembles.
pub struct InWorld {
    meshes: [Arc<TriMesh>; 2],
    world: World,
    bodies: [ColliderId; 2],
    asked: u32,
}

impl InWorld {
    pub fn new(meshes: &[Arc<TriMesh>; 2]) -> InWorld {
        let mut world =
            World::builder().backend(Backend::Cpu).threads(1).build().expect("the settings are sound");
        let bodies = [0, 1].map(|k| {
            let shape =
                world.add_shape(Shape::Mesh(meshes[k].clone())).expect("there is room for two shapes");
            world.add_collider(Collider::new(shape)).expect("the pose is finite")
        });
        InWorld { meshes: meshes.clone(), world, bodies, asked: 0 }
    }
}

impl MeshContender for InWorld {
    fn who(&self) -> &'static str {
        "impinge-world"
    }

    fn answers(&self, query: Query) -> bool {
        query == Query::Contacts
    }

    fn remembers(&self) -> bool {
        true
    }

    fn has_threads(&self) -> bool {
        true
    }

    fn ask(&mut self, _: Query, a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
        self.asked += 1;
        let tremor = f64::from(self.asked % 2) * TREMOR * f64::from(self.meshes[1].bounding_sphere().radius);
        let b = Translation3::from(Vector3::z() * tremor) * b;
        for (id, pose) in self.bodies.into_iter().zip([*a, b]) {
            self.world.set_pose(id, pose).expect("the poses are finite");
        }
        self.world.step();
        self.world.manifolds().iter().map(|m| m.points.len()).sum::<usize>() as f64
    }

    fn build(&self, _: usize) {}

    fn memory(&self) -> usize {
        0
    }

    fn fork(&self) -> Box<dyn MeshContender> {
        Box::new(InWorld::new(&self.meshes))
    }
}
