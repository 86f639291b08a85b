//! The checks of a scene at the end of its simulation.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;
use impinge::query::QueryScratch;
use impinge::{PairQuery, QuerySettings, Shape};
use impinge_scenes::random::Random;
use impinge_scenes::{Container, Scene};
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::prelude::*;
use serde::Serialize;

use super::separation::Placement;

/// Steps before the end whose contacts are measured.
pub const MEASURED_STEPS: u32 = 100;
/// Steps after which bodies should be at rest, where they should be: a shorter run is not judged.
pub const REST_AFTER: u32 = 600;
/// Contacts measured.
const SAMPLES: usize = 50;
/// Mean speed at rest (m/s).
const SPEED_LIMIT: f64 = 0.01;
/// Penetration as a share of the bounding radius.
const DEPTH_LIMIT: f64 = 0.02;

const NEED_NOT_REST: &str = "the scene need not come to rest";

/// Whether the scene's demand is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// It is.
    Pass,
    /// It is not.
    Fail,
    /// It was not judged.
    Skip,
}

/// One demand, what was measured, and the verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is demanded.
    pub name: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured; absent where it was not judged.
    pub value: Option<f64>,
    /// The value must not be above this.
    pub limit: f64,
    /// Unit of both.
    pub unit: &'static str,
    /// More about it.
    pub note: String,
    /// The case that decided it, to be looked at again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

/// Two bodies and where they stood.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capture {
    /// Names of their shapes.
    pub shapes: [String; 2],
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Their poses: x y z (m) qw qx qy qz.
    pub poses: [[f64; 7]; 2],
    /// Depth of the simulator's contacts a step before (m).
    pub contact_depth: f64,
    /// The least translation found (m).
    pub least_translation: f64,
}

impl Check {
    /// A value that must not be above its limit.
    pub fn judged(name: &'static str, value: f64, limit: f64, unit: &'static str, note: String) -> Check {
        // Not a number is no pass.
        let verdict = if value <= limit { Verdict::Pass } else { Verdict::Fail };
        Check { name, verdict, value: Some(value), limit, unit, note, capture: None }
    }

    /// The same measurement without a verdict, and why.
    pub fn unjudged(self, why: &str) -> Check {
        let note = if self.note.is_empty() { why.into() } else { format!("{}; {why}", self.note) };
        Check { verdict: Verdict::Skip, note, ..self }
    }

    fn skipped(name: &'static str, limit: f64, unit: &'static str, note: &str) -> Check {
        Check { name, verdict: Verdict::Skip, value: None, limit, unit, note: note.into(), capture: None }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "SKIP",
        };
        write!(f, "{verdict}  {}", self.name)?;
        if let Some(value) = self.value {
            let (unit, limit) = (self.unit, self.limit);
            if limit >= 1e-3 || value == 0.0 {
                write!(f, ": {value:.4} {unit} (limit {limit})")?;
            } else {
                write!(f, ": {value:.2e} {unit} (limit {limit:e})")?;
            }
        }
        if self.note.is_empty() { Ok(()) } else { write!(f, " - {}", self.note) }
    }
}

/// Every body inside the container, judged by all its vertices once the run has `ended`: before, bodies
/// may still be on their way in.
pub fn inside(scene: &Scene, poses: &[Isometry3<f64>], ended: bool) -> Check {
    const NAME: &str = "bodies outside the bin";
    let Some(container) = scene.container else {
        return Check::skipped(NAME, 0.0, "bodies", "the scene has no bin");
    };
    let outside: Vec<String> = (0..scene.bodies.len())
        .filter(|&k| !scene.bodies[k].fixed && !is_inside(scene, &container, k, &poses[k]))
        .map(|k| format!("body {k} at {:.2?}", poses[k].translation.vector.as_slice()))
        .collect();
    let note = match outside.len() {
        0 => String::new(),
        n => format!("{}{}", outside[..n.min(5)].join(", "), if n > 5 { " …" } else { "" }),
    };
    let check = Check::judged(NAME, outside.len() as f64, 0.0, "bodies", note);
    if ended { check } else { check.unjudged(&too_short()) }
}

/// Whether a body's vertices are in the container, up to the depth that contacts may have.
fn is_inside(scene: &Scene, container: &Container, body: usize, pose: &Isometry3<f64>) -> bool {
    let Some(sphere) = scene.sphere(scene.bodies[body].shape) else { return true };
    let slack = Vector3::repeat(DEPTH_LIMIT * f64::from(sphere.radius));
    let grown = Container { min: container.min - slack, max: container.max + slack };
    let holds = |p: &Point3<f32>| grown.holds(&(pose * p.cast::<f64>()));
    match &scene.shapes[scene.bodies[body].shape].shape {
        Shape::Mesh(mesh) => mesh.vertices().iter().all(holds),
        Shape::Hull(hull) => hull.mesh().vertices().iter().all(holds),
        _ => holds(&sphere.center),
    }
}

/// Bodies at rest: the mean speed over the last second.
pub fn at_rest(scene: &Scene, mean_speed: Option<f64>) -> Check {
    const NAME: &str = "mean speed over the last second";
    match mean_speed {
        _ if !scene.comes_to_rest => Check::skipped(NAME, SPEED_LIMIT, "m/s", NEED_NOT_REST),
        None => Check::skipped(NAME, SPEED_LIMIT, "m/s", &too_short()),
        Some(speed) => Check::judged(NAME, speed, SPEED_LIMIT, "m/s", String::new()),
    }
}

/// Why a run is not judged.
pub fn too_short() -> String {
    format!("judged after {REST_AFTER} steps or more")
}

/// Memory that grows over the second half of a run is never given back. Judged after a minute.
pub fn memory(memory: Option<[u64; 2]>, steps: u32) -> Check {
    const NAME: &str = "growth of memory over the second half";
    const LIMIT: f64 = 0.02;
    let Some([half, end]) = memory else {
        return Check::skipped(NAME, LIMIT, "of it", "the system does not tell, or the run was short");
    };
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let note = format!("{:.1} MiB at half time, {:.1} MiB at the end", mib(half), mib(end));
    let check = Check::judged(NAME, (end as f64 / half as f64 - 1.0).max(0.0), LIMIT, "of it", note);
    if steps >= 3600 { check } else { check.unjudged("judged after 3600 steps or more") }
}

/// Two bodies that were in contact.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Where they stood (m).
    pub poses: [Isometry3<f64>; 2],
    /// Depth that the simulator's contacts had there (m): used to choose samples only.
    pub depth: f64,
    /// Normals of the contacts: tried first, to be quick.
    pub normals: Vec<Vector3<f64>>,
}

/// Deepest penetration among sampled contacts, by brute force; judged once the run has `ended`, since
/// bodies that meet at speed overlap more than those at rest.
pub fn penetration(scene: &Scene, touches: &[Touch], ended: bool, seed: u64) -> Result<Check> {
    const NAME: &str = "deepest penetration of the bounding radius";
    if touches.is_empty() {
        return Ok(Check::skipped(NAME, DEPTH_LIMIT, "of the radius", "nothing was in contact"));
    }
    let samples = sample(scene, touches, seed);
    let mut queries: BTreeMap<[usize; 2], PairQuery> = BTreeMap::new();
    for touch in &samples {
        let kinds = touch.bodies.map(|k| scene.bodies[k].shape);
        if let Entry::Vacant(entry) = queries.entry(kinds) {
            let [a, b] = kinds.map(|k| &scene.shapes[k].shape);
            let settings = QuerySettings::default().resolution(4);
            entry.insert(PairQuery::new(a, b, settings)?);
        }
    }
    let measured: Vec<Result<f64>> = samples
        .par_iter()
        .map_init(QueryScratch::default, |scratch, touch| {
            let kinds = touch.bodies.map(|k| scene.bodies[k].shape);
            let [a, b] = touch.poses;
            let placement = Placement { query: &queries[&kinds], a, b };
            Ok(placement.least_translation(&touch.normals, 2.0 * radius(scene, touch), scratch)?)
        })
        .collect();
    let mut worst = (0.0, 0.0, samples[0]);
    for (touch, depth) in samples.iter().zip(measured) {
        let depth = depth?;
        let share = depth / radius(scene, touch);
        if share > worst.0 {
            worst = (share, depth, touch);
        }
    }
    let (share, depth, touch) = worst;
    let capture = touch.capture(scene, depth);
    let note = format!(
        "{:.2} mm, {} {} in {} {}; least translation by brute force over {} contacts of the last {MEASURED_STEPS} steps",
        1e3 * depth,
        capture.shapes[0],
        capture.bodies[0],
        capture.shapes[1],
        capture.bodies[1],
        samples.len(),
    );
    let check = Check::judged(NAME, share, DEPTH_LIMIT, "of the radius", note);
    let check = match (scene.comes_to_rest || scene.rolls_to_the_end, ended) {
        (true, true) => check,
        (false, _) => check.unjudged(NEED_NOT_REST),
        (true, false) => check.unjudged(&too_short()),
    };
    Ok(Check { capture: Some(capture), ..check })
}

impl Touch {
    fn capture(&self, scene: &Scene, least_translation: f64) -> Capture {
        let numbers = |pose: &Isometry3<f64>| {
            let (t, q) = (pose.translation.vector, pose.rotation.quaternion());
            [t.x, t.y, t.z, q.w, q.i, q.j, q.k]
        };
        Capture {
            shapes: self.bodies.map(|k| scene.shapes[scene.bodies[k].shape].name.clone()),
            bodies: self.bodies,
            poses: [numbers(&self.poses[0]), numbers(&self.poses[1])],
            contact_depth: self.depth,
            least_translation,
        }
    }
}

/// Bounding radius of the smaller of the bodies that move (m).
fn radius(scene: &Scene, touch: &Touch) -> f64 {
    let moving = touch.bodies.iter().map(|&k| &scene.bodies[k]).filter(|b| !b.fixed);
    moving.filter_map(|b| scene.sphere(b.shape)).map(|s| f64::from(s.radius)).fold(f64::INFINITY, f64::min)
}

/// Half of the samples are the deepest by report, the others random; each pair of bodies once.
fn sample<'t>(scene: &Scene, touches: &'t [Touch], seed: u64) -> Vec<&'t Touch> {
    let mut order: Vec<usize> = (0..touches.len()).collect();
    let share = |k: usize| touches[k].depth / radius(scene, &touches[k]);
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
    let mut taken = BTreeSet::new();
    let mut samples = Vec::with_capacity(SAMPLES);
    for &k in &order {
        if samples.len() < SAMPLES / 2 && taken.insert(touches[k].bodies) {
            samples.push(&touches[k]);
        }
    }
    let mut random = Random::new(seed);
    for k in (1..order.len()).rev() {
        order.swap(k, random.index(k + 1));
    }
    for &k in &order {
        if samples.len() < SAMPLES && taken.insert(touches[k].bodies) {
            samples.push(&touches[k]);
        }
    }
    samples
}
