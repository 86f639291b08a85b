//! Two meshes that come at each other: casts and sweeps beside our own questions at one pose, and peers.

use std::sync::Arc;
use std::time::Instant;

use impinge::query::QueryScratch;
use impinge::{Motion, PairQuery, QuerySettings, Shape};
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Gear, Knot};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape;

/// One question about one motion.
pub struct Asked {
    pub query: &'static str,
    pub who: &'static str,
    /// Whether it was answered with an impact; questions at one pose: whether they touch.
    pub hit: bool,
    /// Part of the motion; 1 without an impact.
    pub time: f64,
    pub us: f64,
}

/// Motions of a scene, by the greatest turn (rad).
const TURNS: [(&str, f64); 3] = [("cast", 0.0), ("sweep-1rad", 1.0), ("sweep-3rad", 3.0)];

/// The names of the scenes.
pub const SCENES: [&str; 3] = ["knots-9600", "knots-38k", "gears"];

fn mesh(scene: &str) -> anyhow::Result<TriMesh> {
    Ok(match scene {
        "knots-38k" => Knot { along: 800, across: 24, ..Knot::default() }.mesh()?,
        "gears" => Gear::default().mesh()?,
        _ => Knot { along: 300, across: 16, ..Knot::default() }.mesh()?,
    })
}

/// Asks everybody about `count` random motions of a scene in turn, `rounds` times; the first round is not reported.
pub fn measure(scene: &str, count: usize, rounds: usize) -> anyhow::Result<Vec<Asked>> {
    let mesh = Arc::new(mesh(scene)?);
    let shape = Shape::from(mesh.clone());
    let query = PairQuery::new(&shape, &shape, QuerySettings::default())?;
    let vertices = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let theirs = shape::TriMesh::new(vertices, mesh.triangles().to_vec())?;
    #[cfg(feature = "peers-cpp")]
    let fcl = crate::cpp::FclMesh::new(&mesh);
    let radius = f64::from(mesh.bounding_sphere().radius);
    let mut asked = Vec::new();
    let mut scratch = QueryScratch::default();
    for round in 0..=rounds {
        let mut random = Random::new(5);
        for _ in 0..count {
            let aside = Vector3::from_fn(|_, _| random.signed()).normalize() * (2.2 * radius);
            let still = Isometry3::from_parts(Vector3::zeros().into(), random.rotation());
            let from = Isometry3::from_parts(aside.into(), random.rotation());
            let past = Vector3::from_fn(|_, _| 0.4 * radius * random.signed());
            let axis = Vector3::from_fn(|_, _| random.signed()).normalize();
            let to = Isometry3::from_parts((past - aside).into(), from.rotation);
            let mut note = |query, who, started: Instant, time: Option<f64>| {
                if round > 0 {
                    let us = started.elapsed().as_secs_f64() * 1e6;
                    asked.push(Asked { query, who, hit: time.is_some(), time: time.unwrap_or(1.0), us });
                }
            };
            for (name, turn) in TURNS {
                let motion = Motion::between(from, to).turn(axis * turn);
                let started = Instant::now();
                let found = query.sweep_with(&Motion::still(still), &motion, None, &mut scratch)?;
                note(name, "impinge", started, found.time());
                #[cfg(feature = "peers-cpp")]
                if turn > 0.0 {
                    let started = Instant::now();
                    let time = fcl.sweep(&still, &fcl, [&from, &motion.pose(1.0)], 10);
                    note(name, "fcl-10-poses", started, time);
                }
            }
            let started = Instant::now();
            let way = vector(&(to.translation.vector - from.translation.vector));
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let zero = Vector::new(0.0, 0.0, 0.0);
            let hit = query::cast_shapes(&pose(&still), zero, &theirs, &pose(&from), way, &theirs, options)?;
            note("cast", "parry", started, hit.map(|hit| f64::from(hit.time_of_impact)));
            let started = Instant::now();
            let touching = query.touching_with(&still, &from, &mut scratch)?;
            note("touching", "impinge", started, touching.then_some(0.0));
            let started = Instant::now();
            let distance = query.distance_with(&still, &from, &mut scratch)?;
            note("distance", "impinge", started, distance.nearest().is_none().then_some(0.0));
        }
    }
    Ok(asked)
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.coords.cast::<f32>();
    Pose::from_parts(vector(&pose.translation.vector), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}
