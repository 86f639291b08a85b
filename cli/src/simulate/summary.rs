//! The results of a run: `summary.json` and the table on standard output.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use impinge::Manifold;
use impinge_reference::Simulator;
use impinge_scenes::Scene;
use nalgebra::Isometry3;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::capture::GpuCapture;
use super::check::Check;
use super::device_log::DeviceEvent;
use super::record::Record;
use super::series::{CountSummary, TimeSummary, Times};
use super::{DT, hash};

/// Rows with a name, written as a JSON object in their order.
#[derive(Debug)]
pub struct Rows<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, row) in &self.0 {
            map.serialize_entry(name, row)?;
        }
        map.end()
    }
}

/// What a run was and how it went. The hash is that of the final poses: the same for any number of
/// threads.
#[derive(Debug, Serialize)]
pub struct Summary {
    version: &'static str,
    scene: String,
    bodies: usize,
    fixed: usize,
    triangles: usize,
    steps: u32,
    dt: f64,
    backend: &'static str,
    parity: &'static str,
    threads: usize,
    hash: String,
    /// Of contacts as they stand at the end, sleepers' too (m).
    deepest_contact: f64,
    /// Of the contacts of awake bodies over the run, as they hit each other, too (m).
    deepest_contact_awake: f64,
    mean_speed: Option<f64>,
    /// What became of the GPU.
    gpu_events: Vec<DeviceEvent>,
    /// Of the touching mesh pairs of all steps that a GPU was asked for, the part without a view on the CPU.
    device_share: Option<f64>,
    /// Those that the CPU answered from the beginning, by reason.
    redone: Rows<u64>,
    /// How the GPU captured the layers of its views.
    gpu_capture: Option<GpuCapture>,
    /// What each pass of the GPU took in all steps, by its own clock (s).
    gpu_passes_s: Rows<f64>,
    /// Of the touching mesh pairs of all steps that height maps were asked for, the part that they answered.
    height_map_share: Option<f64>,
    /// What the scene demands.
    pub checks: Vec<Check>,
    wall_s: f64,
    /// Steps in which a body was awake.
    steps_awake: usize,
    /// Over these steps.
    times_awake: Rows<TimeSummary>,
    /// Over all steps.
    times: Rows<TimeSummary>,
    counts: Rows<CountSummary>,
    pictures: Vec<PathBuf>,
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct Ended {
    /// What the scene demands.
    pub checks: Vec<Check>,
    /// What became of the GPU.
    pub gpu_events: Vec<DeviceEvent>,
    /// Files of pictures.
    pub pictures: Vec<PathBuf>,
    /// How long it took.
    pub wall: Duration,
}

impl Summary {
    /// The summary of a run.
    pub fn new(
        scene: &Scene,
        simulator: &Simulator,
        record: &Record,
        poses: &[Isometry3<f64>],
        ended: Ended,
    ) -> Summary {
        let Ended { checks, gpu_events, pictures, wall } = ended;
        let awake = record.awake();
        let [maps, past] = record.height_maps;
        let deepest = |depth: f64, m: &Manifold| depth.max(m.depth);
        let of_stages = |of: &dyn Fn(&Times) -> TimeSummary| {
            Rows(record.times.iter().map(|(name, times)| (*name, of(times))).collect())
        };
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.name.clone(),
            bodies: scene.moving(),
            fixed: scene.bodies.len() - scene.moving(),
            triangles: scene.triangles(),
            steps: record.taken(),
            dt: DT,
            backend: simulator.world().backend().name(),
            parity: simulator.world().parity().name(),
            threads: simulator.world().threads(),
            hash: hash::of_poses(poses),
            deepest_contact: simulator.world().manifolds().iter().fold(0.0, deepest),
            deepest_contact_awake: record.deepest,
            mean_speed: record.mean_speed(),
            gpu_events,
            device_share: (record.asked > 0).then(|| record.sampled as f64 / record.asked as f64),
            redone: Rows(record.redone.iter().map(|(reason, count)| (reason.name(), count)).collect()),
            gpu_capture: GpuCapture::of(simulator.world()),
            gpu_passes_s: {
                let ran = record.passes.iter().filter(|(_, time)| !time.is_zero());
                Rows(ran.map(|(name, time)| (*name, time.as_secs_f64())).collect())
            },
            height_map_share: (maps + past > 0).then(|| maps as f64 / (maps + past) as f64),
            checks,
            wall_s: wall.as_secs_f64(),
            steps_awake: awake.iter().filter(|awake| **awake).count(),
            times_awake: of_stages(&|times| times.summary_where(&awake)),
            times: of_stages(&Times::summary),
            counts: Rows(record.counts.iter().map(|(name, counts)| (*name, counts.summary())).collect()),
            pictures,
        }
    }

    /// The pictures' file names.
    pub fn picture_names(&self) -> String {
        let names: Vec<_> =
            self.pictures.iter().filter_map(|p| p.file_name()).map(|n| n.to_string_lossy()).collect();
        names.join(", ")
    }
}

impl Summary {
    /// The stages over the steps in which something was awake, and the step over all of them.
    fn write_times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: &str, time: &TimeSummary| {
            let TimeSummary { median_us, p95_us, p99_us, max_us, total_s } = time;
            writeln!(
                f,
                "{name:<18}{median_us:>14.1}{p95_us:>12.1}{p99_us:>12.1}{max_us:>12.1}{total_s:>12.2}"
            )
        };
        let asleep = self.steps as usize - self.steps_awake;
        writeln!(f, "\n{} steps with a body awake, {asleep} with all asleep", self.steps_awake)?;
        let units = ["median (µs)", "p95 (µs)", "p99 (µs)", "max (µs)", "total (s)"];
        writeln!(
            f,
            "{:<18}{:>14}{:>12}{:>12}{:>12}{:>12}",
            "stage, awake", units[0], units[1], units[2], units[3], units[4]
        )?;
        for (name, time) in &self.times_awake.0 {
            row(f, &indented(name), time)?;
        }
        match self.times.0.iter().find(|(name, _)| *name == "step") {
            Some((_, time)) => row(f, "step, all", time),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "scene {}: {} bodies, {} fixed, {} triangles; {} steps of 1/60 s on {} with {} thread{} in {:.1} s",
            self.scene,
            self.bodies,
            self.fixed,
            self.triangles,
            self.steps,
            self.backend,
            self.threads,
            if self.threads == 1 { "" } else { "s" },
            self.wall_s,
        )?;
        self.write_times(f)?;
        writeln!(f, "\n{:<16}{:>14}{:>14}{:>12}", "count", "median", "greatest", "last")?;
        for (name, count) in &self.counts.0 {
            let name = name.replace('_', " ");
            writeln!(f, "{name:<16}{:>14}{:>14}{:>12}", count.median, count.max, count.last)?;
        }
        writeln!(
            f,
            "\ndeepest contact  {:.3} mm at the end, {:.3} mm while bodies were awake (as the contacts say)",
            1e3 * self.deepest_contact,
            1e3 * self.deepest_contact_awake
        )?;
        if let Some(speed) = self.mean_speed {
            writeln!(f, "mean speed       {:.3} mm/s (over the last second)", 1e3 * speed)?;
        }
        writeln!(f, "hash             {} (of the final poses)", self.hash)?;
        if let Some(share) = self.device_share {
            let reasons: Vec<String> =
                self.redone.0.iter().map(|(name, count)| format!("{name} {count}")).collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!("; redone: {}", reasons.join(", ")) };
            writeln!(f, "device share     {:.1} % of touching mesh pairs{reasons}", 100.0 * share)?;
        }
        if let Some(capture) = &self.gpu_capture {
            writeln!(f, "gpu captures     {capture}")?;
        }
        if let Some(share) = self.height_map_share {
            writeln!(f, "height maps      {:.1} % of touching mesh pairs", 100.0 * share)?;
        }
        for event in &self.gpu_events {
            writeln!(f, "gpu              {event}")?;
        }
        writeln!(f)?;
        for check in &self.checks {
            writeln!(f, "{check}")?;
        }
        Ok(())
    }
}

/// Stage names, indented under what they are part of; the three that run side by side on the workers
/// are sums over these.
fn indented(name: &str) -> String {
    match name {
        "step" => name.into(),
        "detection" | "solver" => format!("  {name}"),
        "midphase" | "narrow" | "contacts" => format!("      {name} Σ"),
        _ => format!("    {name}"),
    }
}
