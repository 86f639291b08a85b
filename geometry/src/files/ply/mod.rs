//! PLY, text and binary.
//!
//! Bytes go in; the vertices of the element `vertex` and the triangles of the elements `face` and
//! `tristrips` come out. All other elements and properties are passed over.

mod body;
mod header;

use std::io::Write;

use nalgebra::Point3;

use self::body::Body;
use self::header::{Element, Encoding, Header};
use super::file_mesh::FileMesh;
use super::text::decode;
use crate::TriMesh;
use crate::reach::within_reach;

/// Stands between strips of one list.
const RESTART: u32 = u32::MAX;

/// The lists of vertices of faces and strips: their corners one behind the other, and of each where
/// it ends.
#[derive(Default)]
struct Lists {
    corners: Vec<u32>,
    ends: Vec<(usize, bool)>,
}

/// Reads the elements `vertex` (`x`, `y`, `z`), `face` and `tristrips` (`vertex_indices` or
/// `vertex_index`).
pub(super) fn read(bytes: &[u8]) -> Result<FileMesh, String> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => read_plain(decode(bytes).as_bytes()),
        [0xef, 0xbb, 0xbf, rest @ ..] => read_plain(rest),
        _ => read_plain(bytes),
    }
}

fn read_plain(bytes: &[u8]) -> Result<FileMesh, String> {
    let header = Header::read(bytes)?;
    header.expect_mesh()?;
    let text = match header.encoding {
        Encoding::Text => String::from_utf8_lossy(&bytes[header.length..]),
        _ => "".into(),
    };
    let mut body = Body::new(bytes, &text, &header);
    let (mut mesh, mut lists) = (FileMesh::default(), Lists::default());
    let vertices = header.count_of("vertex");
    for element in &header.elements {
        element.expect_room(header.encoding, body.left())?;
        for index in 0..element.count {
            let item = read_item(&mut body, element, vertices, &mut mesh, &mut lists);
            item.map_err(|fault| body.fault(element, index, &fault))?;
        }
    }
    let mut start = 0;
    for &(end, is_strip) in &lists.ends {
        let corners = &lists.corners[start..end];
        start = end;
        if is_strip {
            corners.split(|&v| v == RESTART).for_each(|strip| push_strip(strip, &mut mesh.triangles));
        } else {
            mesh.push_polygon(corners);
        }
    }
    if mesh.triangles.is_empty() {
        return Err("there is no face of three corners or more; one at least is needed".into());
    }
    Ok(mesh)
}

/// Reads an item of an element, of which vertices and lists of them are kept.
fn read_item(
    body: &mut Body<'_>,
    element: &Element,
    vertices: usize,
    mesh: &mut FileMesh,
    lists: &mut Lists,
) -> Result<(), String> {
    body.begin_item(element)?;
    let is_vertex = element.name == "vertex";
    let is_strip = element.name == "tristrips";
    let mut place = [0.0; 3];
    for property in &element.properties {
        if let Some(scalar) = property.length {
            let length = body.length(property, scalar)?;
            let is_kept = (is_strip || element.name == "face") && property.is_corners();
            for _ in 0..length {
                let number = body.number(property.scalar, &mut |_| ())?;
                if is_kept {
                    lists.corners.push(corner(number, vertices, is_strip)?);
                }
            }
            if is_kept {
                lists.ends.push((lists.corners.len(), is_strip));
            }
            continue;
        }
        match ["x", "y", "z"].iter().position(|axis| is_vertex && property.name == *axis) {
            Some(axis) => {
                place[axis] = body.number(property.scalar, &mut |word| mesh.decimals.note(word))?;
                let value = place[axis];
                if !within_reach(value as f32) {
                    return Err(format!(
                        "the coordinate {value} is not finite, or above {:e} m",
                        crate::FARTHEST
                    ));
                }
            }
            None => drop(body.number(property.scalar, &mut |_| ())?),
        }
    }
    if is_vertex {
        mesh.vertices.push(Point3::from(place));
    }
    body.end_item(element)
}

/// Returns the vertex that a list names; in strips −1 begins a new one.
fn corner(number: f64, vertices: usize, is_strip: bool) -> Result<u32, String> {
    if is_strip && number == -1.0 {
        return Ok(RESTART);
    }
    if number < 0.0 || number.fract() != 0.0 || number >= vertices as f64 {
        return Err(format!("`{number}` names no vertex; there are {vertices}, counted from 0"));
    }
    Ok(number as u32)
}

/// Adds the triangles of a strip, of which every second one turns the other way.
fn push_strip(strip: &[u32], triangles: &mut Vec<[u32; 3]>) {
    for (k, t) in strip.windows(3).enumerate() {
        triangles.push(if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
    }
}

/// Writes a binary, little-endian file.
pub(super) fn write(mesh: &TriMesh, out: &mut dyn Write) -> std::io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )?;
    for p in mesh.vertices() {
        for x in p.iter() {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    for t in mesh.triangles() {
        out.write_all(&[3])?;
        for v in t {
            out.write_all(&v.to_le_bytes())?;
        }
    }
    Ok(())
}
