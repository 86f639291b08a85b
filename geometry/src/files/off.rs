//! OFF (Geomview's object file format), text: places and polygons.
//!
//! Colours, normals and texture coordinates at vertices (`COFF`, `NOFF`, `STOFF` and the like) and colours of faces are
//! passed over. The binary kind is not read.

use std::io::Write;

use super::file_mesh::FileMesh;
use super::text::{self, decode, place, shortened};
use crate::TriMesh;

/// The lines that hold something, with their numbers counted from 1.
struct Lines<'t>(text::Lines<'t>);

/// The words of a line, and its number.
struct Line<'t> {
    number: usize,
    words: Vec<&'t str>,
}

impl<'t> Lines<'t> {
    fn next(&mut self, what: &str) -> Result<Line<'t>, String> {
        for (number, line) in self.0.by_ref() {
            let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            if !words.is_empty() {
                return Ok(Line { number, words });
            }
        }
        Err(format!("the file ends before {what}; it has been cut off"))
    }
}

impl Line<'_> {
    fn count(&self, at: usize, what: &str) -> Result<usize, String> {
        let word = self.words.get(at).copied().unwrap_or_default();
        word.parse()
            .map_err(|_| format!("line {}: `{}` is no number of {what}", self.number, shortened(word)))
    }
}

/// Reads a file from its keyword on. Many files have no keyword, and some have it glued to the
/// first count (`OFF8 6 0`).
pub(super) fn read(bytes: &[u8]) -> Result<FileMesh, String> {
    let text = decode(bytes);
    let mut lines = Lines(text::Lines::new(&text));
    let mut line = lines.next("its keyword")?;
    if let Some((prefix, glued)) = line.words[0].split_once("OFF") {
        if prefix.contains(['4', 'n']) || line.words.contains(&"BINARY") {
            return Err(format!(
                "line {}: `{}`: only text in three dimensions is read; save the file as such",
                line.number,
                shortened(&line.words.join(" "))
            ));
        }
        line.words[0] = glued;
        if glued.is_empty() {
            line.words.remove(0);
        }
        if line.words.is_empty() {
            line = lines.next("the counts of vertices and faces")?;
        }
    }
    let [places, faces] = [line.count(0, "vertices")?, line.count(1, "faces")?];
    // Every vertex and every face has a line of two bytes at least.
    if places.saturating_add(faces) > bytes.len() {
        return Err(format!(
            "line {}: {places} vertices and {faces} faces are promised in {} bytes; the file has been cut off",
            line.number,
            bytes.len()
        ));
    }
    let mut mesh = FileMesh::default();
    mesh.vertices.reserve(places);
    for index in 0..places {
        let line = lines.next(&format!("vertex {index} of {places}"))?;
        let at = place(&mut line.words.into_iter(), &mut mesh.decimals);
        mesh.vertices.push(at.map_err(|fault| format!("line {}: vertex {index}: {fault}", line.number))?);
    }
    for index in 0..faces {
        let line = lines.next(&format!("face {index} of {faces}"))?;
        let corners = line.count(0, "corners")?;
        let known = |word: &&str| word.parse().ok().filter(|&v: &u32| (v as usize) < places);
        let words = corners.checked_add(1).and_then(|end| line.words.get(1..end));
        let polygon: Option<Vec<u32>> = words.and_then(|words| words.iter().map(known).collect());
        let polygon = polygon.ok_or_else(|| {
            let last = places.saturating_sub(1);
            format!("line {}: face {index} needs {corners} indices from 0 to {last}", line.number)
        })?;
        mesh.push_polygon(&polygon);
    }
    if mesh.triangles.is_empty() {
        return Err(format!(
            "line {}: there are no faces of three corners or more; {faces} are promised",
            line.number
        ));
    }
    Ok(mesh)
}

/// Writes a text file; numbers are as long as they need to be to be read as the same.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "OFF\n{} {} {}", mesh.vertices().len(), mesh.triangles().len(), mesh.edges().len())?;
    for p in mesh.vertices() {
        writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    Ok(())
}
