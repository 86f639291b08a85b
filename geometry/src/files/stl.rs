//! STL, text and binary, read and written by `stl_io`.

use std::io::{Cursor, Write};

use nalgebra::Point3;
use stl_io::{Normal, Triangle, Vertex};

use crate::mesh::Arrays;
use crate::{TriMesh, predicate};

const HEADER: usize = 80;
const FACE: usize = 50;

/// Reads either kind. A binary file is known by its length, since some begin with `solid` too.
pub(super) fn read(mut bytes: Vec<u8>) -> Result<Arrays, String> {
    let faces = bytes.get(HEADER..HEADER + 4).and_then(|n| n.try_into().ok()).map(u32::from_le_bytes);
    let length = faces.map(|faces| HEADER as u64 + 4 + u64::from(faces) * FACE as u64);
    if length != Some(bytes.len() as u64) {
        if begins_with_solid(&bytes) {
            return collect(text(&bytes)?);
        }
        return Err(match (faces, length) {
            (Some(faces), Some(length)) => format!(
                "it is neither a text that begins with `solid`, nor binary: {faces} triangles take {length} bytes, the file has {}",
                bytes.len()
            ),
            _ => "it is neither a text that begins with `solid`, nor long enough for a binary header".into(),
        });
    }
    // Whatever the header says, it must not be taken for text.
    bytes[..HEADER].fill(0);
    collect(bytes)
}

fn begins_with_solid(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// The text as `stl_io` expects it: lower case, one solid, and no normals (which it wants to be
/// finite, but many files have NaN there).
fn text(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = String::from("solid mesh\n");
    let mut ended = false;
    for line in String::from_utf8_lossy(bytes).lines() {
        let line = line.trim().to_ascii_lowercase();
        match line.split_whitespace().next() {
            None => continue,
            Some("solid") => ended = false,
            Some("endsolid") => ended = true,
            Some("facet") => plain.push_str("facet normal 0 0 0\n"),
            Some(_) => {
                plain.push_str(&line);
                plain.push('\n');
            }
        }
    }
    if !ended {
        return Err("the text ends without `endsolid`; it has been cut off".into());
    }
    plain.push_str("endsolid mesh\n");
    Ok(plain.into_bytes())
}

fn collect(bytes: Vec<u8>) -> Result<Arrays, String> {
    let mut source = Cursor::new(bytes);
    let faces = stl_io::create_stl_reader(&mut source).map_err(|e| e.to_string())?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (index, face) in faces.enumerate() {
        let face = face.map_err(|e| format!("triangle {index}: {e}"))?;
        let first = u32::try_from(vertices.len()).map_err(|_| "more than 2^32 vertices".to_string())?;
        vertices.extend(face.vertices.iter().map(|v| Point3::new(v[0], v[1], v[2])));
        triangles.push([first, first + 1, first + 2]);
    }
    Ok((vertices, triangles))
}

/// Writes a binary file.
pub(super) fn write(mesh: &TriMesh, mut out: &mut dyn Write) -> std::io::Result<()> {
    let faces = (0..mesh.triangles().len()).map(|t| {
        let corners = mesh.corners(t as u32);
        let area = predicate::area_vector(&corners.map(|p| p.cast()));
        let normal = area.try_normalize(0.0).unwrap_or_default().cast::<f32>();
        Triangle { normal: Normal::new(normal.into()), vertices: corners.map(|p| Vertex::new(p.into())) }
    });
    stl_io::write_stl(&mut out, faces)
}
