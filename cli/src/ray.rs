//! `impinge ray`: where rays hit a mesh file.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use impinge::query::RayHit;
use impinge::{Backend, Collider, QueryFilter, Shape, ShapeRay, World};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use serde::Serialize;

use crate::arguments::RayArguments;
use crate::ray_file::{self, RayLine};
use crate::shape_file;

/// Rays answered before their lines are written.
const BATCH: usize = 4096;

#[derive(Serialize)]
struct Line {
    index: usize,
    hit: bool,
    /// In units of the ray's direction.
    time: Option<f64>,
    /// Of the file, in its order; of a height field or level set its number.
    triangle: Option<u32>,
    point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    entering: Option<bool>,
}

/// Answers every ray, one JSON line each, in the order of the file.
pub fn run(arguments: &RayArguments) -> Result<ExitCode> {
    let rays = ray_file::read(&arguments.rays)?;
    let placed = shape_file::load_surface(&arguments.file, &arguments.repair)?;
    let pose = placed.at(&pose(&arguments.pose));
    let surface = placed.shape;
    // Of other shapes triangles have numbers of their own.
    let sources = match &surface {
        Shape::Mesh(mesh) => Some(mesh.source_triangles().to_vec()),
        _ => None,
    };
    let mut world = World::builder().backend(Backend::Cpu).threads(arguments.threads).build()?;
    let shape = world.add_shape(surface)?;
    world.add_collider(Collider::new(shape).pose(pose))?;
    let (queries, all) = (world.shape_queries(), QueryFilter::new());
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (batch, lines) in rays.chunks(BATCH).enumerate() {
        let ray = |line: &RayLine| if arguments.front { line.ray.front_only() } else { line.ray };
        let asked: Vec<ShapeRay> = lines.iter().map(ray).collect();
        let answers = queries.rays(&asked, &all).or_else(|error| {
            // Which of them was it?
            let bad = asked.iter().position(|ray| queries.ray(ray, &all).is_err());
            let line = bad.map_or(0, |bad| lines[bad].line);
            Err(error).with_context(|| format!("{}:{line}", ray_file::name(&arguments.rays)))
        })?;
        for (k, answer) in answers.into_iter().enumerate() {
            writeln!(
                out,
                "{}",
                serde_json::to_string(&line(batch * BATCH + k, answer, sources.as_deref()))?
            )?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The pose of seven numbers; the origin where there are none.
fn pose(numbers: &[f64]) -> Isometry3<f64> {
    let [x, y, z, qw, qx, qy, qz] = *numbers else { return Isometry3::identity() };
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(qw, qx, qy, qz));
    Isometry3::from_parts(Translation3::new(x, y, z), rotation)
}

fn line(index: usize, answer: Option<RayHit>, sources: Option<&[u32]>) -> Line {
    let triangle = answer.and_then(|hit| match sources {
        Some(sources) => sources.get(hit.triangle? as usize).copied(),
        None => hit.triangle,
    });
    Line {
        index,
        hit: answer.is_some(),
        time: answer.map(|hit| hit.time),
        triangle,
        point: answer.map(|hit| hit.point.into()),
        normal: answer.map(|hit| hit.normal.into()),
        entering: answer.map(|hit| hit.entering),
    }
}
