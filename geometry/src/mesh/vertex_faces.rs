//! Which triangles a vertex has.

use super::removal::is_gone;

/// The triangles of each vertex.
#[derive(Clone, Debug)]
pub(super) struct VertexFaces {
    /// Where each vertex's begin, and where the last one's end.
    pub(super) starts: Vec<u32>,
    pub(super) faces: Vec<u32>,
}

impl VertexFaces {
    pub(super) fn new(vertices: usize, triangles: &[[u32; 3]]) -> VertexFaces {
        let there = || (0..).zip(triangles).filter(|(_, corners)| !is_gone(corners));
        let mut starts = vec![0u32; vertices + 2];
        for &v in there().flat_map(|(_, corners)| corners) {
            starts[v as usize + 2] += 1;
        }
        for k in 2..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut faces = vec![0; starts[vertices + 1] as usize];
        for (triangle, corners) in there() {
            for &v in corners {
                faces[starts[v as usize + 1] as usize] = triangle;
                starts[v as usize + 1] += 1;
            }
        }
        starts.pop();
        VertexFaces { starts, faces }
    }
}
