//! Shapes and placements.

use impinge_rapier::MeshDispatcher;
use impinge_scenes::mesh::Torus;
use rapier3d::math::{Pose, Vector};
use rapier3d::parry::query::details::ContactManifoldsWorkspace;
use rapier3d::parry::query::{ContactManifold, PersistentQueryDispatcher, Unsupported};
use rapier3d::prelude::{Cuboid, Shape, SharedShape};

/// A manifold whose points carry a number, as rapier's carry impulses.
pub type Written = ContactManifold<u32, u32>;

pub fn torus() -> SharedShape {
    let mesh = Torus::default().mesh().unwrap();
    SharedShape::new(impinge::parry::to_mesh(&mesh).unwrap())
}

pub fn cube(half: f32) -> SharedShape {
    let (vertices, triangles) = Cuboid::new(Vector::splat(half)).to_trimesh();
    SharedShape::trimesh(vertices, triangles).unwrap()
}

/// What a mesh is answered against.
pub fn partners() -> Vec<SharedShape> {
    let corners = [[0.2, 0.2, 0.2], [-0.2, -0.2, 0.2], [-0.2, 0.2, -0.2], [0.2, -0.2, -0.2]];
    vec![
        torus(),
        cube(0.2),
        SharedShape::ball(0.2),
        SharedShape::cuboid(0.1, 0.2, 0.3),
        SharedShape::capsule(Vector::new(-0.2, 0.1, 0.0), Vector::new(0.1, 0.1, 0.3), 0.1),
        SharedShape::cylinder(0.2, 0.15),
        SharedShape::convex_hull(&corners.map(Vector::from)).unwrap(),
        SharedShape::halfspace(Vector::Y),
    ]
}

pub fn pose(at: [f32; 3], turn: [f32; 3]) -> Pose {
    Pose::new(Vector::from(at), Vector::from(turn))
}

/// A pair followed as rapier follows it.
#[derive(Default)]
pub struct Followed {
    pub manifolds: Vec<Written>,
    pub workspace: Option<ContactManifoldsWorkspace>,
}

impl Followed {
    pub fn ask(
        &mut self,
        dispatcher: &MeshDispatcher,
        at: &Pose,
        shapes: [&dyn Shape; 2],
        prediction: f32,
    ) -> Result<(), Unsupported> {
        let Followed { manifolds, workspace } = self;
        dispatcher.contact_manifolds(at, shapes[0], shapes[1], prediction, manifolds, workspace)
    }
}
