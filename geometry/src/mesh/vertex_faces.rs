//! Which triangles a vertex has.

use super::removal::is_gone;

/// Stands for no triangle, behind those of a vertex.
const GONE: u32 = u32::MAX;

/// The triangles of each vertex.
#[derive(Clone, Debug)]
pub(super) struct VertexFaces {
    /// Where each vertex's begin, and where the last one's end.
    starts: Vec<u32>,
    faces: Vec<u32>,
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

    fn range(&self, vertex: u32) -> std::ops::Range<usize> {
        self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize
    }

    /// The triangles of a vertex, in rising order.
    pub(super) fn of(&self, vertex: u32) -> &[u32] {
        let own = &self.faces[self.range(vertex)];
        match own.last() {
            // Places of those that were taken out come last.
            Some(&GONE) => &own[..own.partition_point(|&face| face != GONE)],
            _ => own,
        }
    }

    /// The same, if there is such a vertex.
    pub(super) fn get(&self, vertex: u32) -> Option<&[u32]> {
        (vertex as usize + 1 < self.starts.len()).then(|| self.of(vertex))
    }

    /// Takes a triangle out of a vertex's.
    pub(super) fn take_out(&mut self, vertex: u32, triangle: u32) {
        let range = self.range(vertex);
        let own = &mut self.faces[range];
        if let Some(at) = own.iter().position(|&face| face == triangle) {
            own[at..].rotate_left(1);
            own[own.len() - 1] = GONE;
        }
    }
}
