//! `impinge inspect`: what a mesh file holds and what is wrong with it.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use impinge::TriMesh;
use impinge::geometry::Defect;

use crate::arguments::Inspect;
use crate::output;

/// Defects of a kind that are printed without `--all`.
const SHOWN: usize = 20;

/// Prints what every file holds; a file that cannot be read is named, and the others still printed.
pub fn run(arguments: &Inspect) -> Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut status = ExitCode::SUCCESS;
    for file in &arguments.files {
        match TriMesh::load(file) {
            Ok(mesh) => print(&mut out, file, &mesh, arguments.all)?,
            Err(error) => {
                out.flush()?;
                output::complain(&error.into());
                status = ExitCode::from(2);
            }
        }
    }
    out.flush()?;
    Ok(status)
}

fn print(out: &mut impl Write, file: &Path, mesh: &TriMesh, all: bool) -> std::io::Result<()> {
    let defects = &mesh.report().defects;
    let aabb = mesh.aabb();
    let [low, high] = [aabb.min, aabb.max].map(|[x, y, z]| format!("({x}, {y}, {z})"));
    writeln!(out, "{}", file.display())?;
    writeln!(out, "  surface     {}", if mesh.is_closed() { "closed" } else { "soup: it bounds no volume" })?;
    writeln!(out, "  triangles   {}", mesh.triangles().len())?;
    writeln!(out, "  vertices    {}", mesh.vertices().len())?;
    writeln!(out, "  edges       {}", mesh.edges().len())?;
    writeln!(out, "  components  {}", mesh.components().len())?;
    writeln!(out, "  bounds      {low} to {high} m")?;
    writeln!(out, "  radius      {} m (bounding sphere)", mesh.bounding_sphere().radius)?;
    writeln!(out, "  area        {:.9} m²", area(mesh))?;
    match mesh.mass_properties() {
        Ok(mass) => writeln!(out, "  volume      {:.9} m³", mass.volume)?,
        Err(_) => writeln!(out, "  volume      none")?,
    }
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
        let shown = if all { found.len() } else { found.len().min(SHOWN) };
        for defect in &found[..shown] {
            writeln!(out, "      {defect}{}", place(defect, mesh))?;
        }
        if shown < found.len() {
            writeln!(out, "      … and {} more (--all prints them)", found.len() - shown)?;
        }
    }
    Ok(())
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

/// Where a defect is, as far as its vertices are known: ` at (x, y, z) - (x, y, z)`.
fn place(defect: &Defect, mesh: &TriMesh) -> String {
    let vertices = match defect {
        Defect::Boundary { vertices, .. }
        | Defect::NonManifold { vertices, .. }
        | Defect::Turned { vertices, .. } => vertices,
        _ => return String::new(),
    };
    match vertices.map(|v| mesh.vertices().get(v as usize)) {
        [Some(p), Some(q)] => {
            format!(", at ({}, {}, {}) - ({}, {}, {})", p.x, p.y, p.z, q.x, q.y, q.z)
        }
        _ => String::new(),
    }
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
