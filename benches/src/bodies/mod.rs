//! Bodies that deform: what a mesh whose vertices move costs in a world beside the same mesh that is moved, and what it
//! costs to find where a mesh meets itself, or layers of cloth come near each other, beside parry's tree traversed against itself.
//!
//! All contenders of a scene take each step in turn, warm, on one thread unless others are asked for. Every row's `over` is its mean over that of the contender
//! that it is measured by, in the same run.

mod cloth;
mod deform;
mod flag_scene;
mod own;

use std::sync::Arc;
use std::time::Instant;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};
use serde::Serialize;

use crate::row::{Origin, summary};

/// What to run.
pub struct Choice<'c> {
    pub scene: Option<&'c str>,
    pub who: &'c [String],
    /// Steps that are measured, and those before them.
    pub steps: usize,
    pub warm_up: usize,
    /// Triangles, in place of a scene's own number.
    pub triangles: Option<u32>,
    pub threads: usize,
}

/// A mesh in its rest pose, and the contenders that take its steps.
pub struct Cast {
    pub mesh: Arc<TriMesh>,
    pub contenders: Vec<Box<dyn BodyContender>>,
}

/// Takes steps.
pub trait BodyContender {
    /// The name in the rows.
    fn who(&self) -> &'static str;
    /// The name of the contender that it is measured by.
    fn beside(&self) -> &'static str;
    /// The time that a text prints for such a step (µs).
    fn printed_us(&self) -> Option<f64> {
        None
    }
    /// Gets ready for a step; not measured.
    fn prepare(&mut self, _places: &[Point3<f32>]) {}
    /// Takes a step, at which the vertices stand at these places; gives how many contact points or pairs it found.
    fn step(&mut self, places: &[Point3<f32>]) -> u64;
}

/// One contender in a scene.
#[derive(Clone, Debug, Serialize)]
pub struct BodyRow {
    pub suite: &'static str,
    pub scene: &'static str,
    pub who: &'static str,
    pub triangles: usize,
    pub steps: usize,
    /// Times of a step (µs).
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
    /// What it found in all steps.
    pub found: u64,
    /// What it is measured by, and its mean over that one's.
    pub beside: &'static str,
    pub over: f64,
    /// The time that a text prints for such a step (µs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_us: Option<f64>,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// The scenes: name, usual number of triangles.
const SCENES: [(&str, u32); 6] = [
    ("deform-10k", 10_000),
    ("deform-50k", 50_000),
    ("self-10k", 10_000),
    ("self-100k", 100_000),
    ("cloth-50", 100_000),
    ("flag-scene", 10_000),
];

/// Runs the scenes.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&BodyRow),
) -> anyhow::Result<Vec<BodyRow>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let mut rows = Vec::new();
    for (name, usual) in SCENES {
        if choice.scene.is_some_and(|scene| scene != name) {
            continue;
        }
        let triangles = choice.triangles.unwrap_or(usual);
        let found = pool.install(|| -> anyhow::Result<Vec<BodyRow>> {
            let cast = match name.split('-').next() {
                Some("deform") => deform::make(triangles)?,
                Some("self") => own::make(triangles)?,
                Some("flag") => flag_scene::make(triangles)?,
                _ => cloth::make(triangles)?,
            };
            Ok(measure(name, cast, choice, origin))
        })?;
        found.iter().for_each(&mut *out);
        rows.extend(found);
    }
    Ok(rows)
}

/// Where the vertices of a mesh stand in a step: waves run along it.
fn places(mesh: &TriMesh, step: usize, height: f64) -> Vec<Point3<f32>> {
    let time = 0.1 * step as f64;
    let place = |p: &Point3<f32>| {
        let x = p.coords.cast::<f64>();
        let wave = Vector3::new(
            (7.0 * x.y + time).sin(),
            (6.0 * x.z + 1.3 * time).sin(),
            (8.0 * x.x + 0.7 * time).sin(),
        );
        Point3::from(x + wave * height).cast::<f32>()
    };
    mesh.vertices().iter().map(place).collect()
}

/// All contenders in turn.
fn measure(name: &'static str, cast: Cast, choice: &Choice<'_>, origin: &Origin) -> Vec<BodyRow> {
    let Cast { mesh, mut contenders } = cast;
    let asked = |who: &str| choice.who.is_empty() || choice.who.iter().any(|name| name == who);
    contenders.retain(|contender| asked(contender.who()));
    let mut times = vec![Vec::new(); contenders.len()];
    let mut found = vec![0; contenders.len()];
    let height = match name.split('-').next() {
        Some("deform") => deform::HEIGHT,
        Some("self") => own::HEIGHT,
        Some("flag") => flag_scene::HEIGHT,
        _ => cloth::HEIGHT,
    };
    for step in 0..choice.warm_up + choice.steps {
        let places = places(&mesh, step, height);
        for (k, contender) in contenders.iter_mut().enumerate() {
            contender.prepare(&places);
            let start = Instant::now();
            let work = contender.step(&places);
            if step >= choice.warm_up {
                times[k].push(start.elapsed().as_secs_f64() * 1e6);
                found[k] += work;
            }
        }
    }
    let mean = |k: usize| summary(&times[k])[0];
    let row = |k: usize| {
        let contender = &contenders[k];
        let beside = contender.beside();
        let other = contenders.iter().position(|other| other.who() == beside);
        let [mean_us, median_us, p99_us, max_us] = summary(&times[k]);
        BodyRow {
            suite: "bodies",
            scene: name,
            who: contender.who(),
            triangles: mesh.triangles().len(),
            steps: choice.steps,
            mean_us,
            median_us,
            p99_us,
            max_us,
            found: found[k],
            beside,
            over: other.map_or(f64::NAN, |other| mean_us / mean(other)),
            printed_us: contender.printed_us(),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    (0..contenders.len()).map(row).collect()
}

/// One row in words.
pub fn print(row: &BodyRow) {
    println!(
        "{:12} {:16} {:7} triangles  mean {:10.1}  median {:10.1}  p99 {:10.1} us  found {:9}; {:.3} of {}",
        row.scene,
        row.who,
        row.triangles,
        row.mean_us,
        row.median_us,
        row.p99_us,
        row.found,
        row.over,
        row.beside
    );
}
