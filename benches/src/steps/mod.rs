//! Whole simulations: a scene in our reference simulator and in rapier, step by step in turn.

mod contender;
mod depth;
mod growth;
mod inside;
mod ours;
#[cfg(feature = "rapier")]
mod rapier;

use std::time::Instant;

use anyhow::{Context, bail};
use cpu_time::ProcessTime;
use impinge_scenes::{Scene, SceneParams};
use nalgebra::Isometry3;
use serde::Serialize;

use crate::row::{self, Origin};
use contender::{Contender, Who};
use depth::Depths;
use inside::{Inside, Insides};

pub use growth::{GrowthRow, growth, table as growth_table};

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub threads: usize,
    pub steps: usize,
    pub bodies: Option<usize>,
}

/// One contender in one scene.
#[derive(Clone, Debug, Serialize)]
pub struct StepRow {
    pub suite: &'static str,
    pub scene: String,
    pub who: &'static str,
    pub threads: usize,
    pub bodies: usize,
    pub steps: usize,
    pub build_s: f64,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
    /// On the processor, of all threads.
    pub cpu_mean_us: f64,
    pub cpu_median_us: f64,
    pub cpu_p99_us: f64,
    /// Bodies that are not in the bin at the end.
    pub lost: usize,
    /// Pairs that touch at the end.
    pub touching: usize,
    /// Least translation that parts a pair of the 50 sampled (mm).
    pub median_depth_mm: f64,
    pub p90_depth_mm: f64,
    pub max_depth_mm: f64,
    /// Of the vertices that are inside another body, as parry finds them, the farthest from that body's surface (mm): at the end, at
    /// every thirtieth step, and at any step.
    pub inside_mm: f64,
    pub sampled_inside_mm: f64,
    pub max_inside_mm: f64,
    /// After which step that was (the first is 1; 0 where nothing ever was inside), which body's vertex, and in which body.
    pub max_inside_step: usize,
    pub max_inside_bodies: [usize; 2],
    /// Contact points in a step (mean).
    pub points: f64,
    /// Mean speed of the bodies' origins over the last step (mm/s).
    pub speed_mm: f64,
    pub commit: String,
    /// Seconds since 1970.
    pub date: u64,
    pub machine: String,
}

/// Steps from one sample of [`StepRow::sampled_inside_mm`] to the next.
const SAMPLED: usize = 30;

/// Runs the scene and hands each row to `out`.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&StepRow),
) -> anyhow::Result<Vec<StepRow>> {
    let name = choice.scene.filter(|&name| name != "default").unwrap_or("bin");
    let scene =
        impinge_scenes::scene(name, &SceneParams { bodies: choice.bodies, ..SceneParams::default() })?;
    let asked = |who: &&Who| choice.who.is_empty() || choice.who.iter().any(|name| name == who.name());
    let who: Vec<Who> = Who::ALL.iter().filter(asked).copied().collect();
    if who.is_empty() || choice.who.iter().any(|name| !Who::ALL.iter().any(|who| who.name() == name)) {
        let names: Vec<_> = Who::ALL.iter().map(|who| who.name()).collect();
        bail!("there are {} in this build (the feature `rapier` adds rapier)", names.join(", "));
    }
    let insides = Insides::new(&scene)?;
    let mut runs = Vec::new();
    for who in who {
        let start = Instant::now();
        let contender = who.make(&scene, choice.threads, true)?;
        let build_s = start.elapsed().as_secs_f64();
        runs.push(Run {
            who,
            contender,
            build_s,
            times: Vec::new(),
            cpu: Vec::new(),
            before: Vec::new(),
            points: 0,
            depths_inside: DepthsInside::default(),
        });
    }
    for step in 0..choice.steps {
        for turn in 0..runs.len() {
            // Who goes first changes from step to step.
            let k = (turn + step) % runs.len();
            runs[k].step(step + 1 == choice.steps)?;
            let inside = insides.deepest(&scene, &runs[k].contender.poses());
            runs[k].depths_inside.add(step + 1, inside);
        }
    }
    let mut rows = Vec::new();
    for run in &runs {
        let row = run.row(&scene, choice, origin)?;
        out(&row);
        rows.push(row);
    }
    Ok(rows)
}

struct Run {
    who: Who,
    contender: Box<dyn Contender>,
    build_s: f64,
    /// Of each step (µs).
    times: Vec<f64>,
    /// On the processor, of all threads (µs).
    cpu: Vec<f64>,
    /// Where the bodies were before the last step.
    before: Vec<Isometry3<f64>>,
    /// Of all steps.
    points: usize,
    depths_inside: DepthsInside,
}

/// How deep vertices have been inside other bodies.
#[derive(Default)]
struct DepthsInside {
    last: Inside,
    sampled: Inside,
    most: Inside,
    /// After which step that was.
    at: usize,
}

impl DepthsInside {
    fn add(&mut self, step: usize, inside: Inside) {
        self.last = inside;
        if step.is_multiple_of(SAMPLED) {
            self.sampled = self.sampled.deeper(inside);
        }
        if inside.depth > self.most.depth {
            (self.most, self.at) = (inside, step);
        }
    }
}

impl Run {
    fn step(&mut self, last: bool) -> anyhow::Result<()> {
        if last {
            self.before = self.contender.poses();
        }
        let (start, cpu) = (Instant::now(), ProcessTime::now());
        self.contender.step().with_context(|| self.who.name())?;
        self.times.push(start.elapsed().as_secs_f64() * 1e6);
        self.cpu.push(cpu.elapsed().as_secs_f64() * 1e6);
        self.points += self.contender.points();
        Ok(())
    }

    fn row(&self, scene: &Scene, choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<StepRow> {
        let poses = self.contender.poses();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
        let depths = pool.install(|| Depths::new(scene, &poses))?;
        let moving = || (0..poses.len()).filter(|&k| !scene.bodies[k].fixed);
        let way = |k: usize| (poses[k].translation.vector - self.before[k].translation.vector).norm();
        let ways: f64 = if self.before.is_empty() { 0.0 } else { moving().map(way).sum() };
        let [mean_us, median_us, p99_us, max_us] = row::summary(&self.times);
        let [cpu_mean_us, cpu_median_us, cpu_p99_us, _] = row::summary(&self.cpu);
        Ok(StepRow {
            suite: "steps",
            scene: scene.name.clone(),
            who: self.who.name(),
            threads: choice.threads,
            bodies: scene.moving(),
            steps: choice.steps,
            build_s: self.build_s,
            mean_us,
            median_us,
            p99_us,
            max_us,
            cpu_mean_us,
            cpu_median_us,
            cpu_p99_us,
            lost: moving().filter(|&k| is_lost(scene, k, &poses[k])).count(),
            touching: depths.touching,
            median_depth_mm: 1e3 * depths.at(0.5),
            p90_depth_mm: 1e3 * depths.at(0.9),
            max_depth_mm: 1e3 * depths.at(1.0),
            inside_mm: 1e3 * self.depths_inside.last.depth,
            sampled_inside_mm: 1e3 * self.depths_inside.sampled.depth,
            max_inside_mm: 1e3 * self.depths_inside.most.depth,
            max_inside_step: self.depths_inside.at,
            max_inside_bodies: self.depths_inside.most.bodies,
            points: self.points as f64 / choice.steps.max(1) as f64,
            speed_mm: 1e3 * ways / contender::DT / moving().count().max(1) as f64,
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        })
    }
}

/// Whether a body's middle is beside or under the scene's container, or nowhere.
fn is_lost(scene: &Scene, body: usize, pose: &Isometry3<f64>) -> bool {
    let middle = scene.sphere(scene.bodies[body].shape).map(|s| pose * s.center.cast::<f64>());
    let (Some(container), Some(p)) = (scene.container, middle) else { return false };
    let beside = (0..2).any(|i| !(container.min[i]..=container.max[i]).contains(&p[i]));
    beside || !p.z.is_finite() || p.z < container.min.z
}

/// The rows as a table.
pub fn table(rows: &[StepRow]) -> String {
    let mut table = String::from(
        "| scene | who | threads | making (s) | median step (ms) | p99 (ms) | CPU: mean (ms) | median | p99 | lost | touching | depth: median (mm) | 90 % | greatest | vertex inside: end (mm) | every 30 steps | most | at step | points | speed (mm/s) |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for r in rows {
        table += &format!(
            "| {}, {} bodies | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} | {:.3} | {:.3} | {:.3} | {:.1} | {:.1} | {:.1} | {} | {:.0} | {:.1} |\n",
            r.scene,
            r.bodies,
            r.who,
            r.threads,
            r.build_s,
            1e-3 * r.median_us,
            1e-3 * r.p99_us,
            1e-3 * r.cpu_mean_us,
            1e-3 * r.cpu_median_us,
            1e-3 * r.cpu_p99_us,
            r.lost,
            r.touching,
            r.median_depth_mm,
            r.p90_depth_mm,
            r.max_depth_mm,
            r.inside_mm,
            r.sampled_inside_mm,
            r.max_inside_mm,
            r.max_inside_step,
            r.points,
            r.speed_mm
        );
    }
    table
}
