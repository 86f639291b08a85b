//! The numbers of a level set's vertices, triangles and edges, by arithmetic alone.
//!
//! Rows and layers of samples are padded to powers of two. Vertex `8 v + steps` is on the edge from sample `v` by these steps (one bit an axis).
//! The cell whose lowest corner is `v` has the triangles `12 v + 2 t` and the next in its tetrahedron `t`. Edge `18 v + f` of the surface is on
//! face `f` of those whose lowest corner is `v`, `18 v + 12 + t` is the diagonal in tetrahedron `t` of the cell.

use nalgebra::Point3;

use super::LevelSet;
use super::kuhn::{BESIDE, CORNERS, FACES, PATCHES, Patch, TETRAHEDRA, chain};
use crate::height_field::FewFaces;
use crate::mesh::{Edge, NO_FACE};

/// Triangle numbers of a cell.
pub(super) const TRIANGLES: u32 = 2 * TETRAHEDRA as u32;
/// Edge numbers of a sample.
const EDGES: u32 = (FACES + TETRAHEDRA) as u32;

impl LevelSet {
    /// How many numbers of samples there are, with those that pad.
    #[inline]
    pub(super) fn stride(&self) -> u32 {
        self.size[2] << (self.shift[0] + self.shift[1])
    }

    /// Where a sample is.
    #[inline]
    pub(super) fn place_of(&self, v: u32) -> [u32; 3] {
        let [x, y] = self.shift;
        [v & ((1 << x) - 1), v >> x & ((1 << y) - 1), v >> (x + y)]
    }

    /// The number of a sample, or of the cell whose lowest corner it is.
    #[inline]
    pub fn number(&self, [i, j, k]: [u32; 3]) -> u32 {
        let [x, y] = self.shift;
        i | j << x | k << (x + y)
    }

    /// From a sample's number to that of one some steps on.
    #[inline]
    fn step(&self, steps: u8) -> u32 {
        let steps = u32::from(steps);
        self.number([steps & 1, steps >> 1 & 1, steps >> 2])
    }

    /// Numbers of triangles are below this.
    pub fn triangle_bound(&self) -> u32 {
        TRIANGLES * self.stride()
    }

    /// Numbers of edges are below this.
    pub fn edge_bound(&self) -> u32 {
        EDGES * self.stride()
    }

    /// Numbers of vertices are below this.
    pub fn vertex_bound(&self) -> u32 {
        8 * self.stride()
    }

    #[inline]
    pub(super) fn is_cell(&self, at: [u32; 3]) -> bool {
        (0..3).all(|k| at[k] + 1 < self.size[k])
    }

    /// Which corners of a tetrahedron of a cell are inside, one bit each.
    #[inline]
    pub(super) fn inside_of(&self, at: [u32; 3], tet: usize) -> usize {
        let (base, row) = (self.index(at), self.size[0] as usize);
        let layer = row * self.size[1] as usize;
        let mut inside = 0;
        for (n, &corner) in CORNERS[tet].iter().enumerate() {
            let corner = corner as usize;
            let index = base + (corner & 1) + (corner >> 1 & 1) * row + (corner >> 2) * layer;
            inside |= usize::from(self.samples.at(index) < 0.0) << n;
        }
        inside
    }

    /// The surface in a tetrahedron of a cell.
    #[inline]
    pub(super) fn patch(&self, at: [u32; 3], tet: usize) -> &'static Patch {
        &PATCHES[tet][self.inside_of(at, tet)]
    }

    /// How many triangles a tetrahedron of a cell has: their numbers follow each other from 12 times the cell's and twice the tetrahedron's on.
    #[inline]
    pub fn triangles_in(&self, cell: [u32; 3], tetrahedron: usize) -> u32 {
        u32::from(self.patch(cell, tetrahedron).count)
    }

    /// Cell, tetrahedron and which triangle of it a number stands for.
    #[inline]
    fn parts(&self, triangle: u32) -> (u32, usize, usize) {
        let within = (triangle % TRIANGLES) as usize;
        (triangle / TRIANGLES, within / 2, within % 2)
    }

    /// The cell that a triangle is in, by its places along x, y and z.
    pub fn cell_of(&self, triangle: u32) -> [u32; 3] {
        self.place_of(triangle / TRIANGLES)
    }

    /// Where a sample stands (m), by its number ([`LevelSet::number`]).
    pub fn sample_position(&self, number: u32) -> Point3<f32> {
        let at = self.place_of(number);
        Point3::from([0, 1, 2].map(|k| self.along(k, at[k] as f32)))
    }

    /// Whether there is a vertex of this number.
    pub fn has_vertex(&self, vertex: u32) -> bool {
        let (v, steps) = (vertex / 8, vertex % 8);
        if vertex >= self.vertex_bound() || steps == 0 {
            return false;
        }
        let from = self.place_of(v);
        let to: [u32; 3] = std::array::from_fn(|k| from[k] + (steps >> k & 1));
        let within = |at: &[u32; 3]| (0..3).all(|k| at[k] < self.size[k]);
        within(&from) && within(&to) && (self.value(from) < 0.0) != (self.value(to) < 0.0)
    }

    /// Whether there is a triangle of this number.
    pub fn has_triangle(&self, triangle: u32) -> bool {
        let (cell, tet, k) = self.parts(triangle);
        let at = self.place_of(cell);
        triangle < self.triangle_bound() && self.is_cell(at) && k < usize::from(self.patch(at, tet).count)
    }

    /// The vertices of a triangle, counter-clockwise seen from outside.
    #[inline]
    pub fn vertices_of(&self, triangle: u32) -> [u32; 3] {
        let (cell, tet, k) = self.parts(triangle);
        let patch = self.patch(self.place_of(cell), tet);
        patch.corners[k].map(|crossed| 8 * (cell + self.step(crossed.from)) + u32::from(crossed.steps))
    }

    /// The edges of a triangle: edge `k` joins corner `k` and corner `(k + 1) % 3`.
    pub fn edges_of(&self, triangle: u32) -> [u32; 3] {
        let (cell, tet, k) = self.parts(triangle);
        let patch = self.patch(self.place_of(cell), tet);
        patch.sides[k].map(|side| match side.face as usize {
            FACES => EDGES * cell + (FACES + tet) as u32,
            face => EDGES * (cell + self.step(side.from)) + face as u32,
        })
    }

    /// The two faces of an edge, in rising order.
    pub fn edge_faces(&self, edge: u32) -> FewFaces {
        let (v, own) = (edge / EDGES, (edge % EDGES) as usize);
        let mut found = FewFaces::default();
        if own >= FACES {
            let first = TRIANGLES * v + 2 * (own - FACES) as u32;
            found.push(first);
            found.push(first + 1);
            return found;
        }
        let at = self.place_of(v);
        for beside in BESIDE[own] {
            let mut cell = at;
            if let Some(k) = cell.get_mut(usize::from(beside.back)) {
                // Of none it wraps, and is no cell.
                *k = k.wrapping_sub(1);
            }
            if (0..3).all(|k| cell[k] < self.size[k] - 1) {
                let tet = usize::from(beside.tet);
                let triangle = u32::from(self.patch(cell, tet).opposite[usize::from(beside.missing)]);
                if triangle < 2 {
                    found.push(TRIANGLES * self.number(cell) + 2 * u32::from(beside.tet) + triangle);
                }
            }
        }
        found.sorted()
    }

    /// An edge.
    pub fn edge(&self, edge: u32) -> Edge {
        let (v, own) = (edge / EDGES, (edge % EDGES) as usize);
        let [p, q] = if own >= FACES { self.diagonal(v, own - FACES) } else { self.crossings(v, own) };
        let faces = self.edge_faces(edge);
        let face = |k: usize| faces.get(k).copied().unwrap_or(NO_FACE);
        Edge { vertices: [p.min(q), p.max(q)], faces: [face(0), face(1)] }
    }

    /// The ends of the diagonal in a tetrahedron.
    fn diagonal(&self, cell: u32, tet: usize) -> [u32; 2] {
        let first = TRIANGLES * cell + 2 * tet as u32;
        let [a, _, b] = self.vertices_of(first);
        [a, b]
    }

    /// The ends of the surface's edge on a face: on the two edges of the corner that is alone on its side.
    fn crossings(&self, v: u32, face: usize) -> [u32; 2] {
        let [b, c] = chain(face);
        let from = self.place_of(v);
        let inside = [0, b, c].map(|steps| {
            let at: [u32; 3] = std::array::from_fn(|k| from[k] + u32::from(steps >> k & 1));
            self.value(at) < 0.0
        });
        let [on_b, on_c] = [b, c].map(|steps| 8 * v + u32::from(steps));
        let between = 8 * (v + self.step(b)) + u32::from(c ^ b);
        match inside {
            [x, y, z] if x != y && x != z => [on_b, on_c],
            [x, y, _] if x != y => [on_b, between],
            _ => [on_c, between],
        }
    }

    /// The numbers of all triangles, in rising order.
    pub fn triangles(&self) -> impl Iterator<Item = u32> + '_ {
        self.triangles_between([[0; 3], self.size.map(|n| n - 2)])
    }

    /// The numbers of the triangles in cells of the grid between two, both included, in rising order.
    pub fn triangles_between(&self, cells: [[u32; 3]; 2]) -> impl Iterator<Item = u32> + '_ {
        self.active(cells).flat_map(move |tet| {
            let (cell, own) = (tet / TETRAHEDRA as u32, tet as usize % TETRAHEDRA);
            let count = self.triangles_in(self.place_of(cell), own);
            (0..count).map(move |k| 2 * tet + k)
        })
    }

    /// The numbers (six times the cell's and its own in the cell) of the tetrahedra that the surface passes in cells between two, both included,
    /// in rising order.
    pub(super) fn active(&self, [low, high]: [[u32; 3]; 2]) -> impl Iterator<Item = u32> + '_ {
        let rows = (low[2]..=high[2]).flat_map(move |k| (low[1]..=high[1]).map(move |j| [j, k]));
        rows.flat_map(move |[j, k]| {
            let blocks = (low[0] / 4..=high[0] / 4).filter(move |&x| self.is_crossed(0, [x, j / 4, k / 4]));
            blocks.flat_map(move |x| (low[0].max(4 * x)..=high[0].min(4 * x + 3)).map(move |i| [i, j, k]))
        })
        .filter(move |&cell| self.crosses(cell, 1))
        .flat_map(move |cell| {
            let first = TETRAHEDRA as u32 * self.number(cell);
            (0..TETRAHEDRA)
                .filter(move |&tet| self.triangles_in(cell, tet) > 0)
                .map(move |tet| first + tet as u32)
        })
    }

    /// How many triangles there are.
    pub fn triangle_count(&self) -> usize {
        self.triangles().count()
    }
}
