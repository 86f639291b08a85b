//! OFF (Geomview's object file format), text: places and polygons.
//!
//! Colours, normals and texture coordinates at vertices (`COFF`, `NOFF`, `STOFF` and the like) and colours of faces are
//! passed over. The binary kind is not read. No crate that is kept reads the format.

use std::io::Write;

use nalgebra::Point3;

use super::polygon::triangulate;
use crate::TriMesh;
use crate::mesh::Arrays;

/// The lines that hold something, with their numbers counted from 1.
struct Lines<'t>(Box<dyn Iterator<Item = (usize, &'t str)> + 't>);

/// The words of a line, and its number.
struct Line<'t> {
    number: usize,
    words: Vec<&'t str>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let bare =
            |(index, line): (usize, &'t str)| (index + 1, line.split('#').next().unwrap_or_default().trim());
        Lines(Box::new(text.lines().enumerate().map(bare).filter(|(_, line)| !line.is_empty())))
    }

    fn next(&mut self, what: &str) -> Result<Line<'t>, String> {
        let (number, line) = self.0.next().ok_or_else(|| format!("the file ends before {what}"))?;
        Ok(Line { number, words: line.split_whitespace().collect() })
    }
}

impl Line<'_> {
    fn count(&self, at: usize, what: &str) -> Result<usize, String> {
        let word = self.words.get(at).copied().unwrap_or_default();
        word.parse().map_err(|_| format!("line {}: `{word}` is no number of {what}", self.number))
    }
}

/// Reads a file from its keyword on; a missing keyword is forgiven, as many files have none.
pub(super) fn read(bytes: &[u8]) -> Result<Arrays, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = Lines::new(&text);
    let mut line = lines.next("its keyword")?;
    let keyword = line.words[0];
    if keyword.ends_with("OFF") {
        if keyword.contains(['4', 'n']) || line.words.contains(&"BINARY") {
            return Err(format!("`{}`: only text in three dimensions is read", line.words.join(" ")));
        }
        line.words.remove(0);
        if line.words.is_empty() {
            line = lines.next("the counts of vertices and faces")?;
        }
    }
    let [places, faces] = [line.count(0, "vertices")?, line.count(1, "faces")?];
    // Every vertex and every face has a line of two bytes at least.
    if places.saturating_add(faces) > bytes.len() {
        return Err(format!("{places} vertices and {faces} faces are promised in {} bytes", bytes.len()));
    }
    let mut all: Arrays = (Vec::with_capacity(places), Vec::with_capacity(faces));
    for index in 0..places {
        let line = lines.next(&format!("vertex {index}"))?;
        let coordinate = |k: usize| line.words.get(k).and_then(|word| word.parse::<f32>().ok());
        match [coordinate(0), coordinate(1), coordinate(2)] {
            [Some(x), Some(y), Some(z)] => all.0.push(Point3::new(x, y, z)),
            _ => return Err(format!("line {}: vertex {index} needs three numbers", line.number)),
        }
    }
    for index in 0..faces {
        let line = lines.next(&format!("face {index}"))?;
        let corners = line.count(0, "corners")?;
        let known = |word: &&str| word.parse().ok().filter(|&v: &u32| (v as usize) < places);
        let words = corners.checked_add(1).and_then(|end| line.words.get(1..end));
        let polygon: Option<Vec<u32>> = words.and_then(|words| words.iter().map(known).collect());
        let polygon = polygon.ok_or_else(|| {
            let last = places.saturating_sub(1);
            format!("line {}: face {index} needs {corners} indices from 0 to {last}", line.number)
        })?;
        triangulate(&all.0, &polygon, &mut all.1);
    }
    if all.1.is_empty() {
        return Err("there are no faces of three corners or more".into());
    }
    Ok(all)
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
