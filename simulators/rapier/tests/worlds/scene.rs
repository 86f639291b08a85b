//! Scenes in rapier.

use impinge::parry::{to_mesh, to_pose, to_vector};
use impinge::{Shape, TriMesh};
use impinge_scenes::Scene;
use nalgebra::{Isometry3, Point3};
use rapier3d::prelude::*;

/// A world and its bodies, in the scene's order.
pub struct Run {
    pub world: PhysicsWorld,
    pub bodies: Vec<RigidBodyHandle>,
}

pub fn mesh(mesh: &TriMesh) -> SharedShape {
    SharedShape::new(to_mesh(mesh).unwrap())
}

impl Run {
    /// Empty, with our contacts or rapier's own. Gravity along z (m/s²).
    pub fn new(ours: bool) -> Run {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -9.81);
        if ours {
            impinge_rapier::install(&mut world).unwrap();
        }
        Run { world, bodies: Vec::new() }
    }

    pub fn of(scene: &Scene) -> Run {
        let mut run = Run::new(true);
        run.world.gravity = to_vector(&scene.gravity);
        let shapes: Vec<SharedShape> = scene
            .shapes
            .iter()
            .map(|shape| match &shape.shape {
                Shape::Mesh(of) => mesh(of),
                other => impinge::parry::to_shape(other).unwrap(),
            })
            .collect();
        for body in &scene.bodies {
            let collider = ColliderBuilder::new(shapes[body.shape].clone()).density(body.density as f32);
            run.add(&body.pose, collider.friction(body.friction as f32), body.fixed);
        }
        run
    }

    pub fn add(&mut self, pose: &Isometry3<f64>, collider: ColliderBuilder, fixed: bool) -> RigidBodyHandle {
        let body = if fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let (body, _) = self.world.insert(body.pose(to_pose(pose)), collider);
        self.bodies.push(body);
        body
    }

    pub fn steps(&mut self, steps: usize) {
        for _ in 0..steps {
            self.world.step();
        }
    }

    pub fn at(&self, body: usize) -> Point3<f64> {
        impinge::parry::from_point(self.world.bodies[self.bodies[body]].translation())
    }

    /// The greatest speed of a body (m/s).
    pub fn speed(&self) -> f32 {
        self.bodies.iter().map(|&body| self.world.bodies[body].linvel().length()).fold(0.0, f32::max)
    }

    /// All poses, to the last bit.
    pub fn bits(&self) -> Vec<[u32; 7]> {
        let bits = |&body: &RigidBodyHandle| {
            let pose = self.world.bodies[body].position();
            let (t, q) = (pose.translation, pose.rotation);
            [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(f32::to_bits)
        };
        self.bodies.iter().map(bits).collect()
    }
}
