//! Which of the given triangles can be used.

use nalgebra::Point3;

use super::Defect;
use super::parts::least_first;
use crate::reach::within_reach;
use crate::{MeshError, predicate};

/// Checks that every coordinate can be used and every index names a vertex.
pub(super) fn check(vertices: &[Point3<f32>], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    const MOST: usize = 1 << 31;
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        if count > MOST {
            return Err(MeshError::TooLarge { what, count });
        }
    }
    if triangles.is_empty() {
        return Err(MeshError::Empty);
    }
    check_coordinates(vertices)?;
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(MeshError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
        }
    }
    Ok(())
}

/// Checks that every coordinate is finite and within reach.
pub(super) fn check_coordinates(vertices: &[Point3<f32>]) -> Result<(), MeshError> {
    let usable = |p: &Point3<f32>| p.iter().all(|&x| within_reach(x));
    let Some(index) = vertices.iter().position(|p| !usable(p)) else { return Ok(()) };
    let value: [f32; 3] = vertices[index].into();
    Err(if value.iter().all(|x| x.is_finite()) {
        MeshError::VertexTooFar { index, value }
    } else {
        MeshError::VertexNotFinite { index, value }
    })
}

/// The triangles that have an area and repeat no earlier one, and for each its given index.
pub(super) struct Sound {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) source: Vec<u32>,
}

/// Passes over triangles without area and repeats, and reports them in rising order.
pub(super) fn sound(
    vertices: &[Point3<f32>],
    given: &[[u32; 3]],
    defects: &mut Vec<Defect>,
) -> Result<Sound, MeshError> {
    let mut passed_over: Vec<(u32, Defect)> = Vec::new();
    let mut turning: Vec<([u32; 3], u32)> = Vec::with_capacity(given.len());
    for (index, corners) in given.iter().enumerate() {
        let triangle = index as u32;
        if predicate::is_degenerate(&corners.map(|v| vertices[v as usize].cast())) {
            passed_over.push((triangle, Defect::Degenerate { triangle }));
            continue;
        }
        // Same corners in the same turning sense; the opposite sense is another face.
        turning.push((least_first(corners), triangle));
    }
    let degenerate = passed_over.len();
    turning.sort_unstable();
    for same in turning.chunk_by(|a, b| a.0 == b.0) {
        let of = same[0].1;
        passed_over
            .extend(same[1..].iter().map(|&(_, triangle)| (triangle, Defect::Duplicate { triangle, of })));
    }
    passed_over.sort_unstable_by_key(|&(triangle, _)| triangle);
    let mut out = passed_over.iter().map(|&(triangle, _)| triangle).peekable();
    let source: Vec<u32> =
        (0..given.len() as u32).filter(|&triangle| out.next_if_eq(&triangle).is_none()).collect();
    if source.is_empty() {
        return Err(MeshError::NothingSound {
            triangles: given.len(),
            degenerate,
            duplicate: given.len() - degenerate,
        });
    }
    defects.extend(passed_over.into_iter().map(|(_, defect)| defect));
    Ok(Sound { triangles: source.iter().map(|&s| given[s as usize]).collect(), source })
}
