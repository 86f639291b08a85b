//! Wavefront OBJ: places and faces, read by `tobj`.

use std::borrow::Cow;
use std::io::{Cursor, Write};

use nalgebra::Point3;

use super::polygon::triangulate;
use crate::TriMesh;
use crate::mesh::Arrays;

/// Reads the `v` and `f` lines. Everything else is taken out before `tobj` sees it: it costs time, and
/// files with odd texture indices or comments that are not UTF-8 have good meshes too.
pub(super) fn read(bytes: &[u8]) -> Result<Arrays, String> {
    let mut text = String::with_capacity(bytes.len());
    for (_, line) in lines(bytes) {
        push_bare(&line, &mut text);
        text.push('\n');
    }
    let options =
        tobj::LoadOptions { triangulate: false, single_index: true, ignore_points: true, ignore_lines: true };
    let no_materials = |_: &std::path::Path| Err(tobj::LoadError::GenericFailure);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(text), &options, no_materials)
        .map_err(|error| first_fault(bytes).unwrap_or_else(|| error.to_string()))?;
    let mut all: Arrays = Default::default();
    for model in &models {
        append(&model.mesh, &mut all)?;
    }
    if all.1.is_empty() {
        return Err(first_fault(bytes).unwrap_or_else(|| {
            "there are no faces (lines that begin with `f` and name three vertices)".into()
        }));
    }
    Ok(all)
}

fn append(mesh: &tobj::Mesh, (vertices, triangles): &mut Arrays) -> Result<(), String> {
    let base = u32::try_from(vertices.len()).map_err(|_| "more than 2^32 vertices".to_string())?;
    vertices.extend(mesh.positions.chunks_exact(3).map(|p| Point3::new(p[0], p[1], p[2])));
    let mut polygons = mesh.indices.as_slice();
    let arities = mesh.face_arities.iter().map(|&n| n as usize);
    let all_triangles =
        std::iter::repeat_n(3, if mesh.face_arities.is_empty() { polygons.len() / 3 } else { 0 });
    for corners in arities.chain(all_triangles) {
        let (polygon, rest) = polygons.split_at_checked(corners).ok_or("a face is cut off")?;
        polygons = rest;
        let polygon: Vec<u32> = polygon.iter().map(|v| v + base).collect();
        triangulate(vertices, &polygon, triangles);
    }
    Ok(())
}

/// The lines for places and faces, each with its number in the file, counted from 1; a line that ends
/// in a backslash goes on in the next one.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut raw = bytes.split(|&b| b == b'\n').map(String::from_utf8_lossy).enumerate();
    std::iter::from_fn(move || {
        let (index, mut line) = raw.next()?;
        while let Some(begun) = line.trim_end().strip_suffix('\\') {
            let length = begun.len();
            let whole = line.to_mut();
            whole.truncate(length);
            whole.push(' ');
            whole.push_str(&raw.next().map(|(_, next)| next).unwrap_or_default());
        }
        Some((index + 1, line))
    })
    .filter(|(_, line)| matches!(line.split_whitespace().next(), Some("v" | "f")))
}

/// Adds the line without what a mesh has no use for: colours after a place, texture and normal indices
/// of a face, comments.
fn push_bare(line: &str, text: &mut String) {
    let line = line.split('#').next().unwrap_or_default();
    let is_face = line.trim_start().starts_with('f');
    // Four numbers of a place are homogeneous coordinates.
    let most = if is_face || line.split_whitespace().nth(5).is_none() { usize::MAX } else { 4 };
    for word in line.split_whitespace().take(most) {
        let end = if is_face { word.find('/').unwrap_or(word.len()) } else { word.len() };
        text.push_str(&word[..end]);
        text.push(' ');
    }
}

/// What is wrong, with the line.
fn first_fault(bytes: &[u8]) -> Option<String> {
    let places = lines(bytes).filter(|(_, line)| line.trim_start().starts_with('v')).count() as i64;
    let mut before = 0;
    for (number, line) in lines(bytes) {
        let mut text = String::new();
        push_bare(&line, &mut text);
        let text = text.trim_end();
        let fault = if text.starts_with('v') {
            before += 1;
            fault_of_place(text)
        } else {
            fault_of_face(text, before, places)
        };
        if let Some(fault) = fault {
            return Some(format!("line {number}: {fault}"));
        }
    }
    None
}

fn fault_of_place(text: &str) -> Option<String> {
    let numbers: Vec<Option<f32>> = text.split(' ').skip(1).map(|w| w.parse().ok()).collect();
    if numbers.len() < 3 || numbers.iter().any(Option::is_none) {
        return Some(format!("`{text}` is not a place; three numbers are needed"));
    }
    (numbers.get(3) == Some(&Some(0.0))).then(|| format!("`{text}` divides by w = 0"))
}

/// `before` is how many places come before the face, `places` how many there are at all.
fn fault_of_face(text: &str, before: i64, places: i64) -> Option<String> {
    let mut corners = 0;
    for word in text.split(' ').skip(1) {
        corners += 1;
        let in_range = word.parse::<i64>().map(|v| (1..=places).contains(&v) || (-before..0).contains(&v));
        if in_range != Ok(true) {
            return Some(format!(
                "`{word}` names no vertex; there are {places}, counted from 1 (or from −1 backward)"
            ));
        }
    }
    (corners == 0).then(|| "the face names no vertices".into())
}

/// Writes places and faces, with as many digits as bring back the same numbers.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    for p in mesh.vertices() {
        writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for t in mesh.triangles() {
        writeln!(out, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1)?;
    }
    Ok(())
}
