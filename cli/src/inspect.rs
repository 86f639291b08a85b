//! `impinge inspect`: what a file holds: a mesh and what is wrong with it, or any shape as data.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use impinge::geometry::Defect;
use impinge::{Shape, TriMesh};
use nalgebra::Vector3;
use serde::Serialize;

use crate::arguments::Inspect;
use crate::shape_file::Placed;
use crate::{output, shape_file, shape_report};

/// Defects of a kind that are printed without `--all`.
const SHOWN: usize = 20;

/// Prints what every file holds; a file that cannot be read is named, and the others still printed.
pub fn run(arguments: &Inspect) -> Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut status = ExitCode::SUCCESS;
    for file in &arguments.files {
        match shape_file::load(file, &arguments.repair) {
            Ok(Placed { shape: Shape::Mesh(mesh), origin }) if arguments.json => {
                writeln!(out, "{}", serde_json::to_string(&json(file, &mesh, &origin))?)?;
            }
            Ok(Placed { shape: Shape::Mesh(mesh), origin }) => {
                print(&mut out, file, (&mesh, &origin), arguments.all)?;
            }
            Ok(Placed { shape, .. }) if arguments.json => {
                writeln!(out, "{}", serde_json::to_string(&shape_report::line(file, &shape))?)?;
            }
            Ok(Placed { shape, .. }) => shape_report::print(&mut out, file, &shape)?,
            Err(error) => {
                out.flush()?;
                output::complain(&error);
                status = ExitCode::from(2);
            }
        }
    }
    out.flush()?;
    Ok(status)
}

fn print(
    out: &mut impl Write,
    file: &Path,
    (mesh, origin): (&TriMesh, &Vector3<f64>),
    all: bool,
) -> std::io::Result<()> {
    let defects = &mesh.report().defects;
    let aabb = mesh.aabb();
    let [low, high] =
        [aabb.min, aabb.max].map(|p| in_file(p, origin)).map(|[x, y, z]| format!("({x}, {y}, {z})"));
    writeln!(out, "{}", file.display())?;
    writeln!(out, "  surface     {}", if mesh.is_closed() { "closed" } else { "soup: it bounds no volume" })?;
    writeln!(out, "  triangles   {}", mesh.triangles().len())?;
    writeln!(out, "  vertices    {}", mesh.vertices().len())?;
    writeln!(out, "  edges       {}", mesh.edges().len())?;
    writeln!(out, "  components  {}", mesh.components().len())?;
    writeln!(out, "  bounds      {low} to {high} m")?;
    if *origin != Vector3::zeros() {
        let [x, y, z] = <[f64; 3]>::from(*origin);
        let rounding = mesh.repairs().rounding;
        writeln!(
            out,
            "  origin      ({x}, {y}, {z}) m is taken off; f32 then rounds by at most {rounding:.1e} m"
        )?;
    }
    if let Some(warning) = coarse(mesh) {
        writeln!(out, "  warning     {warning}")?;
    }
    writeln!(out, "  radius      {} m (bounding sphere)", mesh.bounding_sphere().radius)?;
    writeln!(out, "  area        {:.9} m²", area(mesh))?;
    match mesh.mass_properties() {
        Ok(mass) => writeln!(out, "  volume      {:.9} m³", mass.volume)?,
        Err(_) => writeln!(out, "  volume      none")?,
    }
    print_repairs(out, mesh, all)?;
    if defects.is_empty() {
        return writeln!(out, "  defects     none");
    }
    writeln!(out, "  defects     {}", defects.len())?;
    for kind in KINDS {
        let found: Vec<&Defect> = defects.iter().filter(|d| (kind.is)(d)).collect();
        if found.is_empty() {
            continue;
        }
        writeln!(out, "    {} {}", found.len(), if found.len() == 1 { kind.one } else { kind.many })?;
        let lines: Vec<String> = found.iter().map(|d| format!("{d}{}", place(d, mesh, origin))).collect();
        print_some(out, &lines, all)?;
    }
    Ok(())
}

/// What was done to close the surface, and its holes.
fn print_repairs(out: &mut impl Write, mesh: &TriMesh, all: bool) -> std::io::Result<()> {
    let repairs = mesh.repairs();
    if repairs.is_empty() {
        return writeln!(out, "  repairs     none");
    }
    writeln!(
        out,
        "  repairs     {}; nothing moved farther than {:.1e} m",
        repairs.done.len(),
        repairs.moved
    )?;
    if let Some(step) = repairs.decimal {
        writeln!(out, "    closed by the decimals of the file, which end at {step:.0e} m")?;
    }
    let done: Vec<String> = repairs.done.iter().map(ToString::to_string).collect();
    print_some(out, &done, all)?;
    let holes: Vec<String> = repairs.holes.iter().map(ToString::to_string).collect();
    if !holes.is_empty() {
        let what = if mesh.is_closed() { "closed with virtual faces" } else { "left open (--close-holes)" };
        writeln!(out, "  holes       {}, {what}", holes.len())?;
        print_some(out, &holes, all)?;
    }
    Ok(())
}

/// The lines, the first few unless all are asked for.
fn print_some(out: &mut impl Write, lines: &[String], all: bool) -> std::io::Result<()> {
    let shown = if all { lines.len() } else { lines.len().min(SHOWN) };
    for line in &lines[..shown] {
        writeln!(out, "      {line}")?;
    }
    if shown < lines.len() {
        writeln!(out, "      … and {} more (--all prints them)", lines.len() - shown)?;
    }
    Ok(())
}

/// A line of `--json`. Lengths are in metres.
#[derive(Serialize)]
struct Line {
    file: String,
    closed: bool,
    /// m³; none for a soup.
    volume: Option<f64>,
    area: f64,
    triangles: usize,
    virtual_triangles: usize,
    vertices: usize,
    edges: usize,
    components: usize,
    /// In the file's frame.
    min: [f64; 3],
    max: [f64; 3],
    /// The origin that was taken off the file's coordinates.
    origin: [f64; 3],
    /// The most that a coordinate moved when it became f32.
    rounding: f64,
    warning: Option<String>,
    repairs: Vec<String>,
    moved: f64,
    /// The last decimal of a text file (m), if the surface closes by it and not without it.
    decimal: Option<f64>,
    holes: Vec<HoleLine>,
    defects: Vec<String>,
}

#[derive(Serialize)]
struct HoleLine {
    at: [f64; 3],
    edges: u32,
    size: f64,
    part: f64,
    closed: bool,
}

fn json(file: &Path, mesh: &TriMesh, origin: &Vector3<f64>) -> Line {
    let repairs = mesh.repairs();
    let hole = |hole: &impinge::geometry::Hole| HoleLine {
        at: in_file(mesh.vertices()[hole.vertex as usize].into(), origin),
        edges: hole.edges,
        size: hole.size,
        part: hole.part,
        closed: mesh.is_closed(),
    };
    Line {
        file: file.display().to_string(),
        closed: mesh.is_closed(),
        volume: mesh.mass_properties().ok().map(|mass| mass.volume),
        area: area(mesh),
        triangles: mesh.triangles().len(),
        virtual_triangles: (0..mesh.triangles().len() as u32).filter(|&t| mesh.is_virtual(t)).count(),
        vertices: mesh.vertices().len(),
        edges: mesh.edges().len(),
        components: mesh.components().len(),
        min: in_file(mesh.aabb().min, origin),
        max: in_file(mesh.aabb().max, origin),
        origin: (*origin).into(),
        rounding: repairs.rounding,
        warning: coarse(mesh),
        repairs: repairs.done.iter().map(ToString::to_string).collect(),
        moved: repairs.moved,
        decimal: repairs.decimal,
        holes: repairs.holes.iter().map(hole).collect(),
        defects: mesh.report().defects.iter().map(ToString::to_string).collect(),
    }
}

/// A kind of defect and its name.
struct Kind {
    one: &'static str,
    many: &'static str,
    is: fn(&Defect) -> bool,
}

const KINDS: [Kind; 9] = [
    Kind {
        one: "degenerate triangle",
        many: "degenerate triangles",
        is: |d| matches!(d, Defect::Degenerate { .. }),
    },
    Kind {
        one: "duplicate triangle",
        many: "duplicate triangles",
        is: |d| matches!(d, Defect::Duplicate { .. }),
    },
    Kind { one: "boundary edge", many: "boundary edges", is: |d| matches!(d, Defect::Boundary { .. }) },
    Kind {
        one: "non-manifold edge",
        many: "non-manifold edges",
        is: |d| matches!(d, Defect::NonManifold { .. }),
    },
    Kind { one: "turned face", many: "turned faces", is: |d| matches!(d, Defect::Turned { .. }) },
    Kind { one: "inside-out surface", many: "inside-out surfaces", is: |d| matches!(d, Defect::InsideOut) },
    Kind { one: "cut triangle", many: "cut triangles", is: |d| matches!(d, Defect::Cut { .. }) },
    Kind {
        one: "inside-out shell",
        many: "inside-out shells",
        is: |d| matches!(d, Defect::InsideOutShell { .. }),
    },
    Kind { one: "other", many: "others", is: |d| !KINDS.iter().take(8).any(|kind| (kind.is)(d)) },
];

/// Returns the place of a defect, as far as its vertices are known: ` at (x, y, z) - (x, y, z)`.
fn place(defect: &Defect, mesh: &TriMesh, origin: &Vector3<f64>) -> String {
    let vertices = match defect {
        Defect::Boundary { vertices, .. }
        | Defect::NonManifold { vertices, .. }
        | Defect::Turned { vertices, .. } => vertices,
        _ => return String::new(),
    };
    match vertices.map(|v| mesh.vertices().get(v as usize)) {
        [Some(p), Some(q)] => {
            let [p, q] = [p, q].map(|p| in_file((*p).into(), origin));
            format!(", at ({}, {}, {}) - ({}, {}, {})", p[0], p[1], p[2], q[0], q[1], q[2])
        }
        _ => String::new(),
    }
}

/// Returns a place of the mesh in its file's frame, each coordinate with as many digits as it has.
fn in_file(place: [f32; 3], origin: &Vector3<f64>) -> [f64; 3] {
    std::array::from_fn(|k| {
        let shortest: f64 = place[k].to_string().parse().unwrap_or(f64::from(place[k]));
        if origin[k] == 0.0 { shortest } else { origin[k] + shortest }
    })
}

/// Coordinates of `f32` farther apart than this part of the mesh's size are worth a warning.
const COARSE: f64 = 1e-5;

/// Returns a warning where the mesh's coordinates are coarse for its size.
fn coarse(mesh: &TriMesh) -> Option<String> {
    let aabb = mesh.aabb();
    let largest = aabb.min.iter().chain(&aabb.max).fold(0.0f32, |most, x| most.max(x.abs()));
    let [low, high] = [aabb.min, aabb.max].map(|p| nalgebra::Point3::from(p).cast::<f64>());
    let (step, size) = (f64::from(largest.next_up() - largest), (high - low).norm());
    (step > COARSE * size).then(|| {
        format!(
            "the coordinates are {step:.1e} m apart, {:.1e} of the size, as f32 has them; write the file nearer to its origin, or as text",
            step / size
        )
    })
}

/// Area of the surface (m²).
fn area(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles().len() as u32)
        .map(|t| {
            let [a, b, c] = mesh.corners(t).map(|p| p.cast::<f64>());
            0.5 * (b - a).cross(&(c - a)).norm()
        })
        .sum()
}
