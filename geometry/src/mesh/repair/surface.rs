//! The surface while it is being repaired.

use nalgebra::Point3;

use super::{Repair, Repairs};
use crate::predicate;

/// A triangle, and which of the given ones it is or was cut from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [u32; 3],
    pub source: u32,
}

impl Face {
    /// Edge `k` joins corner `k` and the one after it, in this direction.
    pub(super) fn edge(&self, k: usize) -> [u32; 2] {
        [self.corners[k], self.corners[(k + 1) % 3]]
    }
}

/// An edge without its direction.
pub(super) fn undirected([p, q]: [u32; 2]) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

/// A face's run along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    /// The edge, its lower vertex first.
    pub edge: [u32; 2],
    pub face: u32,
    /// From the lower vertex to the higher one.
    pub forward: bool,
}

/// How many more of the runs are forward than backward.
pub(super) fn net(runs: &[Run]) -> i32 {
    runs.iter().map(|run| if run.forward { 1 } else { -1 }).sum()
}

/// Vertices, faces, and what was done to them.
pub(super) struct Surface {
    pub vertices: Vec<Point3<f32>>,
    pub faces: Vec<Face>,
    pub repairs: Repairs,
    /// The least distance (m) above the reach of a search that it came upon; infinite where it came
    /// upon none up to [`Surface::horizon`].
    pub nearest_beyond: f64,
    /// The distance (m) up to which searches look on.
    pub horizon: f64,
}

impl Surface {
    pub(super) fn new(vertices: Vec<Point3<f32>>, triangles: &[[u32; 3]]) -> Surface {
        let face = |(source, &corners): (usize, &[u32; 3])| Face { corners, source: source as u32 };
        let faces = triangles.iter().enumerate().map(face).collect();
        let (nearest_beyond, horizon) = (f64::INFINITY, 0.0);
        Surface { vertices, faces, repairs: Repairs::default(), nearest_beyond, horizon }
    }

    pub(super) fn place(&self, vertex: u32) -> Point3<f64> {
        self.vertices[vertex as usize].cast()
    }

    /// Length of an edge (m).
    pub(super) fn length(&self, [p, q]: [u32; 2]) -> f64 {
        (self.place(q) - self.place(p)).norm()
    }

    /// The runs along all edges; those along one edge stand together.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::with_capacity(3 * self.faces.len());
        for (f, face) in self.faces.iter().enumerate() {
            for [p, q] in [0, 1, 2].map(|k| face.edge(k)) {
                runs.push(Run { edge: undirected([p, q]), face: f as u32, forward: p < q });
            }
        }
        runs.sort_unstable();
        runs
    }

    /// The edges out of balance, in the direction in which more faces run, as often as there are more.
    pub(super) fn border(&self) -> Vec<[u32; 2]> {
        let mut border = Vec::new();
        for along in self.runs().chunk_by(|a, b| a.edge == b.edge) {
            let ([p, q], net) = (along[0].edge, net(along));
            let directed = if net > 0 { [p, q] } else { [q, p] };
            border.extend(std::iter::repeat_n(directed, net.unsigned_abs() as usize));
        }
        border
    }

    /// Drops faces without area.
    pub(super) fn drop_degenerate(&mut self) {
        let vertices = &self.vertices;
        let done = &mut self.repairs.done;
        self.faces.retain(|face| {
            let degenerate = predicate::is_degenerate(&face.corners.map(|v| vertices[v as usize].cast()));
            if degenerate {
                done.push(Repair::Degenerate { triangle: face.source });
            }
            !degenerate
        });
    }

    /// Area of a face (m²).
    pub(super) fn area(&self, face: u32) -> f64 {
        let [a, b, c] = self.faces[face as usize].corners.map(|v| self.place(v));
        0.5 * (b - a).cross(&(c - a)).norm()
    }

    /// Keeps the faces for which `keep` says so.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        let mut face = 0;
        self.faces.retain(|_| {
            face += 1;
            keep(face - 1)
        });
    }
}
