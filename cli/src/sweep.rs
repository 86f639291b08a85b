//! `impinge sweep` and `impinge cast`: when two mesh files first meet, one of them moving.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::Result;
use impinge::query::QueryScratch;
use impinge::{Motion, PairQuery, PairSweep, QuerySettings};
use nalgebra::Isometry3;
use serde::Serialize;

use crate::arguments::Sweep;
use crate::shape_file::Placed;
use crate::{pose_file, shape_file};

#[derive(Serialize)]
struct Line {
    index: usize,
    impact: bool,
    /// `free`, `touching` (at the start) or `impact`.
    state: &'static str,
    time: Option<f64>,
    gap: Option<f64>,
    normal: Option<[f64; 3]>,
    on_a: Option<[f64; 3]>,
    on_b: Option<[f64; 3]>,
    triangles: Option<[Option<u32>; 2]>,
}

/// Sweeps B along every motion of a file, one JSON line each, in their order.
pub fn sweep(arguments: &Sweep) -> Result<ExitCode> {
    let motions = pose_file::read_motions(&arguments.poses)?;
    answer(arguments, &motions, |b, [from, to]| Motion::between(b.at(from), b.at(to)))
}

/// Casts B from every pose of a file along its way, one JSON line each, in their order.
pub fn cast(arguments: &Sweep) -> Result<ExitCode> {
    let casts = pose_file::read_casts(&arguments.poses)?;
    answer(arguments, &casts, |b, (from, way)| Motion::translation(b.at(from), *way))
}

/// Answers each line of a file; `motion` makes it a motion of B's shape.
fn answer<T>(arguments: &Sweep, lines: &[T], motion: impl Fn(&Placed, &T) -> Motion) -> Result<ExitCode> {
    let [a, b] = [&arguments.a, &arguments.b].map(|file| shape_file::load_surface(file, &arguments.repair));
    let (a, b) = (a?, b?);
    let query = PairQuery::new(&a.shape, &b.shape, QuerySettings::default())?;
    let still = Motion::still(a.at(&Isometry3::identity()));
    let mut scratch = QueryScratch::default();
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (index, asked) in lines.iter().enumerate() {
        let found = query.sweep_with(&still, &motion(&b, asked), arguments.gap, &mut scratch)?;
        writeln!(out, "{}", serde_json::to_string(&line(index, &found))?)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn line(index: usize, found: &PairSweep) -> Line {
    let impact = found.impact();
    let state = match found {
        PairSweep::Free => "free",
        PairSweep::AtStart { .. } => "touching",
        PairSweep::Impact(_) => "impact",
    };
    Line {
        index,
        impact: found.time().is_some(),
        state,
        time: found.time(),
        gap: impact.map(|impact| impact.gap),
        normal: impact.map(|impact| impact.normal.into()),
        on_a: impact.map(|impact| impact.on_a.into()),
        on_b: impact.map(|impact| impact.on_b.into()),
        triangles: impact.map(|impact| impact.triangles),
    }
}
