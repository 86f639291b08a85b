//! Rays at meshes of several sizes, from around them towards points within.

use std::sync::Arc;

use anyhow::Context;
use impinge::query::{QueryScratch, ShapeRay};
use impinge::{PreparedShape, Shape};
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Blob, Knot, Terrain};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{Ray, RayCast};
use parry3d::shape;

use super::{MotionContender, MotionScene};

/// Scenes by their triangles.
pub const NAMES: [&str; 6] =
    ["box-12", "knot-968", "knot-9613", "knot-98000", "terrain-80000", "ball-330000"];

/// Rays of a scene.
const RAYS: usize = 2000;

/// A scene by its name.
pub fn make(name: &str) -> anyhow::Result<MotionScene> {
    let knot = |count| Knot { major: 0.5, minor: 0.25, tube: 0.15, ..Knot::default() }.with_triangles(count);
    let mesh = match name {
        "box-12" => impinge_scenes::fixtures::box_mesh([0.5; 3]),
        "knot-968" => knot(968)?,
        "knot-9613" => knot(9_613)?,
        "knot-98000" => Knot { along: 1400, across: 35, ..Knot::default() }.mesh()?,
        "terrain-80000" => Terrain { cells: 200, ..Terrain::default() }.mesh()?,
        "ball-330000" => {
            Blob { radius: 1.0, bump: 0.06, bumps: 60, width: 0.22, subdivisions: 7, seed: 5 }.mesh()?
        }
        _ => anyhow::bail!("no scene {name}; there are {}", NAMES.join(", ")),
    };
    let mesh = Arc::new(mesh);
    let mut random = Random::new(7);
    let pose = Isometry3::from_parts(Vector3::new(0.3, -0.2, 0.1).into(), random.rotation());
    let aabb = mesh.aabb();
    let size = (Vector3::from(aabb.max) - Vector3::from(aabb.min)).cast::<f64>();
    let ray = |_| {
        let within = Point3::from(Vector3::from(aabb.min).cast::<f64>() + size.map(|x| x * random.unit()));
        let from = aabb.center().cast::<f64>() + random.direction() * (1.2 * size.norm());
        let (from, to) = (pose * from, pose * within);
        (from, (to - from).normalize())
    };
    let rays: Arc<[_]> = (0..RAYS).map(ray).collect();
    let contenders: Vec<Box<dyn MotionContender>> =
        vec![Box::new(Ours::new(&mesh, pose, &rays)), Box::new(Parry::new(&mesh, pose, &rays)?)];
    Ok(MotionScene {
        name: name.to_owned(),
        query: "ray".to_owned(),
        questions: RAYS,
        printed_us: Vec::new(),
        contenders,
    })
}

type Rays = Arc<[(Point3<f64>, Vector3<f64>)]>;

struct Ours {
    shape: PreparedShape,
    pose: Isometry3<f64>,
    rays: Rays,
    scratch: QueryScratch,
}

impl Ours {
    fn new(mesh: &Arc<TriMesh>, pose: Isometry3<f64>, rays: &Rays) -> Ours {
        let shape = PreparedShape::new(&Shape::from(mesh.clone()));
        Ours { shape, pose, rays: rays.clone(), scratch: QueryScratch::default() }
    }
}

impl MotionContender for Ours {
    fn who(&self) -> &'static str {
        "impinge"
    }

    fn ask(&mut self, question: usize) -> f64 {
        let (origin, direction) = self.rays[question];
        let ray = ShapeRay::new(origin, direction);
        match self.shape.ray_with(&self.pose, &ray, &mut self.scratch) {
            Ok(Some(hit)) => hit.time,
            Ok(None) => f64::INFINITY,
            Err(_) => f64::NAN,
        }
    }
}

/// parry's `TriMesh` (single precision).
struct Parry {
    mesh: shape::TriMesh,
    pose: Pose,
    rays: Vec<Ray>,
}

impl Parry {
    fn new(mesh: &TriMesh, pose: Isometry3<f64>, rays: &Rays) -> anyhow::Result<Parry> {
        let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let mesh =
            shape::TriMesh::new(vertices, mesh.triangles().to_vec()).ok().context("parry takes the mesh")?;
        let vector = |v: Vector3<f32>| Vector::new(v.x, v.y, v.z);
        let ray = |&(from, to): &(Point3<f64>, Vector3<f64>)| {
            Ray::new(vector(from.coords.cast()), vector(to.cast()))
        };
        let q = pose.rotation.coords.cast::<f32>();
        let turn = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
        let pose = Pose::from_parts(vector(pose.translation.vector.cast()), turn);
        Ok(Parry { mesh, pose, rays: rays.iter().map(ray).collect() })
    }
}

impl MotionContender for Parry {
    fn who(&self) -> &'static str {
        "parry"
    }

    fn ask(&mut self, question: usize) -> f64 {
        let hit = self.mesh.cast_ray_and_get_normal(&self.pose, &self.rays[question], f32::MAX, false);
        hit.map_or(f64::INFINITY, |hit| f64::from(hit.time_of_impact))
    }
}
