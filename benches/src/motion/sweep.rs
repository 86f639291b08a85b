//! Two meshes that come at each other: casts, sweeps and, beside them, our own questions at the first pose.

use std::sync::Arc;

use impinge::query::QueryScratch;
use impinge::{Motion, PairQuery, QuerySettings, Shape};
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Gear, Knot};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape;

use super::{MotionContender, MotionScene};

/// The scenes.
pub const NAMES: [&str; 3] = ["knots-9600", "knots-38k", "gears"];

/// The queries, by the turn of B on its way (rad).
const TURNS: [(&str, f64); 3] = [("cast", 0.0), ("sweep", 1.0), ("sweep-3rad", 3.0)];

/// Motions of a scene.
const MOTIONS: usize = 100;

/// The casts and sweeps of a scene.
pub fn make(name: &str) -> anyhow::Result<Vec<MotionScene>> {
    let mesh = Arc::new(match name {
        "knots-38k" => Knot { along: 800, across: 24, ..Knot::default() }.mesh()?,
        "gears" => Gear::default().mesh()?,
        _ => Knot { along: 300, across: 16, ..Knot::default() }.mesh()?,
    });
    TURNS.iter().map(|&(query, turn)| scene(name, query, turn, &mesh)).collect()
}

fn scene(name: &str, query: &'static str, turn: f64, mesh: &Arc<TriMesh>) -> anyhow::Result<MotionScene> {
    let radius = f64::from(mesh.bounding_sphere().radius);
    let mut random = Random::new(5);
    let ways: Vec<Way> = (0..MOTIONS).map(|_| Way::random(&mut random, radius, turn)).collect();
    let ways = Arc::new(ways);
    let shape = Shape::from(mesh.clone());
    let ours = |asks: Asks| -> anyhow::Result<Box<dyn MotionContender>> {
        let query = PairQuery::new(&shape, &shape, QuerySettings::default())?;
        Ok(Box::new(Ours { asks, query, ways: ways.clone(), scratch: QueryScratch::default() }))
    };
    let mut contenders = vec![ours(Asks::Sweep)?, ours(Asks::Touching)?, ours(Asks::Distance)?];
    if turn == 0.0 {
        let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let mesh = shape::TriMesh::new(vertices, mesh.triangles().to_vec())?;
        contenders.push(Box::new(Parry { mesh, ways: ways.clone() }));
    }
    #[cfg(feature = "peers-cpp")]
    if turn > 0.0 {
        contenders.push(Box::new(Fcl { mesh: crate::cpp::FclMesh::new(mesh), ways: ways.clone() }));
    }
    Ok(MotionScene {
        name: name.to_owned(),
        query: query.to_owned(),
        questions: MOTIONS,
        printed_us: Vec::new(),
        contenders,
    })
}

/// Where A stands and how B moves.
struct Way {
    still: Isometry3<f64>,
    motion: Motion,
}

impl Way {
    /// From outside towards A, and past it.
    fn random(random: &mut Random, radius: f64, turn: f64) -> Way {
        let aside = Vector3::from_fn(|_, _| random.signed()).normalize() * (2.2 * radius);
        let still = Isometry3::from_parts(Vector3::zeros().into(), random.rotation());
        let from = Isometry3::from_parts(aside.into(), random.rotation());
        let past = Vector3::from_fn(|_, _| 0.4 * radius * random.signed());
        let axis = Vector3::from_fn(|_, _| random.signed()).normalize();
        let to = Isometry3::from_parts((past - aside).into(), from.rotation);
        Way { still, motion: Motion::between(from, to).turn(axis * turn) }
    }
}

enum Asks {
    Sweep,
    Touching,
    Distance,
}

struct Ours {
    asks: Asks,
    query: PairQuery,
    ways: Arc<Vec<Way>>,
    scratch: QueryScratch,
}

impl MotionContender for Ours {
    fn who(&self) -> &'static str {
        match self.asks {
            Asks::Sweep => "impinge",
            Asks::Touching => "impinge-touching",
            Asks::Distance => "impinge-distance",
        }
    }

    fn ask(&mut self, question: usize) -> f64 {
        let Ours { asks, query, ways, scratch } = self;
        let Way { still, motion } = &ways[question];
        let usable = "its motions can be used";
        match asks {
            Asks::Sweep => {
                let found = query.sweep_with(&Motion::still(*still), motion, None, scratch).expect(usable);
                found.time().unwrap_or(f64::INFINITY)
            }
            Asks::Touching => {
                let touching = query.touching_with(still, motion.start(), scratch).expect(usable);
                if touching { 0.0 } else { f64::INFINITY }
            }
            Asks::Distance => query.distance_with(still, motion.start(), scratch).expect(usable).distance(),
        }
    }
}

/// parry's cast of a mesh at a mesh, which knows no turns.
struct Parry {
    mesh: shape::TriMesh,
    ways: Arc<Vec<Way>>,
}

impl MotionContender for Parry {
    fn who(&self) -> &'static str {
        "parry"
    }

    fn ask(&mut self, question: usize) -> f64 {
        let Way { still, motion } = &self.ways[question];
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let (zero, way) = (Vector::new(0.0, 0.0, 0.0), vector(&motion.way()));
        let poses = [pose(still), pose(motion.start())];
        let hit = query::cast_shapes(&poses[0], zero, &self.mesh, &poses[1], way, &self.mesh, options);
        hit.expect("parry casts meshes").map_or(f64::INFINITY, |hit| f64::from(hit.time_of_impact))
    }
}

/// FCL's continuous collision by default: collision at ten poses.
#[cfg(feature = "peers-cpp")]
struct Fcl {
    mesh: crate::cpp::FclMesh,
    ways: Arc<Vec<Way>>,
}

#[cfg(feature = "peers-cpp")]
impl MotionContender for Fcl {
    fn who(&self) -> &'static str {
        "fcl-10-poses"
    }

    fn ask(&mut self, question: usize) -> f64 {
        let Way { still, motion } = &self.ways[question];
        let ends = [motion.start(), &motion.pose(1.0)];
        self.mesh.sweep(still, &self.mesh, ends, 10).unwrap_or(f64::INFINITY)
    }
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.coords.cast::<f32>();
    Pose::from_parts(vector(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}
