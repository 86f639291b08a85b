//! A mesh that deforms against a rigid one, in a world.

use std::hint::black_box;
use std::sync::Arc;

use impinge::prelude::*;
use impinge_geometry::{Aabb, BoundingSphere};
use impinge_midphase::ObbTree;
use impinge_scenes::mesh::Knot;

use super::{BodyContender, Cast};

/// How high the waves are (m).
pub const HEIGHT: f64 = 0.01;

/// Where the rigid knot stands beside the other.
fn beside() -> Isometry3<f64> {
    Isometry3::translation(0.28, 0.05, 0.06)
}

/// The mesh, and those that take its steps.
pub fn make(triangles: u32) -> anyhow::Result<Cast> {
    let mesh = Arc::new(Knot::default().with_triangles(triangles)?);
    let deforming =
        |how| -> anyhow::Result<Box<dyn BodyContender>> { Ok(Box::new(Deforming::new(&mesh, how)?)) };
    let contenders = vec![
        Box::new(Copied { mesh: Arc::clone(&mesh), places: Vec::new() }) as Box<dyn BodyContender>,
        Box::new(Refitted { tree: ObbTree::build(&mesh), mesh: (*mesh).clone() }),
        deforming(How::SetVertices)?,
        deforming(How::Rigid)?,
        deforming(How::Deform)?,
        deforming(How::Replaced)?,
    ];
    Ok(Cast { mesh, contenders })
}

/// A copy of the vertices and their bounds: no less can be done.
struct Copied {
    mesh: Arc<TriMesh>,
    places: Vec<Point3<f32>>,
}

impl BodyContender for Copied {
    fn who(&self) -> &'static str {
        "copy-and-bounds"
    }

    fn beside(&self) -> &'static str {
        "copy-and-bounds"
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        self.places.clear();
        self.places.extend_from_slice(places);
        black_box((Aabb::of_points(&self.places), BoundingSphere::of_points(&self.places)));
        self.mesh.vertices().len() as u64
    }
}

/// The fit of the tree alone.
struct Refitted {
    mesh: TriMesh,
    tree: ObbTree,
}

impl BodyContender for Refitted {
    fn who(&self) -> &'static str {
        "refit"
    }

    fn beside(&self) -> &'static str {
        "copy-and-bounds"
    }

    fn prepare(&mut self, places: &[Point3<f32>]) {
        self.mesh.set_vertices(places).expect("the mesh has as many vertices");
    }

    fn step(&mut self, _: &[Point3<f32>]) -> u64 {
        black_box(self.tree.refit(&self.mesh).expect("the tree is the mesh's"));
        0
    }
}

/// What becomes of the mesh in a step.
#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Its vertices are set; the world takes no step in the time measured.
    SetVertices,
    /// The rigid mesh is moved by as little.
    Rigid,
    /// Its vertices are set.
    Deform,
    /// It is removed, and a new one added.
    Replaced,
}

/// Two knots in a world; every pair is answered in full.
struct Deforming {
    how: How,
    world: World,
    mesh: Arc<TriMesh>,
    shape: ShapeId,
    collider: ColliderId,
    steps: u32,
}

impl Deforming {
    fn new(mesh: &Arc<TriMesh>, how: How) -> anyhow::Result<Deforming> {
        let mut world = World::builder().backend(Backend::Cpu).threads(1).coherence(0.0).build()?;
        let other = world.add_shape(Arc::clone(mesh))?;
        world.add_collider(Collider::new(other).pose(beside()))?;
        let shape = world.add_shape(Arc::clone(mesh))?;
        let collider = world.add_collider(Collider::new(shape))?;
        Ok(Deforming { how, world, mesh: Arc::clone(mesh), shape, collider, steps: 0 })
    }

    fn change(&mut self, places: &[Point3<f32>]) -> anyhow::Result<()> {
        let Deforming { how, world, mesh, shape, collider, steps } = self;
        *steps += 1;
        match how {
            How::SetVertices | How::Deform => {
                world.set_vertices(*shape, places)?;
            }
            How::Rigid => {
                let shift = HEIGHT * (0.1 * f64::from(*steps)).sin();
                world.set_pose(*collider, Isometry3::translation(shift, 0.0, -shift))?;
            }
            How::Replaced => {
                world.remove_collider(*collider)?;
                world.remove_shape(*shape)?;
                *shape = world.add_shape(mesh.with_vertices(places.to_vec())?)?;
                *collider = world.add_collider(Collider::new(*shape))?;
            }
        }
        Ok(())
    }
}

impl BodyContender for Deforming {
    fn who(&self) -> &'static str {
        match self.how {
            How::SetVertices => "set-vertices",
            How::Rigid => "rigid",
            How::Deform => "deform",
            How::Replaced => "replaced",
        }
    }

    fn beside(&self) -> &'static str {
        if self.how == How::SetVertices { "copy-and-bounds" } else { "rigid" }
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        self.change(places).expect("the world takes the change");
        if self.how == How::SetVertices {
            return 0;
        }
        self.world.step().counts.points
    }
}
