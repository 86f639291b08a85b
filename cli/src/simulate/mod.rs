//! `impinge simulate`: a scene in the reference simulator.

mod capture;
mod check;
mod device_log;
mod digger;
mod driven_arm;
mod drivers;
mod gripper;
mod hash;
mod picture;
mod populate;
mod pourer;
mod record;
mod remedies;
mod road;
mod separation;
mod series;
mod soft;
mod summary;
mod watch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use impinge_scenes::{Scene, SceneParams};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nalgebra::Isometry3;

use crate::arguments::{Simulate, world_on};
use crate::replay::Recorder;
use check::{Check, Verdict};
use device_log::DeviceLog;
use drivers::Drivers;
use picture::Painter;
use populate::Populated;
use record::Record;
use summary::{Ended, Summary};
use watch::Watch;

/// Length of a step (s).
const DT: f64 = 1.0 / 60.0;

/// Runs a scene, writes its pictures and summary, prints what happened.
pub fn run(arguments: &Simulate) -> Result<ExitCode> {
    if let Some(scene) = impinge_scenes::soft_scene(&arguments.scene)? {
        return soft::run(&scene, arguments);
    }
    let params = SceneParams {
        bodies: arguments.bodies,
        seed: arguments.seed,
        meshes: arguments.mesh.clone(),
        mesh_options: arguments.mesh_options.options(),
        ..SceneParams::default()
    };
    let mut scene = impinge_scenes::scene(&arguments.scene, &params)
        .map_err(|error| remedies::with_remedies(error, &params.mesh_options))?;
    if arguments.fast {
        scene.bodies.iter_mut().for_each(|body| body.fast = !body.fixed);
    }
    scene.steps = arguments.steps.unwrap_or(scene.steps);
    let mut builder = world_on(arguments.backend, arguments.adapter.as_deref())
        .threads(arguments.threads)
        .patch_samples(arguments.patch_samples);
    if let Some(parity) = arguments.parity {
        builder = builder.parity(parity);
    }
    #[cfg(feature = "gpu")]
    let builder = builder.gpu_capture(arguments.capture);
    let world = builder.build()?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("{}: the folder cannot be made", arguments.out.display()))?;
    let steps = scene.steps;
    device_log::check_loss(arguments.lose_gpu_at, steps, &world)?;
    let mut run = Populated::new(world, &scene, !arguments.no_sleep, arguments.method)?;
    let mut drivers = Drivers::of_scene(&scene, &mut run, arguments.method)?;
    let started = Instant::now();
    let mut record = Record::new(&run.simulator, &run.bodies, steps)?;
    let mut watches = Watch::all(&scene);
    let mut devices = DeviceLog::default();
    let begun = drivers.places(&run)?;
    let start =
        |file: &PathBuf| Recorder::new(file, &scene, (DT, steps), &run.simulator, &run.bodies, &begun);
    let mut recorder = arguments.record.as_ref().map(start).transpose()?;
    let mut painter = Painter::new(&scene)?;
    let mut pictures = Vec::new();
    let progress = progress(u64::from(steps), &scene.name);
    let mut paint = |name: &str, run: &Populated, drivers: &Drivers| -> Result<()> {
        for (body, shape) in drivers.reshaped(run)? {
            painter.reshape(body, shape);
        }
        let file = arguments.out.join(format!("{name}.png"));
        let back = drivers.carried(run)?.inverse();
        let poses: Vec<_> = run.poses()?.iter().map(|pose| back * pose).collect();
        painter.paint(&poses, &file)?;
        pictures.push(file);
        Ok(())
    };
    paint("first", &run, &drivers)?;
    for step in 1..=steps {
        if arguments.lose_gpu_at == Some(step) {
            device_log::lose(run.simulator.world_mut());
        }
        let stepping = Instant::now();
        drivers.step(&mut run).with_context(|| format!("step {step}"))?;
        let mut done = run.simulator.step(DT).with_context(|| format!("step {step}"))?;
        drivers.add_times(&mut done);
        let time = stepping.elapsed();
        if let Some(event) = devices.push(step, done.status, run.simulator.world()) {
            progress.suspend(|| eprintln!("{event}"));
        }
        record.push(&run.simulator, &done, time)?;
        drivers.look(&mut run, &done)?;
        for watch in &mut watches {
            watch.look(&scene, &run, step > steps / 2)?;
        }
        if let Some(recorder) = &mut recorder {
            recorder.push(&run.simulator, &done, time, || drivers.places(&run), |body| run.shape(body))?;
        }
        if step == steps / 2 {
            paint("middle", &run, &drivers)?;
        }
        progress.set_position(u64::from(step));
        progress.set_message(format!("{} contacts", done.report.counts.points));
    }
    paint("last", &run, &drivers)?;
    progress.set_message("measuring penetration");
    let (simulator, poses) = (&run.simulator, run.poses()?);
    let now = drivers.scene_now(&scene, &run)?;
    let mut checks = checks(&now, &record, &watches, &poses, simulator.world().threads())?;
    checks.extend(drivers.checks());
    progress.finish_and_clear();
    let gpu_events = devices.into_events();
    let ended = Ended { checks, gpu_events, pictures, wall: started.elapsed() };
    let summary = Summary::new(&scene, simulator, &record, &poses, ended);
    let recording = recorder.map(Recorder::finish).transpose()?;
    report(&summary, arguments, recording.as_deref())
}

fn checks(
    scene: &Scene,
    record: &Record,
    watches: &[Watch],
    poses: &[Isometry3<f64>],
    threads: usize,
) -> Result<Vec<Check>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let ended = record.ended();
    let mut checks = vec![check::inside(scene, poses, ended), check::at_rest(scene, record.mean_speed())];
    // Ground that has been replaced since is not what was touched.
    if scene.road.is_none() {
        checks.push(pool.install(|| check::penetration(scene, record.touches(), ended, 0))?);
    }
    let energy = record.mean_energy();
    checks.extend(watches.iter().flat_map(|watch| watch.checks(scene, energy, ended)));
    checks.push(check::memory(record.memory(), record.taken()));
    Ok(checks)
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
