//! Wavefront OBJ: places and faces.
//!
//! Bytes go in; vertices in the order in which faces first name them and triangles come out.
//! Everything but `v` and `f` lines is passed over, and so are colours, texture and normal indices.
//! A face may name a vertex that comes after it.

use std::io::Write;

use super::file_mesh::FileMesh;
use super::text::{Lines, decode, number, place, shortened};
use crate::TriMesh;

/// The faces as they stand in the file.
#[derive(Default)]
struct Faces {
    /// The vertices of all faces, counted from 0.
    corners: Vec<u32>,
    /// Each face's line, and the end of its vertices.
    ends: Vec<(usize, usize)>,
}

/// Reads the `v` and `f` lines.
pub(super) fn read(bytes: &[u8]) -> Result<FileMesh, String> {
    let text = decode(bytes);
    let (mut mesh, mut faces) = (FileMesh::default(), Faces::default());
    let mut lines = Lines::new(&text);
    while let Some((number, line)) = lines.next() {
        let at_line = |fault: String| format!("line {number}: {fault}");
        match line.split_whitespace().next() {
            Some("v") => push_place(&whole(line, &mut lines), &mut mesh).map_err(at_line)?,
            Some("f") => {
                let count = mesh.vertices.len();
                push_face(&whole(line, &mut lines), count, &mut faces.corners).map_err(at_line)?;
                faces.ends.push((number, faces.corners.len()));
            }
            _ => {}
        }
    }
    collect(mesh, &faces)
}

/// Returns the line without its comment, with those that it goes on in: a backslash stands at its
/// end.
fn whole(line: &str, lines: &mut Lines<'_>) -> String {
    let bare = |line: &str| line.split('#').next().unwrap_or_default().trim_end().to_owned();
    let mut whole = bare(line);
    while whole.ends_with('\\') {
        whole.pop();
        whole.push(' ');
        whole.push_str(&lines.next().map(|(_, next)| bare(next)).unwrap_or_default());
    }
    whole
}

fn push_place(line: &str, mesh: &mut FileMesh) -> Result<(), String> {
    let mut words = line.split_whitespace().skip(1);
    let mut at = place(&mut words, &mut mesh.decimals)?;
    // Four numbers are homogeneous coordinates; more have a colour.
    if let (Some(word), None) = (words.next(), words.next()) {
        let w = number(word)?;
        if w == 0.0 || !w.is_finite() {
            return Err(format!("the vertex divides by w = {w}; w must be finite and not 0"));
        }
        at /= w;
    }
    mesh.vertices.push(at);
    Ok(())
}

/// Adds a face's vertices. `before`: how many places come before it.
fn push_face(line: &str, before: usize, corners: &mut Vec<u32>) -> Result<(), String> {
    let first = corners.len();
    for word in line.split_whitespace().skip(1) {
        let index = word.split('/').next().unwrap_or_default();
        let from_1 = index.parse::<i64>().ok().map(|v| if v < 0 { before as i64 + v + 1 } else { v });
        let from_0 = from_1.and_then(|v| u32::try_from(v - 1).ok());
        corners.push(from_0.ok_or_else(|| {
            let word = shortened(word);
            format!("`{word}` names no vertex; {before} come before, counted from 1 (or from -1 backward)")
        })?);
    }
    if corners.len() == first {
        return Err("the face names no vertices; it needs three or more".into());
    }
    Ok(())
}

/// Numbers the vertices in the order in which faces name them, and cuts the faces into triangles.
fn collect(all: FileMesh, faces: &Faces) -> Result<FileMesh, String> {
    const UNSEEN: u32 = u32::MAX;
    let count = all.vertices.len();
    let mut renamed = vec![UNSEEN; count];
    let mut mesh = FileMesh { decimals: all.decimals, ..FileMesh::default() };
    let (mut start, mut polygon) = (0, Vec::new());
    for &(line, end) in &faces.ends {
        polygon.clear();
        for &corner in &faces.corners[start..end] {
            let name = renamed.get_mut(corner as usize).ok_or_else(|| {
                let index = u64::from(corner) + 1;
                format!("line {line}: `{index}` names no vertex; there are {count}, counted from 1")
            })?;
            if *name == UNSEEN {
                *name = mesh.vertices.len() as u32;
                mesh.vertices.push(all.vertices[corner as usize]);
            }
            polygon.push(*name);
        }
        start = end;
        mesh.push_polygon(&polygon);
    }
    if mesh.triangles.is_empty() {
        return Err(format!(
            "there are no faces (lines that begin with `f` and name three vertices); vertices: {count}"
        ));
    }
    Ok(mesh)
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
