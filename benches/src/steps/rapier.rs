//! rapier, with its own settings as they come.

use std::sync::Arc;

use anyhow::{Context, bail};
use impinge_geometry::{Shape, TriMesh};
use impinge_scenes::Scene;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use parry3d::math::{Pose, Rotation, Vector};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape, TriMeshFlags,
};

use super::contender::{Contender, DT};

/// Whose contacts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// rapier's, of the meshes.
    Meshes,
    /// The same, asked for after 5 mm of drift.
    Fine,
    /// Ours.
    Impinge,
    /// rapier's, of convex pieces.
    Convex,
}

pub struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl Rapier {
    /// With convex pieces, what moves is cut by rapier's own decomposition; what is fixed stays a mesh.
    pub fn new(scene: &Scene, threads: usize, sleeping: bool, contacts: Contacts) -> anyhow::Result<Rapier> {
        let mut world = PhysicsWorld::new();
        match contacts {
            Contacts::Meshes | Contacts::Convex => {}
            Contacts::Fine => world.integration_parameters.normalized_contact_recycle_distance = 0.005,
            Contacts::Impinge => drop(impinge_rapier::install(&mut world)?),
        }
        world.gravity = vector(&scene.gravity);
        world.integration_parameters.dt = DT as f32;
        world.configure_thread_pool(threads)?;
        let mut shapes: Vec<[Option<SharedShape>; 2]> = vec![[None, None]; scene.shapes.len()];
        let mut bodies = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            let cut = contacts == Contacts::Convex && !body.fixed;
            let shape = match &mut shapes[body.shape][usize::from(cut)] {
                Some(shape) => shape.clone(),
                empty => {
                    let Shape::Mesh(mesh) = &scene.shapes[body.shape].shape else {
                        bail!("{} of scene {} is no mesh", scene.shapes[body.shape].name, scene.name);
                    };
                    empty.insert(converted(mesh, cut)?).clone()
                }
            };
            let kind = if body.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let collider = ColliderBuilder::new(shape)
                .density(body.density as f32)
                .friction(body.friction as f32)
                .restitution(body.restitution as f32);
            let body = kind.pose(placed(&body.pose)).can_sleep(sleeping);
            bodies.push(world.insert(body, collider).0);
        }
        Ok(Rapier { world, bodies })
    }
}

fn vector(v: &nalgebra::Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn placed(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.coords.cast::<f32>();
    Pose::from_parts(vector(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

fn converted(mesh: &Arc<TriMesh>, cut: bool) -> anyhow::Result<SharedShape> {
    let vertices: Vec<Vector> = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    if cut {
        return Ok(SharedShape::convex_decomposition(&vertices, mesh.triangles()));
    }
    // What rapier's documentation advises for meshes with an inside.
    let flags = TriMeshFlags::FIX_INTERNAL_EDGES | TriMeshFlags::ORIENTED;
    SharedShape::trimesh_with_flags(vertices, mesh.triangles().to_vec(), flags)
        .context("rapier does not take the mesh")
}

impl Contender for Rapier {
    fn step(&mut self) -> anyhow::Result<()> {
        self.world.step();
        Ok(())
    }

    fn poses(&self) -> Vec<Isometry3<f64>> {
        let pose = |&handle: &RigidBodyHandle| {
            let pose = self.world.bodies[handle].position();
            let (t, q) = (pose.translation, pose.rotation);
            let rotation = nalgebra::Quaternion::new(q.w, q.x, q.y, q.z).cast::<f64>();
            Isometry3::from_parts(
                Translation3::new(f64::from(t.x), f64::from(t.y), f64::from(t.z)),
                UnitQuaternion::new_normalize(rotation),
            )
        };
        self.bodies.iter().map(pose).collect()
    }

    fn points(&self) -> usize {
        let pairs = self.world.narrow_phase.contact_pairs();
        pairs.flat_map(|pair| pair.manifolds()).map(|manifold| manifold.points.len()).sum()
    }
}
