//! How the step's cost grows with the number of bodies and with their triangles.

use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ProcessTime;
use impinge_scenes::mesh::Knot;
use impinge_scenes::{Scene, SceneParams};
use serde::Serialize;

use super::contender::Who;
use crate::row::{self, Origin};

/// Bodies in the bin, of seven kinds.
const BODIES: [usize; 4] = [50, 150, 500, 1500];
/// Triangles of each of 150 knots.
const TRIANGLES: [u32; 5] = [500, 2_000, 5_000, 20_000, 50_000];

/// A heap of a size.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthRow {
    pub suite: &'static str,
    pub by: &'static str,
    pub bodies: usize,
    /// Of a body, mean.
    pub triangles: usize,
    pub threads: usize,
    pub steps: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    /// On the processor, of all threads: mean.
    pub cpu_us: f64,
    pub commit: String,
    /// Seconds since 1970.
    pub date: u64,
    pub machine: String,
}

/// Drops heaps of rising sizes; nobody sleeps. `out` gets each row.
pub fn growth(
    threads: usize,
    steps: usize,
    origin: &Origin,
    out: &mut impl FnMut(&GrowthRow),
) -> anyhow::Result<Vec<GrowthRow>> {
    let mut rows = Vec::new();
    let mut add = |by, scene: Scene| -> anyhow::Result<()> {
        let row = measured(by, &scene, threads, steps, origin)?;
        out(&row);
        rows.push(row);
        Ok(())
    };
    for bodies in BODIES {
        let params = SceneParams { bodies: Some(bodies), ..SceneParams::default() };
        add("bodies", impinge_scenes::scene("bin", &params)?)?;
    }
    let folder = std::env::temp_dir().join(format!("impinge-growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for triangles in TRIANGLES {
        let file: PathBuf = folder.join(format!("knot-{triangles}.obj"));
        knot(triangles)?.save(&file)?;
        let params = SceneParams { meshes: vec![file], ..SceneParams::default() };
        add("triangles", impinge_scenes::scene("bin", &params)?)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(rows)
}

/// A trefoil of about as many triangles.
fn knot(triangles: u32) -> anyhow::Result<impinge_geometry::TriMesh> {
    let across = (f64::from(triangles) / 17.0).sqrt().round() as u32;
    Ok(Knot { along: triangles / (2 * across), across, ..Knot::default() }.mesh()?)
}

fn measured(
    by: &'static str,
    scene: &Scene,
    threads: usize,
    steps: usize,
    origin: &Origin,
) -> anyhow::Result<GrowthRow> {
    let mut contender = Who::Impinge.make(scene, threads, false)?;
    let (mut times, mut cpu) = (Vec::with_capacity(steps), ProcessTime::now());
    for step in 0..steps {
        if step == steps / 2 {
            cpu = ProcessTime::now();
        }
        let start = Instant::now();
        contender.step()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let cpu_us = cpu.elapsed().as_secs_f64() * 1e6 / (steps - steps / 2) as f64;
    // The second half: the heap has formed.
    let [mean_us, median_us, p99_us, _] = row::summary(&times[steps / 2..]);
    let bodies = scene.moving();
    let fixed: usize = scene.bodies.iter().filter(|b| b.fixed).count();
    Ok(GrowthRow {
        suite: "growth",
        by,
        bodies,
        // The bin has a few dozen triangles.
        triangles: scene.triangles() / (bodies + fixed).max(1),
        threads,
        steps,
        mean_us,
        median_us,
        p99_us,
        cpu_us,
        commit: origin.commit.clone(),
        date: origin.date,
        machine: origin.machine.clone(),
    })
}

/// The rows as a table; in brackets by which power the cost has grown since the row before.
pub fn table(rows: &[GrowthRow]) -> String {
    let mut table = String::from(
        "| grows | bodies | triangles of a body | CPU per step (ms) | mean step (ms) | median (ms) | p99 (ms) |\n|---|---|---|---|---|---|---|\n",
    );
    let mut before: Option<&GrowthRow> = None;
    for r in rows {
        let power = before.filter(|b| b.by == r.by).map(|b| {
            let size = |r: &GrowthRow| if r.by == "bodies" { r.bodies } else { r.triangles } as f64;
            (r.cpu_us / b.cpu_us).ln() / (size(r) / size(b)).ln()
        });
        let power = power.map(|p| format!(" (n^{p:.2})")).unwrap_or_default();
        table += &format!(
            "| {} | {} | {} | {:.2}{power} | {:.2} | {:.2} | {:.2} |\n",
            r.by,
            r.bodies,
            r.triangles,
            1e-3 * r.cpu_us,
            1e-3 * r.mean_us,
            1e-3 * r.median_us,
            1e-3 * r.p99_us
        );
        before = Some(r);
    }
    table
}
