//! A mesh of two bodies combined: dual contouring of three images at right angles (Ju, Losasso,
//! Schaefer, Warren, "Dual Contouring of Hermite Data", 2002).
//!
//! A vertex for each cell of the grid in which the surface is, where the planes of the faces crossed
//! on the cell's edges meet; four of them around each edge that is crossed. So every edge of the mesh has
//! as many faces forward as backward, whatever the bodies are.

use impinge_geometry::TriMesh;
use impinge_geometry::canonical::checked_pose;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::cube::Cube;
use super::{Boolean, Crossing, LdiError};

/// A vertex keeps this far from its cell's borders (parts of a cell), so that no two are at one place.
const INSET: f64 = 1e-3;

/// Planes that differ by less count as one: the least part of the greatest eigenvalue.
const FLAT: f64 = 0.1;

/// The mesh of a Boolean combination.
#[derive(Clone, Debug)]
pub struct BooleanMesh {
    /// The surface, closed, around the middle of the grid (axes of the world).
    pub mesh: TriMesh,
    /// Where that middle is (m, world).
    pub center: Point3<f64>,
    /// Distance of grid points (m).
    pub cell: f64,
    /// The volume of all cells that the surface passes through (m³). The mesh and the true result
    /// differ nowhere else, unless the result has parts thinner than a cell.
    pub bound: f64,
}

/// The surface of two bodies combined, each with its pose, on a grid of `cells` along the longest side of
/// what the result can fill (at most [`MOST_CELLS`](super::MOST_CELLS)). Edges and corners stay sharp; what is thinner
/// than a cell may be lost, or hang together.
///
/// ```
/// use impinge_geometry::TriMesh;
/// use impinge_image_space::ldi::{Boolean, boolean_mesh};
/// use nalgebra::{Isometry3, Point3};
///
/// let corner = |c: u32| Point3::from([0, 1, 2].map(|k| if c >> k & 1 == 0 { -1.0f32 } else { 1.0 }));
/// let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
/// let faces = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
/// let cube = TriMesh::new((0..8).map(corner).collect(), faces)?;
/// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.7, 0.6, 0.5));
/// let result = boolean_mesh(Boolean::Minus, [(&cube, &here), (&cube, &there)], 32)?;
/// assert!(result.mesh.is_closed());
/// let volume = result.mesh.mass_properties()?.volume;
/// assert!((volume - (8.0 - 1.3 * 1.4 * 1.5)).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LdiError::Cells`], [`LdiError::NotClosed`], [`LdiError::Pose`], and [`LdiError::Empty`] where nothing is left.
pub fn boolean_mesh(
    boolean: Boolean,
    bodies: [(&TriMesh, &Isometry3<f64>); 2],
    cells: u32,
) -> Result<BooleanMesh, LdiError> {
    for (mesh, _) in bodies {
        if !mesh.is_closed() {
            return Err(LdiError::NotClosed { what: "the mesh of a Boolean combination" });
        }
    }
    let cube = Cube::capture(boolean, bodies, cells)?.ok_or(LdiError::Empty)?;
    let normals = Normals::new(bodies)?;
    let mut surface = Surface::new(&cube);
    surface.find(&normals);
    let active = surface.vertices.len();
    let triangles = std::mem::take(&mut surface.triangles);
    let mesh = TriMesh::new(surface.places(), triangles).map_err(|_| LdiError::Empty)?;
    let bound = active as f64 * cube.cell.powi(3);
    Ok(BooleanMesh { mesh, center: cube.center, cell: cube.cell, bound })
}

/// Outward normals of both bodies' faces.
struct Normals<'a> {
    meshes: [&'a TriMesh; 2],
    rotations: [Matrix3<f64>; 2],
}

impl<'a> Normals<'a> {
    fn new(bodies: [(&'a TriMesh, &Isometry3<f64>); 2]) -> Result<Normals<'a>, LdiError> {
        let rotation = |k: usize| -> Result<_, LdiError> {
            Ok(checked_pose(bodies[k].1)?.rotation.to_rotation_matrix().into_inner())
        };
        Ok(Normals { meshes: bodies.map(|b| b.0), rotations: [rotation(0)?, rotation(1)?] })
    }

    fn of(&self, crossing: Crossing) -> Vector3<f64> {
        let body = crossing.body();
        let [a, b, c] = self.meshes[body].corners(crossing.triangle()).map(|p| p.cast::<f64>());
        let n = (b - a).cross(&(c - a));
        let largest = n.amax();
        if largest > 0.0 { self.rotations[body] * (n / largest).normalize() } else { Vector3::zeros() }
    }
}

/// The vertex of a cell in the making: planes through the places crossed on its edges, in parts of a
/// cell from the grid's first point.
#[derive(Clone, Default)]
struct Vertex {
    cell: [usize; 3],
    sum: Vector3<f64>,
    count: f64,
    /// Σ n nᵀ, and Σ n (n · p).
    planes: Matrix3<f64>,
    offsets: Vector3<f64>,
}

struct Surface<'a> {
    cube: &'a Cube,
    /// The vertex of each cell and one more, 0 for none; cells are numbered by their first grid point.
    of_cell: Vec<u32>,
    vertices: Vec<Vertex>,
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
}

impl<'a> Surface<'a> {
    fn new(cube: &'a Cube) -> Surface<'a> {
        let cells = cube.points.iter().product();
        Surface {
            cube,
            of_cell: vec![0; cells],
            vertices: Vec::new(),
            triangles: Vec::new(),
            quads: Vec::new(),
        }
    }

    /// Finds all edges of the grid that are crossed, and from them vertices and faces. The two outermost
    /// grid points on every side are outside.
    fn find(&mut self, normals: &Normals<'_>) {
        let [nx, ny, nz] = self.cube.points;
        for z in 1..nz - 1 {
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    for d in 0..3 {
                        self.edge([x, y, z], d, normals);
                    }
                }
            }
        }
        for quad in std::mem::take(&mut self.quads) {
            let [a, b, c, d] = quad;
            let place = |v: u32| self.place(&self.vertices[v as usize]);
            // The shorter diagonal; of two that are equal always the first.
            let halves = if (place(a) - place(c)).norm_squared() <= (place(b) - place(d)).norm_squared() {
                [[a, b, c], [a, c, d]]
            } else {
                [[b, c, d], [b, d, a]]
            };
            self.triangles.extend(halves);
        }
    }

    fn edge(&mut self, at: [usize; 3], d: usize, normals: &Normals<'_>) {
        let mut next = at;
        next[d] += 1;
        let within = self.cube.is_inside(at);
        if within == self.cube.is_inside(next) {
            return;
        }
        let (part, crossing) = self.cube.crossing(at, d);
        let mut p = Vector3::new(at[0] as f64, at[1] as f64, at[2] as f64);
        p[d] += part;
        let normal = crossing.map(|c| normals.of(c));
        let (u, v) = ((d + 1) % 3, (d + 2) % 3);
        let quad = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[du, dv]| {
            let mut cell = at;
            (cell[u], cell[v]) = (cell[u] - du, cell[v] - dv);
            self.meet(cell, &p, normal.as_ref())
        });
        // Counter-clockwise seen from where the surface looks.
        let [a, b, c, e] = quad;
        self.quads.push(if within { quad } else { [a, e, c, b] });
    }

    /// Adds a place to a cell's vertex.
    fn meet(&mut self, cell: [usize; 3], p: &Vector3<f64>, normal: Option<&Vector3<f64>>) -> u32 {
        let [nx, ny, _] = self.cube.points;
        let slot = &mut self.of_cell[(cell[2] * ny + cell[1]) * nx + cell[0]];
        if *slot == 0 {
            self.vertices.push(Vertex { cell, ..Vertex::default() });
            *slot = self.vertices.len() as u32;
        }
        let index = *slot - 1;
        let vertex = &mut self.vertices[index as usize];
        vertex.sum += p;
        vertex.count += 1.0;
        if let Some(n) = normal {
            vertex.planes += n * n.transpose();
            vertex.offsets += n * n.dot(p);
        }
        index
    }

    /// Where a cell's vertex is (parts of a cell): of the places nearest to all planes the one nearest to the
    /// places' middle, held inside the cell.
    fn place(&self, vertex: &Vertex) -> Vector3<f64> {
        let middle = vertex.sum / vertex.count;
        let eigen = vertex.planes.symmetric_eigen();
        let rest = vertex.offsets - vertex.planes * middle;
        let most = eigen.eigenvalues.amax();
        let mut place = middle;
        for k in 0..3 {
            let value = eigen.eigenvalues[k];
            if value > FLAT * most && value > 0.0 {
                let axis = eigen.eigenvectors.column(k);
                place += axis * (axis.dot(&rest) / value);
            }
        }
        let low = |k: usize| vertex.cell[k] as f64;
        Vector3::from([0, 1, 2].map(|k| place[k].clamp(low(k) + INSET, low(k) + 1.0 - INSET)))
    }

    /// All vertices (m, from the middle of the grid).
    fn places(&self) -> Vec<Point3<f32>> {
        let place = |v: &Vertex| self.cube.first + self.place(v) * self.cube.cell;
        self.vertices.iter().map(|v| Point3::from(place(v).cast::<f32>())).collect()
    }
}
