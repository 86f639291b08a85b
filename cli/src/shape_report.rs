//! What a shape that is no mesh file is, for `inspect`.

use std::io::Write;
use std::path::Path;

use impinge::{Shape, geometry::Radii};
use serde::Serialize;

use crate::replay::kind;

/// A line of `--json`. Lengths are in metres.
#[derive(Serialize)]
pub struct ShapeLine {
    file: String,
    kind: &'static str,
    /// m³; none where there is no end, or no inside.
    volume: Option<f64>,
    center: Option<[f64; 3]>,
    min: [Option<f32>; 3],
    max: [Option<f32>; 3],
    radius: Option<f32>,
    /// What there is of it: samples, triangles, particles, children.
    counts: Vec<(&'static str, u64)>,
    /// From sample to sample.
    spacing: Vec<f32>,
    /// Of samples or radii, least and greatest.
    range: Option<[f32; 2]>,
    children: Vec<String>,
}

/// Everything that is told of a shape.
pub fn line(file: &Path, shape: &Shape) -> ShapeLine {
    // No format of numbers has an end for half-spaces.
    let finite = |corner: [f32; 3]| corner.map(|x| Some(x).filter(|x| x.is_finite()));
    let (aabb, mass) = (shape.aabb(), shape.mass_properties().ok());
    let radius = shape.bounding_sphere().radius;
    ShapeLine {
        file: file.display().to_string(),
        kind: kind(shape),
        volume: mass.map(|mass| mass.volume),
        center: mass.map(|mass| mass.center.into()),
        min: finite(aabb.min),
        max: finite(aabb.max),
        radius: Some(radius).filter(|r| r.is_finite()),
        counts: counts(shape),
        spacing: match shape {
            Shape::Field(field) => field.spacing().to_vec(),
            Shape::Levels(levels) => levels.spacing().to_vec(),
            _ => Vec::new(),
        },
        range: range(shape),
        children: match shape {
            Shape::Composite(composite) => {
                let named = composite.children().iter().zip(composite.names());
                named.map(|((_, child), name)| format!("{name} {}", kind(child)).trim().to_owned()).collect()
            }
            _ => Vec::new(),
        },
    }
}

fn counts(shape: &Shape) -> Vec<(&'static str, u64)> {
    match shape {
        Shape::Hull(hull) => {
            let mesh = hull.mesh();
            vec![("triangles", mesh.triangles().len() as u64), ("vertices", mesh.vertices().len() as u64)]
        }
        Shape::Mesh(mesh) => vec![
            ("triangles", mesh.triangles().len() as u64),
            ("vertices", mesh.vertices().len() as u64),
            ("triangles taken out", u64::from(mesh.removed_triangles())),
        ],
        Shape::Field(field) => {
            let cells = field.size().map(|n| n - 1);
            let missing = (0..cells[1]).flat_map(|j| (0..cells[0]).map(move |i| [i, j]));
            let missing = missing.flat_map(|at| [0, 1].map(|k| !field.has_triangle_at(at, k)));
            vec![
                ("samples along x", u64::from(field.size()[0])),
                ("samples along y", u64::from(field.size()[1])),
                ("triangles missing", missing.filter(|&missing| missing).count() as u64),
            ]
        }
        Shape::Levels(levels) => {
            let [x, y, z] = levels.size().map(u64::from);
            let triangles = levels.to_mesh().map_or(0, |own| own.mesh.triangles().len() as u64);
            vec![
                ("samples along x", x),
                ("samples along y", y),
                ("samples along z", z),
                ("triangles", triangles),
                ("bytes", levels.bytes() as u64),
            ]
        }
        Shape::Particles(particles) => vec![("particles", particles.len() as u64)],
        Shape::Composite(composite) => vec![("children", composite.children().len() as u64)],
        _ => Vec::new(),
    }
}

/// Least and greatest of some numbers, NaN passed over.
fn span(numbers: impl Iterator<Item = f32>) -> Option<[f32; 2]> {
    let [low, high] =
        numbers.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    (low <= high).then_some([low, high])
}

fn range(shape: &Shape) -> Option<[f32; 2]> {
    match shape {
        Shape::Field(field) => {
            let [x, y] = field.size();
            span((0..y).flat_map(|j| (0..x).map(move |i| [i, j])).map(|at| field.height(at)))
        }
        Shape::Levels(levels) => {
            let [x, y, z] = levels.size();
            let all = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
            span(all.map(|at| levels.value(at)))
        }
        Shape::Particles(particles) => match particles.radii() {
            Radii::One(radius) => Some([*radius; 2]),
            Radii::Each(radii) => span(radii.iter().copied()),
        },
        _ => None,
    }
}

/// Prints it.
pub fn print(out: &mut impl Write, file: &Path, shape: &Shape) -> std::io::Result<()> {
    let line = line(file, shape);
    let corner = |corner: [Option<f32>; 3]| {
        let [x, y, z] = corner.map(|x| x.map_or_else(|| "endless".to_owned(), |x| x.to_string()));
        format!("({x}, {y}, {z})")
    };
    writeln!(out, "{}", line.file)?;
    writeln!(out, "  kind        {}", line.kind)?;
    for (what, count) in &line.counts {
        writeln!(out, "  {what:<11} {count}")?;
    }
    if !line.spacing.is_empty() {
        let spacing: Vec<_> = line.spacing.iter().map(f32::to_string).collect();
        writeln!(out, "  spacing     {} m", spacing.join(", "))?;
    }
    if let Some([low, high]) = line.range {
        let what = if matches!(shape, Shape::Particles(_)) { "radii" } else { "values" };
        writeln!(out, "  {what:<11} {low} to {high}")?;
    }
    writeln!(out, "  bounds      {} to {} m", corner(line.min), corner(line.max))?;
    match line.radius {
        Some(radius) => writeln!(out, "  radius      {radius} m (bounding sphere)")?,
        None => writeln!(out, "  radius      endless")?,
    }
    match (line.volume, line.center) {
        (Some(volume), Some([x, y, z])) => {
            writeln!(out, "  volume      {volume:.9} m³")?;
            writeln!(out, "  centre      ({x:.9}, {y:.9}, {z:.9}) m")?;
        }
        _ => writeln!(out, "  volume      none")?,
    }
    for child in &line.children {
        writeln!(out, "    {child}")?;
    }
    Ok(())
}
