//! Shapes whose triangles are computed: what a height field costs beside the mesh of the same triangles and parry's height field, and how
//! its cost grows with its size; and what a level set costs beside its mesh. And primitives on meshes.
//!
//! The ground repeats itself every 64 cells, and bodies stand over the same cells of it, so that fields of all sizes have the same answers. At
//! every pose all contenders of all scenes take their turns, on one thread and warm. Longer times are of the processor.

mod edit;
mod edits;
mod field;
mod levels;
mod particles;
mod round;

use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;

use crate::row::{Origin, summary};

/// From this on (µs) a time is the process's own: the longer a call, the likelier another process had a share of it. Asking for that clock costs
/// too much beside shorter calls.
const FROM_CPU_US: f64 = 100.0;

/// A watch that leaves out what other processes took of longer times.
struct Watch {
    cpu: ProcessTime,
    wall: Instant,
}

impl Watch {
    fn start() -> Watch {
        Watch { cpu: ProcessTime::now(), wall: Instant::now() }
    }

    fn micros(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64() * 1e6;
        if wall < FROM_CPU_US { wall } else { self.cpu.elapsed().as_secs_f64() * 1e6 }
    }
}

/// What to run.
pub struct Choice<'c> {
    pub scene: Option<&'c str>,
    pub who: &'c [String],
    /// Poses, or edits.
    pub count: usize,
}

/// One contender at one question in a scene.
#[derive(Clone, Debug, Serialize)]
pub struct ShapeRow {
    pub suite: &'static str,
    pub scene: String,
    pub query: &'static str,
    pub who: &'static str,
    pub threads: usize,
    /// Times of a question (µs).
    pub mean_us: f64,
    pub median_us: f64,
    pub max_us: f64,
    /// Poses at which it touches, points of contacts, or samples.
    pub work: u64,
    /// Bytes held, and the time that it took to make (ms).
    pub bytes: usize,
    pub build_ms: f64,
    /// Who it is measured by, and its median over that one's.
    pub beside: String,
    pub over: f64,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// What a contender did.
pub struct Measured {
    pub scene: String,
    pub query: &'static str,
    pub who: &'static str,
    pub times: Vec<f64>,
    pub work: u64,
    pub bytes: usize,
    pub build_ms: f64,
    /// Scene and contender that it is measured by.
    pub beside: (String, &'static str),
}

/// Runs the scenes `field-64` … `field-8192`, `field-edit`, `level-set-128`, `particles-50k`, `edits` (`edits-field-4096`, `edits-levels-128`, `edits-mesh-81920`),
/// `round-box`, `round-torus` and `round-bowl`.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&ShapeRow),
) -> anyhow::Result<Vec<ShapeRow>> {
    let mut all = field::run(choice)?;
    if choice.scene.is_none_or(|scene| scene == "field-edit") {
        all.push(edit::run(choice)?);
    }
    all.extend(levels::run(choice)?);
    all.extend(particles::run(choice)?);
    all.extend(edits::run(choice)?);
    all.extend(round::run(choice)?);
    let medians: Vec<f64> = all.iter().map(|own| summary(&own.times)[1]).collect();
    let beside = |own: &Measured| {
        let other = all.iter().position(|other| {
            other.query == own.query && other.scene == own.beside.0 && other.who == own.beside.1
        });
        other.map(|other| medians[other])
    };
    let rows: Vec<ShapeRow> = all
        .iter()
        .map(|own| {
            let [mean_us, median_us, _, max_us] = summary(&own.times);
            ShapeRow {
                suite: "shapes",
                scene: own.scene.clone(),
                query: own.query,
                who: own.who,
                threads: 1,
                mean_us,
                median_us,
                max_us,
                work: own.work,
                bytes: own.bytes,
                build_ms: own.build_ms,
                beside: format!("{} {}", own.beside.0, own.beside.1),
                over: beside(own).map_or(f64::NAN, |median| median_us / median),
                commit: origin.commit.clone(),
                date: origin.date,
                machine: origin.machine.clone(),
            }
        })
        .collect();
    rows.iter().for_each(&mut *out);
    Ok(rows)
}

/// One row in words.
pub fn print(row: &ShapeRow) {
    println!(
        "{:13} {:10} {:12} mean {:9.2}  median {:9.2}  max {:9.2} us  found {:7}  {:8.2} MB, made in {:8.2} ms; {:.3} of {}",
        row.scene,
        row.query,
        row.who,
        row.mean_us,
        row.median_us,
        row.max_us,
        row.work,
        row.bytes as f64 * 1e-6,
        row.build_ms,
        row.over,
        row.beside
    );
}
