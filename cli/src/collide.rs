//! `impinge collide`: contacts of two mesh files.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use impinge::{Manifold, PairAnswer, PairQuery, QuerySettings, Shape};
use nalgebra::{Isometry3, Vector3};
use serde::Serialize;

use crate::arguments::{Collide, world_on};
use crate::pose_file;

/// Poses answered before their lines are written.
const BATCH: usize = 1024;

#[derive(Serialize)]
struct Line<'a> {
    index: usize,
    touching: bool,
    contained: bool,
    triangle_pairs: Option<u64>,
    volume: Option<f64>,
    manifolds: Vec<ManifoldLine>,
    status: Vec<&'a str>,
}

#[derive(Serialize)]
struct ManifoldLine {
    normal: [f64; 3],
    depth: f64,
    volume: f64,
    area: f64,
    points: Vec<PointLine>,
}

#[derive(Serialize)]
struct PointLine {
    position: [f64; 3],
    depth: f64,
}

/// Answers every pose, one JSON line each, in the order of the file.
pub fn run(arguments: &Collide) -> Result<ExitCode> {
    let poses = match &arguments.poses {
        Some(file) => pose_file::read(file)?,
        None => vec![Isometry3::identity()],
    };
    let mut pool = world_on(arguments.backend, arguments.adapter.as_deref())
        .threads(arguments.threads)
        .image_resolution(arguments.resolution)
        .query_pool()?;
    let [a, b] = [&arguments.a, &arguments.b].map(|file| load(file, arguments));
    let settings =
        QuerySettings::default().resolution(arguments.resolution).count_triangle_pairs(arguments.count);
    let query = PairQuery::new(&a?, &b?, settings)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (batch, poses) in poses.chunks(BATCH).enumerate() {
        let poses: Vec<_> = poses.iter().map(|pose| [Isometry3::identity(), *pose]).collect();
        for (k, answer) in pool.answer(&query, &poses).into_iter().enumerate() {
            writeln!(out, "{}", serde_json::to_string(&line(batch * BATCH + k, &answer?))?)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path, arguments: &Collide) -> Result<Shape> {
    let mesh = arguments.repair.load(file)?;
    Ok(match arguments.one_sided {
        Some(thickness) if !mesh.is_closed() => {
            mesh.one_sided(thickness, Vector3::z()).with_context(|| file.display().to_string())?.into()
        }
        _ => mesh.into(),
    })
}

fn line(index: usize, answer: &PairAnswer) -> Line<'static> {
    Line {
        index,
        touching: answer.touching,
        contained: answer.contained,
        triangle_pairs: answer.triangle_pairs,
        volume: answer.volume,
        manifolds: answer.manifolds.iter().map(manifold_line).collect(),
        status: answer.status.names().collect(),
    }
}

fn manifold_line(manifold: &Manifold) -> ManifoldLine {
    let point = |p: &impinge::ContactPoint| PointLine { position: p.position.into(), depth: p.depth };
    ManifoldLine {
        normal: manifold.normal.into(),
        depth: manifold.depth,
        volume: manifold.volume,
        area: manifold.area,
        points: manifold.points.iter().map(point).collect(),
    }
}
