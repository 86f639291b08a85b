//! The surface where a function of space is zero, by marching tetrahedra.
//!
//! Every cube of a grid is cut into six tetrahedra around one diagonal, the same way everywhere, so that the
//! pieces of neighbours fit: the surface is closed wherever the function is positive on the grid's border.
//! Crossings keep clear of the ends of their edges, so that no triangle degenerates.
//!
//! Source: Doi, Koide, "An Efficient Method of Triangulating Equi-Valued Surfaces by Using Tetrahedral Cells",
//! 1991.

use nalgebra::{Point3, Vector3};

/// The corners of the six tetrahedra of a cube, as bits of x, y and z; each runs from corner 0 to corner 7.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A crossing is no nearer to an end of its edge than this part of it.
const CLEAR: f64 = 0.1;

/// Vertices (m) and triangles, outward.
pub(super) type Surface = (Vec<Point3<f32>>, Vec<[u32; 3]>);

/// A grid over a box.
pub(super) struct Grid {
    /// Least corner (m).
    pub low: Point3<f64>,
    /// Width of a cube (m).
    pub step: f64,
    /// Cubes along each axis.
    pub cells: [usize; 3],
}

impl Grid {
    /// Cubes of width `step` (m) that cover a box and a margin of one cube around it.
    pub fn covering(low: Point3<f64>, high: Point3<f64>, step: f64) -> Grid {
        let cells = [0, 1, 2].map(|k| ((high[k] - low[k]) / step).ceil().max(1.0) as usize + 2);
        let middle = nalgebra::center(&low, &high);
        let half = Vector3::from(cells.map(|n| 0.5 * step * n as f64));
        Grid { low: middle - half, step, cells }
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * (self.cells[1] + 1) + at[1]) * (self.cells[0] + 1) + at[0]
    }

    fn place(&self, at: [usize; 3]) -> Point3<f64> {
        self.low + Vector3::from(at.map(|i| i as f64)) * self.step
    }

    /// The surface around what is negative; beyond the grid everything is taken to be positive.
    pub fn surface(&self, value: impl Fn(&Point3<f64>) -> f64) -> Surface {
        let [nx, ny, nz] = self.cells.map(|n| n + 1);
        let mut values = vec![1.0; nx * ny * nz];
        for z in 1..nz - 1 {
            for (x, y) in (1..ny - 1).flat_map(|y| (1..nx - 1).map(move |x| (x, y))) {
                values[self.index([x, y, z])] = value(&self.place([x, y, z]));
            }
        }
        let mut made =
            Made { grid: self, edges: vec![u32::MAX; 8 * values.len()], values, out: (vec![], vec![]) };
        for z in 0..nz - 1 {
            for (x, y) in (0..ny - 1).flat_map(|y| (0..nx - 1).map(move |x| (x, y))) {
                let corners = std::array::from_fn(|c| [x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)]);
                made.cube(&corners);
            }
        }
        made.out
    }
}

/// A surface in the making.
struct Made<'g> {
    grid: &'g Grid,
    values: Vec<f64>,
    /// The vertex on each edge: 8 · its lower end + which corner of that end's cube it leads to.
    edges: Vec<u32>,
    out: Surface,
}

impl Made<'_> {
    fn cube(&mut self, corners: &[[usize; 3]; 8]) {
        let inside = corners.map(|c| self.values[self.grid.index(c)] < 0.0);
        if inside.iter().all(|&x| x == inside[0]) {
            return;
        }
        for tetrahedron in TETRAHEDRA {
            let (within, without): (Vec<usize>, Vec<usize>) = tetrahedron.iter().partition(|&&c| inside[c]);
            let outward: Vector3<f64> = middle(&without) - middle(&within);
            let mut cut = |p: usize, q: usize| (self.vertex(corners, p, q), middle(&[p, q]));
            match (within.as_slice(), without.as_slice()) {
                (&[a], &[p, q, r]) | (&[p, q, r], &[a]) => {
                    let triangle = [cut(a, p), cut(a, q), cut(a, r)];
                    self.add(&triangle, &outward);
                }
                (&[a, b], &[p, q]) => {
                    let [ap, aq, bp, bq] = [cut(a, p), cut(a, q), cut(b, p), cut(b, q)];
                    self.add(&[ap, bp, bq], &outward);
                    self.add(&[ap, bq, aq], &outward);
                }
                _ => {}
            }
        }
    }

    /// The vertex between two corners of a cube.
    fn vertex(&mut self, corners: &[[usize; 3]; 8], p: usize, q: usize) -> u32 {
        let (low, high) = (p.min(q), p.max(q));
        let [from, to] = [low, high].map(|c| self.grid.index(corners[c]));
        // Along each edge of a tetrahedron the higher corner has all bits of the lower.
        let edge = 8 * from + (high - low);
        if self.edges[edge] == u32::MAX {
            let [u, v] = [self.values[from], self.values[to]];
            let share = (u / (u - v)).clamp(CLEAR, 1.0 - CLEAR);
            let [a, b] = [low, high].map(|c| self.grid.place(corners[c]));
            self.edges[edge] = self.out.0.len() as u32;
            self.out.0.push((a + (b - a) * share).cast());
        }
        self.edges[edge]
    }

    /// Adds a triangle of vertices and where in the cube they would be half-way, turned outward.
    fn add(&mut self, [a, b, c]: &[(u32, Vector3<f64>); 3], outward: &Vector3<f64>) {
        let turned = (b.1 - a.1).cross(&(c.1 - a.1)).dot(outward) < 0.0;
        self.out.1.push(if turned { [a.0, c.0, b.0] } else { [a.0, b.0, c.0] });
    }
}

/// The middle of some corners of the unit cube.
fn middle(corners: &[usize]) -> Vector3<f64> {
    let sum = corners.iter().fold(Vector3::zeros(), |sum, &c| {
        sum + Vector3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2) as f64)
    });
    sum / corners.len().max(1) as f64
}
