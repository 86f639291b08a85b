//! STL, text and binary.
//!
//! Bytes go in; three vertices for each triangle come out. Normals, names and attributes are passed
//! over.

use std::io::{Error, Write};

use nalgebra::Point3;

use super::file_mesh::FileMesh;
use super::text::{Lines, decode, place, shortened};
use crate::reach::within_reach;
use crate::{TriMesh, predicate};

const HEADER: usize = 80;
const FACE: usize = 50;

/// The bytes of a file in which a zero is looked for: texts have none.
const BEGINNING: usize = 1024;

/// Reads either kind. A file whose length fits is binary, since some begin with `solid`, too.
pub(super) fn read(bytes: &[u8]) -> Result<FileMesh, String> {
    let faces = bytes.get(HEADER..HEADER + 4).and_then(|n| n.try_into().ok()).map(u32::from_le_bytes);
    let length = faces.map(|faces| HEADER as u64 + 4 + u64::from(faces) * FACE as u64);
    if length != Some(bytes.len() as u64) && is_text(bytes) {
        return read_text(bytes);
    }
    match (faces, length) {
        (Some(0), _) => Err("its binary header promises 0 triangles; one at least is needed".into()),
        (Some(faces), Some(length)) if length <= bytes.len() as u64 => read_binary(bytes, faces),
        (Some(faces), Some(length)) => Err(format!(
            "it is neither a text that begins with `solid`, nor whole: {faces} triangles of its binary header (byte {HEADER}) \
             take {length} bytes, the file has {}; it has been cut off, or is no STL file",
            bytes.len()
        )),
        _ => Err(format!(
            "it is neither a text that begins with `solid`, nor long enough for a binary header of {} bytes",
            HEADER + 4
        )),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let wide = matches!(beginning, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let begins = || {
        let text = decode(beginning);
        text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("solid"))
    };
    (wide || !beginning.contains(&0)) && begins()
}

/// Reads the triangles that a binary file promises; bytes behind them are passed over.
fn read_binary(bytes: &[u8], faces: u32) -> Result<FileMesh, String> {
    let mut mesh = FileMesh::default();
    mesh.vertices.reserve(3 * faces as usize);
    for (index, face) in bytes[HEADER + 4..].chunks_exact(FACE).take(faces as usize).enumerate() {
        // The normal comes first.
        let coordinate = |k: usize| f32::from_le_bytes(std::array::from_fn(|i| face[12 + 4 * k + i]));
        if let Some(k) = (0..9).find(|&k| !within_reach(coordinate(k))) {
            let (value, at) = (coordinate(k), HEADER + 4 + FACE * index + 12 + 4 * k);
            return Err(format!(
                "byte {at}: triangle {index} has the coordinate {value}; it must be finite, and at most {:e} m",
                crate::FARTHEST
            ));
        }
        push_triangle(
            &mut mesh,
            std::array::from_fn(|v| [0, 1, 2].map(|i| f64::from(coordinate(3 * v + i))).into()),
        )?;
    }
    Ok(mesh)
}

fn push_triangle(mesh: &mut FileMesh, corners: [Point3<f64>; 3]) -> Result<(), String> {
    let first =
        u32::try_from(mesh.vertices.len()).map_err(|_| "it has more than 2^32 vertices".to_string())?;
    mesh.vertices.extend(corners);
    mesh.triangles.push([first, first + 1, first + 2]);
    Ok(())
}

/// Reads the loops of vertices of a text. It may end without `endsolid`, but not within a facet.
fn read_text(bytes: &[u8]) -> Result<FileMesh, String> {
    let text = decode(bytes);
    let mut mesh = FileMesh::default();
    let (mut corners, mut facet, mut last) = (Vec::new(), None, 0);
    for (number, line) in Lines::new(&text) {
        let at_line = |fault: String| format!("line {number}: {fault}");
        let mut words = line.split_whitespace();
        last = number;
        while let Some(word) = words.next() {
            let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
            if is("vertex") && facet.is_some() {
                corners.push(place(&mut words, &mut mesh.decimals).map_err(at_line)?);
            } else if is("facet") && facet.is_none() {
                facet = Some(number);
                // The normal is passed over, with whatever is written for it.
                if words.by_ref().any(|word| word.eq_ignore_ascii_case("outer")) {
                    words.next();
                }
            } else if is("endfacet") && facet.is_some() {
                facet = None;
                let [a, b, c] = corners[..] else {
                    let found = corners.len();
                    return Err(at_line(format!("the facet has {found} vertices; it must have three")));
                };
                push_triangle(&mut mesh, [a, b, c])?;
                corners.clear();
            } else if (is("solid") || is("endsolid")) && facet.is_none() {
                // The rest of the line is a name.
                break;
            } else if !is("outer") && !is("loop") && !is("endloop") {
                let wanted = match facet {
                    Some(_) => "`outer loop`, `vertex x y z`, `endloop` or `endfacet`",
                    None => "`facet normal x y z` or `endsolid`",
                };
                return Err(at_line(format!("`{}` stands where {wanted} is due", shortened(word))));
            }
        }
    }
    match facet {
        Some(line) => Err(format!(
            "line {last}: the text ends within the facet of line {line}, before `endfacet`; it has been cut off"
        )),
        None if mesh.triangles.is_empty() => {
            Err(format!("line {last}: the text ends without any `facet`; one at least is needed"))
        }
        None => Ok(mesh),
    }
}

/// Writes a binary file.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    let faces = mesh.triangles().len();
    let count =
        u32::try_from(faces).map_err(|_| Error::other("a binary STL file holds at most 2^32 triangles"))?;
    out.write_all(&[0; HEADER])?;
    out.write_all(&count.to_le_bytes())?;
    for t in 0..count {
        let corners = mesh.corners(t);
        let area = predicate::area_vector(&corners.map(|p| p.cast()));
        let normal = area.try_normalize(0.0).unwrap_or_default().cast::<f32>();
        for x in normal.iter().chain(corners.iter().flat_map(|p| p.iter())) {
            out.write_all(&x.to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    Ok(())
}
