//! Unique undirected edges with all their faces.

use super::{Defect, Topology};

/// Stands for "no face" in [`Edge::faces`].
pub const NO_FACE: u32 = u32::MAX;

/// An undirected edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its vertices, the lower index first.
    pub vertices: [u32; 2],
    /// Its faces, the lower index first; [`NO_FACE`] where there is none. `faces[0]` owns the edge.
    /// Of an edge with more than two faces the two lowest stand here; see
    /// [`TriMesh::edge_faces`](crate::TriMesh::edge_faces) for all of them.
    pub faces: [u32; 2],
}

/// The edges of a set of triangles.
#[derive(Clone, Debug)]
pub(super) struct EdgeTable {
    pub(super) edges: Vec<Edge>,
    /// For each triangle its three edges.
    pub(super) of_triangle: Vec<[u32; 3]>,
    /// Where each edge's faces begin in `faces`, and where the last one's end.
    pub(super) starts: Vec<u32>,
    /// The faces of all edges, those of an edge in rising order.
    pub(super) faces: Vec<u32>,
    pub(super) topology: Topology,
}

/// A face's run along an edge: edge vertices (lower first), face, which of its edges, direction.
type Run = ([u32; 2], u32, u8, bool);

impl EdgeTable {
    /// The edges in the order of their vertices. `source` names the triangles in reports.
    pub(super) fn new(triangles: &[[u32; 3]], source: &[u32], defects: &mut Vec<Defect>) -> EdgeTable {
        let mut runs: Vec<Run> = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (p, q) = (corners[k], corners[(k + 1) % 3]);
                runs.push(([p.min(q), p.max(q)], t as u32, k as u8, p < q));
            }
        }
        runs.sort_unstable();
        let mut table = EdgeTable {
            edges: Vec::with_capacity(runs.len() / 2 + 1),
            of_triangle: vec![[0; 3]; triangles.len()],
            starts: Vec::with_capacity(runs.len() / 2 + 2),
            faces: runs.iter().map(|run| run.1).collect(),
            topology: Topology::Closed,
        };
        let mut start = 0;
        for group in runs.chunk_by(|a, b| a.0 == b.0) {
            let index = table.edges.len() as u32;
            for &(_, face, k, _) in group {
                table.of_triangle[face as usize][usize::from(k)] = index;
            }
            let faces = [group[0].1, group.get(1).map_or(NO_FACE, |r| r.1)];
            table.edges.push(Edge { vertices: group[0].0, faces });
            table.starts.push(start);
            start += group.len() as u32;
            defects.extend(defect(group, source));
            if 2 * group.iter().filter(|run| run.3).count() != group.len() {
                table.topology = Topology::Soup;
            }
        }
        table.starts.push(start);
        table
    }

    /// Takes note that a triangle's last two corners were exchanged.
    pub(super) fn turn(&mut self, triangle: usize) {
        self.of_triangle[triangle].swap(0, 2);
    }
}

fn defect(group: &[Run], source: &[u32]) -> Option<Defect> {
    let vertices = group[0].0;
    match group {
        [one] => Some(Defect::Boundary { vertices, triangle: source[one.1 as usize] }),
        [one, two] if one.3 == two.3 => {
            Some(Defect::Turned { vertices, triangles: [one, two].map(|r| source[r.1 as usize]) })
        }
        [_, _] => None,
        more => Some(Defect::NonManifold { vertices, faces: more.len() as u32 }),
    }
}
