//! The numbers of a field's vertices, triangles and edges, by arithmetic alone.
//!
//! With `V` samples, rows padded to a power of two, sample `v` is vertex `v`, and vertex `V + v` stands below it on the bottom. The cell
//! whose lowest corner is `v` has the triangles `2v` and `2v + 1`; below them stand `2V + 2v` and `2V + 2v + 1`, turned round. Edge
//! `3v` goes from `v` to the right, `3v + 1` up, `3v + 2` is the cell's diagonal. Under an edge `e` with one triangle stands a wall:
//! `4V + 2e` and `4V + 2e + 1`. Edges on the bottom are `3V + e`, those from a vertex `v` down `6V + v`, the diagonals of walls `7V + e`.

use std::ops::Deref;

use super::HeightField;
use crate::mesh::{Edge, NO_FACE};

/// The most faces of an edge: of one from a vertex down, where four walls on either side meet.
const MOST_FACES: usize = 8;

/// The faces of an edge, in rising order.
#[derive(Clone, Copy, Debug, Default)]
pub struct FewFaces {
    faces: [u32; MOST_FACES],
    count: usize,
}

impl FewFaces {
    #[inline]
    pub(crate) fn push(&mut self, face: u32) {
        if self.count < MOST_FACES {
            self.faces[self.count] = face;
            self.count += 1;
        }
    }

    pub(crate) fn sorted(mut self) -> FewFaces {
        self.faces[..self.count].sort_unstable();
        self
    }
}

impl Deref for FewFaces {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.faces[..self.count]
    }
}

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TriangleKind {
    /// Of the cell of a vertex: the first or the second.
    Top(u32, u32),
    Bottom(u32, u32),
    /// Under an edge: the first or the second.
    Wall(u32, u32),
}

impl HeightField {
    #[inline]
    fn kind(&self, triangle: u32) -> TriangleKind {
        let v = self.stride();
        match triangle {
            t if t < 2 * v => TriangleKind::Top(t / 2, t % 2),
            t if t < 4 * v => TriangleKind::Bottom((t - 2 * v) / 2, t % 2),
            t => TriangleKind::Wall((t - 4 * v) / 2, t % 2),
        }
    }

    /// How many numbers of samples there are, with those that pad the rows.
    #[inline]
    pub(super) fn stride(&self) -> u32 {
        self.size[1] << self.shift
    }

    /// The place in its row of a sample, and its row.
    #[inline]
    pub(super) fn place_of(&self, v: u32) -> [u32; 2] {
        [v & ((1 << self.shift) - 1), v >> self.shift]
    }

    /// The number of a sample.
    #[inline]
    pub(super) fn vertex_at(&self, [i, j]: [u32; 2]) -> u32 {
        (j << self.shift) | i
    }

    /// Numbers of triangles are below this, those of edges, too.
    pub fn bound(&self) -> u32 {
        10 * self.stride()
    }

    /// Numbers of vertices are below this.
    pub fn vertex_bound(&self) -> u32 {
        2 * self.stride()
    }

    /// Triangles from this on are virtual: bottom and walls.
    #[inline]
    pub fn first_virtual(&self) -> u32 {
        2 * self.stride()
    }

    /// Whether there is a vertex of this number.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        let v = self.stride();
        let own = if vertex < v { vertex } else { vertex.wrapping_sub(v) };
        own < v && self.place_of(own)[0] < self.size[0]
    }

    /// Whether the cell above and to the right of a sample has its first or second triangle.
    #[inline]
    pub(super) fn exists(&self, [i, j]: [u32; 2], k: u32) -> bool {
        if i + 1 >= self.size[0] || j + 1 >= self.size[1] {
            return false;
        }
        !self.gaps || self.is_there([i, j], k)
    }

    #[cold]
    fn is_there(&self, [i, j]: [u32; 2], k: u32) -> bool {
        let whole = self.holes.as_ref().is_none_or(|holes| !holes.get(self.index([i, j])));
        whole && self.top([i, j], k).iter().all(|&v| self.height(self.place_of(v)).is_finite())
    }

    /// Whether the diagonal of a cell goes from its lower right to its upper left corner.
    #[inline]
    pub(super) fn falls(&self, at: [u32; 2]) -> bool {
        match &self.diagonals {
            super::Diagonal::Rising => false,
            super::Diagonal::Falling => true,
            super::Diagonal::PerCell(bits) => bits.get(self.index(at)),
        }
    }

    /// The vertices of a triangle of a cell, counter-clockwise seen from above.
    #[inline]
    fn top(&self, at: [u32; 2], k: u32) -> [u32; 3] {
        let v = self.vertex_at(at);
        let (right, up) = (v + 1, v + (1 << self.shift));
        match (self.falls(at), k) {
            (false, 0) => [v, right, up + 1],
            (false, _) => [v, up + 1, up],
            (true, 0) => [v, right, up],
            (true, _) => [right, up + 1, up],
        }
    }

    /// The edges of a triangle of a cell.
    #[inline]
    fn top_edges(&self, at: [u32; 2], k: u32) -> [u32; 3] {
        let v = self.vertex_at(at);
        let (low, left, diagonal) = (3 * v, 3 * v + 1, 3 * v + 2);
        let (right, high) = (3 * (v + 1) + 1, 3 * (v + (1 << self.shift)));
        match (self.falls(at), k) {
            (false, 0) => [low, right, diagonal],
            (false, _) => [diagonal, high, left],
            (true, 0) => [low, diagonal, left],
            (true, _) => [right, high, diagonal],
        }
    }

    /// The ends of an edge between samples, the lower number first.
    #[inline]
    fn ends(&self, e: u32) -> [u32; 2] {
        let (v, up) = (e / 3, 1 << self.shift);
        match e % 3 {
            0 => [v, v + 1],
            1 => [v, v + up],
            _ if self.falls(self.place_of(v)) => [v + 1, v + up],
            _ => [v, v + up + 1],
        }
    }

    /// The triangles beside an edge between samples: the one that runs along it from the lower number to the higher, and the other.
    fn beside(&self, e: u32) -> [Option<u32>; 2] {
        let v = e / 3;
        let [i, j] = self.place_of(v);
        let of = |at: [u32; 2], k: u32| self.exists(at, k).then(|| 2 * self.vertex_at(at) + k);
        match e % 3 {
            0 => [of([i, j], 0), if j > 0 { of([i, j - 1], 1) } else { None }],
            1 => {
                let left = if i > 0 { of([i - 1, j], u32::from(self.falls([i - 1, j]))) } else { None };
                let in_range = i + 1 < self.size[0] && j + 1 < self.size[1];
                [left, if in_range { of([i, j], u32::from(!self.falls([i, j]))) } else { None }]
            }
            _ if i + 1 >= self.size[0] || j + 1 >= self.size[1] => [None; 2],
            _ => {
                let k = u32::from(!self.falls([i, j]));
                [of([i, j], k), of([i, j], 1 - k)]
            }
        }
    }

    /// The ends of an edge with one triangle, as that triangle runs along it; `None` where there is no wall.
    pub(super) fn wall(&self, e: u32) -> Option<[u32; 2]> {
        let [i, j] = self.place_of(e / 3);
        if i >= self.size[0] || j >= self.size[1] {
            return None;
        }
        match self.beside(e) {
            [Some(_), None] => Some(self.ends(e)),
            [None, Some(_)] => {
                let [p, q] = self.ends(e);
                Some([q, p])
            }
            _ => None,
        }
    }

    /// Whether there is a triangle of this number.
    pub fn has_triangle(&self, triangle: u32) -> bool {
        if triangle >= self.bound() {
            return false;
        }
        match self.kind(triangle) {
            TriangleKind::Top(v, k) | TriangleKind::Bottom(v, k) => self.exists(self.place_of(v), k),
            TriangleKind::Wall(e, _) => self.wall(e).is_some(),
        }
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline]
    pub fn vertices_of(&self, triangle: u32) -> [u32; 3] {
        match self.kind(triangle) {
            TriangleKind::Top(v, k) => self.top(self.place_of(v), k),
            TriangleKind::Bottom(v, k) => {
                let below = self.stride();
                let [a, b, c] = self.top(self.place_of(v), k);
                [below + a, below + c, below + b]
            }
            TriangleKind::Wall(e, k) => {
                let below = self.stride();
                let [p, q] = self.wall(e).unwrap_or_default();
                if k == 0 { [q, p, below + p] } else { [q, below + p, below + q] }
            }
        }
    }

    /// The edges of a triangle: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    pub fn edges_of(&self, triangle: u32) -> [u32; 3] {
        let v = self.stride();
        match self.kind(triangle) {
            TriangleKind::Top(at, k) => self.top_edges(self.place_of(at), k),
            TriangleKind::Bottom(at, k) => {
                let [a, b, c] = self.top_edges(self.place_of(at), k);
                [3 * v + c, 3 * v + b, 3 * v + a]
            }
            TriangleKind::Wall(e, k) => {
                let [p, q] = self.wall(e).unwrap_or_default();
                if k == 0 { [e, 6 * v + p, 7 * v + e] } else { [7 * v + e, 3 * v + e, 6 * v + q] }
            }
        }
    }

    /// All faces of an edge, in rising order.
    pub fn edge_faces(&self, edge: u32) -> FewFaces {
        let v = self.stride();
        let mut found = FewFaces::default();
        if edge < 6 * v {
            let e = edge % (3 * v);
            let below = if edge < 3 * v { 0 } else { 2 * v };
            let beside = self.beside(e);
            beside.into_iter().flatten().for_each(|t| found.push(below + t));
            if found.len() == 1 {
                found.push(4 * v + 2 * e + u32::from(below > 0));
            }
        } else if edge < 7 * v {
            self.walls_at(edge - 6 * v, &mut found);
        } else {
            let e = edge - 7 * v;
            found.push(4 * v + 2 * e);
            found.push(4 * v + 2 * e + 1);
        }
        found.sorted()
    }

    /// The walls' triangles that have the edge from a sample down.
    fn walls_at(&self, v: u32, found: &mut FewFaces) {
        self.edges_at(v, |e| {
            if let Some([p, q]) = self.wall(e) {
                let first = 4 * self.stride() + 2 * e;
                if p == v {
                    found.push(first);
                } else if q == v {
                    found.push(first + 1);
                }
            }
        });
    }

    /// Calls `f` with the edges between samples that end in a sample, whether they have triangles or not.
    fn edges_at(&self, v: u32, mut f: impl FnMut(u32)) {
        let (up, [i, j]) = (1 << self.shift, self.place_of(v));
        let [last_i, last_j] = self.size.map(|n| n - 1);
        if i < last_i {
            f(3 * v);
        }
        if j < last_j {
            f(3 * v + 1);
        }
        if i > 0 {
            f(3 * (v - 1));
        }
        if j > 0 {
            f(3 * (v - up) + 1);
        }
        if i < last_i && j < last_j && !self.falls([i, j]) {
            f(3 * v + 2);
        }
        if i > 0 && j > 0 && !self.falls([i - 1, j - 1]) {
            f(3 * (v - up - 1) + 2);
        }
        if i > 0 && j < last_j && self.falls([i - 1, j]) {
            f(3 * (v - 1) + 2);
        }
        if j > 0 && i < last_i && self.falls([i, j - 1]) {
            f(3 * (v - up) + 2);
        }
    }

    /// An edge.
    pub fn edge(&self, edge: u32) -> Edge {
        let v = self.stride();
        let vertices = match edge {
            e if e < 3 * v => self.ends(e),
            e if e < 6 * v => self.ends(e - 3 * v).map(|end| v + end),
            e if e < 7 * v => [e - 6 * v, e - 5 * v],
            e => {
                let [p, q] = self.wall(e - 7 * v).unwrap_or_default();
                [q, v + p]
            }
        };
        let faces = self.edge_faces(edge);
        let face = |k: usize| faces.get(k).copied().unwrap_or(NO_FACE);
        Edge { vertices, faces: [face(0), face(1)] }
    }

    /// A sample of a triangle.
    pub(super) fn sample_of(&self, triangle: u32) -> u32 {
        let [vertex, ..] = self.vertices_of(triangle);
        if vertex < self.stride() { vertex } else { vertex - self.stride() }
    }
}
