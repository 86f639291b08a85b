//! `impinge collide`: contacts of two mesh files.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use impinge::{Manifold, PairAnswer, PairQuery, QueryPool, QuerySettings, Shape};
use nalgebra::{Isometry3, Point3, Vector3};
use serde::Serialize;

use crate::arguments::{Collide, world_on};
use crate::shape_file::Placed;
use crate::{pose_file, shape_file};

/// Poses answered before their lines are written.
const BATCH: usize = 1024;

#[derive(Serialize)]
struct Line<'a> {
    index: usize,
    touching: bool,
    contained: bool,
    triangle_pairs: Option<u64>,
    volume: Option<f64>,
    /// The volume is off by no more (m³); none where no bound is known.
    volume_error: Option<f64>,
    force: [f64; 3],
    moment: [f64; 3],
    manifolds: Vec<ManifoldLine>,
    status: Vec<&'a str>,
}

#[derive(Serialize)]
struct TouchingLine {
    index: usize,
    touching: bool,
}

#[derive(Serialize)]
struct ManifoldLine {
    normal: [f64; 3],
    depth: f64,
    volume: f64,
    /// Of the pair's volume.
    volume_error: Option<f64>,
    area: f64,
    /// G (m²), and τ about the world's origin (m³).
    force: [f64; 3],
    moment: [f64; 3],
    points: Vec<PointLine>,
}

#[derive(Serialize)]
struct PointLine {
    position: [f64; 3],
    normal: [f64; 3],
    depth: f64,
    weight: f64,
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
    let settings = QuerySettings::default()
        .resolution(arguments.resolution)
        .count_triangle_pairs(arguments.count)
        .narrow_method(arguments.method);
    let (a, b) = (a?, b?);
    let query = PairQuery::new(&a.shape, &b.shape, settings)?;
    let at_poses = |poses: &[Isometry3<f64>]| -> Vec<[Isometry3<f64>; 2]> {
        poses.iter().map(|pose| [a.at(&Isometry3::identity()), b.at(pose)]).collect()
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.touching {
        return touching(&query, &at_poses(&poses), &pool, &mut out);
    }
    for (batch, poses) in poses.chunks(BATCH).enumerate() {
        let poses = at_poses(poses);
        let answers = pool.answer(&query, &poses).into_iter().collect::<Result<Vec<_>, _>>()?;
        let overlapping = answers.iter().zip(&poses).filter(|(answer, _)| has_volume(answer));
        let overlapping: Vec<_> = overlapping.map(|(_, poses)| *poses).collect();
        let mut shared = pool.intersection_volumes(&query, &overlapping).into_iter();
        for (k, answer) in answers.iter().enumerate() {
            let bound = match (answer.volume, has_volume(answer)) {
                (Some(_), true) => shared.next().transpose()?.flatten().map(|shared| shared.error),
                (volume, _) => volume.map(|_| 0.0),
            };
            let bound = bound.filter(|error| error.is_finite());
            writeln!(out, "{}", serde_json::to_string(&line(batch * BATCH + k, answer, bound))?)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// One short line for each pose.
fn touching(
    query: &PairQuery,
    poses: &[[Isometry3<f64>; 2]],
    pool: &QueryPool,
    out: &mut impl Write,
) -> Result<ExitCode> {
    for (batch, poses) in poses.chunks(BATCH).enumerate() {
        for (k, touching) in pool.touching(query, poses).into_iter().enumerate() {
            let line = TouchingLine { index: batch * BATCH + k, touching: touching? };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn load(file: &Path, arguments: &Collide) -> Result<Placed> {
    let mut placed = shape_file::load_surface(file, &arguments.repair)?;
    if let (Some(thickness), Shape::Mesh(mesh)) = (arguments.one_sided, &placed.shape)
        && !mesh.is_closed()
    {
        let closed = mesh.one_sided(thickness, Vector3::z()).with_context(|| file.display().to_string())?;
        placed.shape = closed.into();
    }
    Ok(placed)
}

/// Whether there is a volume of which the error is to be found.
fn has_volume(answer: &PairAnswer) -> bool {
    answer.touching && answer.volume.is_some()
}

fn line(index: usize, answer: &PairAnswer, volume_error: Option<f64>) -> Line<'static> {
    Line {
        index,
        touching: answer.touching,
        contained: answer.contained,
        triangle_pairs: answer.triangle_pairs,
        volume: answer.volume,
        volume_error,
        force: answer.force.into(),
        moment: answer.moment.into(),
        manifolds: answer.manifolds.iter().map(|manifold| manifold_line(manifold, volume_error)).collect(),
        status: answer.status.names().collect(),
    }
}

fn manifold_line(manifold: &Manifold, volume_error: Option<f64>) -> ManifoldLine {
    let point = |p: &impinge::ContactPoint| PointLine {
        position: p.position.into(),
        normal: manifold.normal_at(p).into(),
        depth: p.depth,
        weight: p.weight,
    };
    ManifoldLine {
        normal: manifold.normal.into(),
        depth: manifold.depth,
        volume: manifold.volume,
        volume_error,
        area: manifold.area,
        force: manifold.force.into(),
        moment: manifold.moment_about(&Point3::origin()).into(),
        points: manifold.points.iter().map(point).collect(),
    }
}
