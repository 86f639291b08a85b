//! Boxes without a lid: bins and cups.

use std::collections::BTreeMap;

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::{Check, GeneratorError};

/// A box with thick walls and floor and no lid, one closed mesh. The inside's floor is centred at
/// the origin, +z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenBox {
    /// Half the inside's edge lengths along x and y (m).
    pub half_inside: [f64; 2],
    /// Height of the walls above the inside's floor (m).
    pub height: f64,
    /// Thickness of walls and floor (m).
    pub wall: f64,
    /// Into how many pieces each side of a face is cut.
    pub divisions: u32,
}

impl Default for OpenBox {
    fn default() -> OpenBox {
        OpenBox { half_inside: [2.0, 2.0], height: 2.0, wall: 0.5, divisions: 1 }
    }
}

impl OpenBox {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive or divisions out of 1 to 1000.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("open box");
        check.length("half_inside[0]", self.half_inside[0])?;
        check.length("half_inside[1]", self.half_inside[1])?;
        check.length("height", self.height)?;
        check.length("wall", self.wall)?;
        if !(1..=1000).contains(&self.divisions) {
            return Err(check.fail("divisions", f64::from(self.divisions), "it must be from 1 to 1000"));
        }
        let mut grids = Grids { divisions: self.divisions, ..Grids::default() };
        let [x, y] = self.half_inside;
        let ring =
            |x: f64, y: f64, z: f64| [[x, y], [-x, y], [-x, -y], [x, -y]].map(|[x, y]| Point3::new(x, y, z));
        let outside_low = ring(x + self.wall, y + self.wall, -self.wall);
        let outside_high = ring(x + self.wall, y + self.wall, self.height);
        let inside_high = ring(x, y, self.height);
        let inside_low = ring(x, y, 0.0);
        let [a, b, c, d] = outside_low;
        grids.face([d, c, b, a]);
        for (low, high) in
            [(&outside_low, &outside_high), (&outside_high, &inside_high), (&inside_high, &inside_low)]
        {
            for k in 0..4 {
                let next = (k + 1) % 4;
                grids.face([low[k], low[next], high[next], high[k]]);
            }
        }
        grids.face(inside_low);
        TriMesh::new(grids.vertices, grids.triangles)
            .map_err(|source| GeneratorError::Mesh { mesh: "open box", source })
    }

    /// Volume of the walls and floor (m³).
    pub fn volume(&self) -> f64 {
        let [x, y] = self.half_inside;
        let outside = 4.0 * (x + self.wall) * (y + self.wall) * (self.height + self.wall);
        outside - 4.0 * x * y * self.height
    }
}

/// Faces cut into grids, joined where their borders hold the same points.
#[derive(Default)]
struct Grids {
    divisions: u32,
    vertices: Vec<Point3<f32>>,
    known: BTreeMap<[u32; 3], u32>,
    triangles: Vec<[u32; 3]>,
}

impl Grids {
    /// A quadrilateral, counter-clockwise seen from outside.
    fn face(&mut self, [a, b, c, d]: [Point3<f64>; 4]) {
        let n = self.divisions;
        let side = n + 1;
        let mut grid = Vec::with_capacity((side * side) as usize);
        for j in 0..side {
            let left = mix(&a, &d, j, n);
            let right = mix(&b, &c, j, n);
            for i in 0..side {
                grid.push(self.vertex(mix(&Point3::from(left), &Point3::from(right), i, n)));
            }
        }
        for j in 0..n {
            for i in 0..n {
                let at = |i: u32, j: u32| grid[(j * side + i) as usize];
                let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                self.triangles.push([corners[0], corners[1], corners[2]]);
                self.triangles.push([corners[0], corners[2], corners[3]]);
            }
        }
    }

    fn vertex(&mut self, p: Vector3<f64>) -> u32 {
        // Adding zero turns -0 to +0, so that equal places have equal bits.
        let p = Point3::from(p).cast::<f32>().map(|x| x + 0.0);
        let next = self.vertices.len() as u32;
        let index = *self.known.entry([p.x, p.y, p.z].map(f32::to_bits)).or_insert(next);
        if index == next {
            self.vertices.push(p);
        }
        index
    }
}

/// The point `i` of `n` from `a` to `b`, the same from either end.
fn mix(a: &Point3<f64>, b: &Point3<f64>, i: u32, n: u32) -> Vector3<f64> {
    (a.coords * f64::from(n - i) + b.coords * f64::from(i)) / f64::from(n)
}
