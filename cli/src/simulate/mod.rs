//! `impinge simulate`: a scene in the reference simulator.

mod check;
mod hash;
mod picture;
mod record;
mod separation;
mod series;
mod summary;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use impinge::{Material, StepStatus, World};
use impinge_reference::{BodyDesc, BodyId, Simulator, SimulatorSettings};
use impinge_scenes::{Scene, SceneParams};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nalgebra::Isometry3;

use crate::arguments::{Simulate, world_on};
use crate::replay::Recorder;
use check::{Check, Verdict};
use picture::Painter;
use record::Record;
use summary::Summary;

/// Length of a step (s).
const DT: f64 = 1.0 / 60.0;

/// Runs a scene, writes its pictures and summary, prints what happened.
pub fn run(arguments: &Simulate) -> Result<ExitCode> {
    let params = SceneParams {
        bodies: arguments.bodies,
        seed: arguments.seed,
        meshes: arguments.mesh.clone(),
        ..SceneParams::default()
    };
    let scene = impinge_scenes::scene(&arguments.scene, &params)?;
    let world =
        world_on(arguments.backend, arguments.adapter.as_deref()).threads(arguments.threads).build()?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("{}: the folder cannot be made", arguments.out.display()))?;
    let (mut simulator, ids) = populate(world, &scene)?;
    let started = Instant::now();
    let mut record = Record::new(&simulator, &ids, arguments.steps)?;
    let start = |file: &PathBuf| Recorder::new(file, &scene, DT, &simulator, &ids);
    let mut recorder = arguments.record.as_ref().map(start).transpose()?;
    let mut painter = Painter::new(&scene)?;
    let mut pictures = Vec::new();
    let progress = progress(u64::from(arguments.steps), &scene.name);
    let mut paint = |name: &str, simulator: &Simulator| -> Result<()> {
        let file = arguments.out.join(format!("{name}.png"));
        painter.paint(&poses(simulator, &ids)?, &file)?;
        pictures.push(file);
        Ok(())
    };
    paint("first", &simulator)?;
    for step in 1..=arguments.steps {
        if arguments.lose_gpu_at == Some(step) {
            lose_gpu(simulator.world_mut());
        }
        let stepping = Instant::now();
        let done = simulator.step(DT).with_context(|| format!("step {step}"))?;
        let time = stepping.elapsed();
        if done.report.status.contains(StepStatus::GPU_REDONE) {
            let why = simulator.world().gpu_fault().unwrap_or("more work than the GPU's buffers may hold");
            progress.suspend(|| eprintln!("step {step} was finished on the CPU: {why}"));
        }
        record.push(&simulator, &done, time)?;
        if let Some(recorder) = &mut recorder {
            recorder.push(&simulator, &done, time)?;
        }
        if step == arguments.steps / 2 {
            paint("middle", &simulator)?;
        }
        progress.set_position(u64::from(step));
        progress.set_message(format!("{} contacts", done.report.counts.points));
    }
    paint("last", &simulator)?;
    progress.set_message("measuring penetration");
    let poses = poses(&simulator, &ids)?;
    let checks = checks(&scene, &record, &poses, simulator.world().threads())?;
    progress.finish_and_clear();
    let summary = Summary::new(&scene, &simulator, &record, &poses, checks, pictures, started.elapsed());
    let recording = recorder.map(Recorder::finish).transpose()?;
    report(&summary, arguments, recording.as_deref())
}

/// A simulator that holds the scene's bodies, in the scene's order.
fn populate(world: World, scene: &Scene) -> Result<(Simulator, Vec<BodyId>)> {
    let settings = SimulatorSettings { gravity: scene.gravity, ..SimulatorSettings::default() };
    let mut simulator = Simulator::new(world, settings)?;
    let mut shapes = Vec::with_capacity(scene.shapes.len());
    for shape in &scene.shapes {
        shapes.push(simulator.world_mut().add_shape(shape.shape.clone())?);
    }
    let mut ids = Vec::with_capacity(scene.bodies.len());
    for (index, body) in scene.bodies.iter().enumerate() {
        let desc = BodyDesc {
            density: (!body.fixed).then_some(body.density),
            material: Material {
                friction: body.friction,
                restitution: body.restitution,
                ..Material::default()
            },
            ..BodyDesc::new(shapes[body.shape]).pose(body.pose)
        };
        let name = &scene.shapes[body.shape].name;
        ids.push(simulator.add_body(desc).with_context(|| format!("body {index} ({name})"))?);
    }
    Ok((simulator, ids))
}

/// Has the GPU's device destroyed in the next step.
#[cfg(feature = "gpu")]
fn lose_gpu(world: &mut World) {
    world.gpu_drill(impinge::gpu_narrow::Drill::LoseDevice);
}

/// There is none to lose.
#[cfg(not(feature = "gpu"))]
fn lose_gpu(_: &mut World) {}

/// Where the bodies stand (m), in the scene's order.
fn poses(simulator: &Simulator, ids: &[BodyId]) -> Result<Vec<Isometry3<f64>>> {
    ids.iter().map(|&id| Ok(*simulator.body(id)?.pose())).collect()
}

fn checks(scene: &Scene, record: &Record, poses: &[Isometry3<f64>], threads: usize) -> Result<Vec<Check>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended = record.ended();
    Ok(vec![
        check::inside(scene, poses, ended),
        check::at_rest(scene, record.mean_speed()),
        pool.install(|| check::penetration(scene, record.touches(), ended, 0))?,
    ])
}

/// A bar on standard error where that is a terminal, else nothing.
fn progress(steps: u64, scene: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{prefix} {wide_bar} step {pos}/{len}  {elapsed} (left {eta})  {msg}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_prefix(scene.to_owned());
    bar
}

/// Writes `summary.json`, prints the table or the JSON, and gives the exit status.
fn report(summary: &Summary, arguments: &Simulate, recording: Option<&Path>) -> Result<ExitCode> {
    let json = serde_json::to_string_pretty(summary)?;
    let file: PathBuf = Path::new(&arguments.out).join("summary.json");
    std::fs::write(&file, format!("{json}\n"))
        .with_context(|| format!("{}: the summary cannot be written", file.display()))?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{json}")?;
    } else {
        write!(out, "{summary}")?;
        writeln!(
            out,
            "\nwritten to {}: summary.json and {}",
            arguments.out.display(),
            summary.picture_names()
        )?;
        if let Some(file) = recording {
            writeln!(out, "recorded to {0}: `impinge view {0}` makes a page of it", file.display())?;
        }
    }
    let failed = summary.checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
