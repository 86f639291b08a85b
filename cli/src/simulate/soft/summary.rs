//! The results of a soft scene: `summary.json` and the lines on standard output.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use impinge_reference::Sheet;
use impinge_scenes::soft::SoftScene;
use nalgebra::Isometry3;
use serde::Serialize;

use super::STAGES;
use crate::arguments::Simulate;
use crate::simulate::check::{Check, Verdict};
use crate::simulate::series::{TimeSummary, Times};
use crate::simulate::{DT, hash};

/// What a run was and how it went. The hash is that of the final places of the vertices.
#[derive(Debug, Serialize)]
pub struct SoftSummary {
    version: &'static str,
    scene: String,
    bodies: usize,
    vertices: usize,
    triangles: usize,
    steps: u32,
    dt: f64,
    hash: String,
    /// What the scene demands.
    checks: Vec<Check>,
    wall_s: f64,
    times: Vec<(&'static str, TimeSummary)>,
    pictures: Vec<PathBuf>,
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct SoftEnded {
    /// Steps taken.
    pub steps: u32,
    /// What the scene demands.
    pub checks: Vec<Check>,
    /// Files of pictures.
    pub pictures: Vec<PathBuf>,
    /// How long it took.
    pub wall: Duration,
}

impl SoftSummary {
    /// The summary of a run.
    pub fn new(
        scene: &SoftScene,
        sheet: &Sheet,
        times: &[(&'static str, Times); STAGES.len()],
        ended: SoftEnded,
    ) -> SoftSummary {
        let SoftEnded { steps, checks, pictures, wall } = ended;
        let places: Vec<_> = sheet.places().iter().map(|p| Isometry3::translation(p.x, p.y, p.z)).collect();
        SoftSummary {
            version: env!("CARGO_PKG_VERSION"),
            scene: scene.name.clone(),
            bodies: scene.movers.len(),
            vertices: places.len(),
            triangles: scene.sheet.triangles().len(),
            steps,
            dt: DT,
            hash: hash::of_poses(&places),
            checks,
            wall_s: wall.as_secs_f64(),
            times: times.iter().map(|(name, times)| (*name, times.summary())).collect(),
            pictures,
        }
    }

    /// Writes `summary.json`, prints the lines or the JSON, and gives the exit status.
    pub fn report(&self, arguments: &Simulate, recording: Option<&Path>) -> Result<ExitCode> {
        let json = serde_json::to_string_pretty(self)?;
        let file = arguments.out.join("summary.json");
        std::fs::write(&file, format!("{json}\n"))
            .with_context(|| format!("{}: the summary cannot be written", file.display()))?;
        let mut out = std::io::stdout().lock();
        if arguments.json {
            writeln!(out, "{json}")?;
        } else {
            write!(out, "{self}")?;
            if let Some(file) = recording {
                writeln!(out, "recorded to {0}: `impinge view {0}` makes a page of it", file.display())?;
            }
        }
        let failed = self.checks.iter().any(|check| check.verdict == Verdict::Fail);
        Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

impl fmt::Display for SoftSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "scene {}: {} bodies, a sheet of {} triangles; {} steps of 1/60 s in {:.1} s\n",
            self.scene, self.bodies, self.triangles, self.steps, self.wall_s,
        )?;
        writeln!(
            f,
            "{:<12}{:>14}{:>12}{:>12}{:>12}",
            "stage", "median (µs)", "p95 (µs)", "max (µs)", "total (s)"
        )?;
        for (name, time) in &self.times {
            let TimeSummary { median_us, p95_us, max_us, total_s, .. } = time;
            writeln!(f, "{name:<12}{median_us:>14.1}{p95_us:>12.1}{max_us:>12.1}{total_s:>12.2}")?;
        }
        writeln!(f, "\nhash         {} (of the final places)\n", self.hash)?;
        self.checks.iter().try_for_each(|check| writeln!(f, "{check}"))?;
        let names: Vec<_> = self.pictures.iter().map(|file| file.display().to_string()).collect();
        writeln!(f, "\nwritten: {}", names.join(", "))
    }
}
