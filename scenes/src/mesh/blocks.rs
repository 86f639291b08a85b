//! Bodies of blocks: cells of a grid of uneven planes that are filled or not, and the faces between the two.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, UnitQuaternion};

use super::GeneratorError;
use super::implicit::Surface;

/// Planes along each axis (m, rising), between which a cell is filled or not. Filled cells must not meet along
/// an edge or in a corner alone.
pub(super) struct Blocks {
    planes: [Vec<f64>; 3],
}

/// A box of space (m): least and greatest corner.
pub(super) type Block = [[f64; 3]; 2];

impl Blocks {
    /// The planes of the boxes' faces.
    pub fn of(boxes: &[Block]) -> Blocks {
        let planes = [0, 1, 2].map(|k| {
            let mut at: Vec<f64> = boxes.iter().flatten().map(|corner| corner[k]).collect();
            at.sort_by(f64::total_cmp);
            at.dedup_by(|x, y| (*x - *y).abs() < 1e-9);
            at
        });
        Blocks { planes }
    }

    /// With further planes, so that no cell is wider than `step` (m).
    fn cut(&self, step: f64) -> Blocks {
        let planes = self.planes.each_ref().map(|old| {
            let mut new = Vec::new();
            for between in old.windows(2) {
                let parts = ((between[1] - between[0]) / step).ceil().clamp(1.0, 500.0);
                new.extend(
                    (0..parts as u32).map(|i| between[0] + (between[1] - between[0]) * f64::from(i) / parts),
                );
            }
            new.extend(old.last());
            new
        });
        Blocks { planes }
    }

    /// The surface of the cells whose middles are filled.
    fn surface(&self, filled: &impl Fn(&Point3<f64>) -> bool) -> Surface {
        let cells = self.planes.each_ref().map(|planes| planes.len().saturating_sub(1));
        let stride = [1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)];
        let is_filled = |at: [isize; 3]| {
            (0..3).all(|k| 0 <= at[k] && at[k] < cells[k] as isize)
                && filled(&Point3::from([0, 1, 2].map(|k: usize| {
                    let low = at[k] as usize;
                    0.5 * (self.planes[k][low] + self.planes[k][low + 1])
                })))
        };
        let mut names = vec![u32::MAX; stride[2] * (cells[2] + 1)];
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut vertex = |at: [usize; 3]| {
            let name = &mut names[(0..3).map(|k| at[k] * stride[k]).sum::<usize>()];
            if *name == u32::MAX {
                *name = vertices.len() as u32;
                vertices.push(Point3::from([0, 1, 2].map(|k: usize| self.planes[k][at[k]])).cast::<f32>());
            }
            *name
        };
        for z in 0..cells[2] {
            for (x, y) in (0..cells[1]).flat_map(|y| (0..cells[0]).map(move |x| (x, y))) {
                let cell = [x, y, z];
                if !is_filled(cell.map(|i| i as isize)) {
                    continue;
                }
                for (axis, high) in (0..3).flat_map(|axis| [(axis, false), (axis, true)]) {
                    let mut beside = cell.map(|i| i as isize);
                    beside[axis] += if high { 1 } else { -1 };
                    if is_filled(beside) {
                        continue;
                    }
                    let mut corner = |u: usize, v: usize| {
                        let mut at = cell;
                        at[axis] += usize::from(high);
                        at[(axis + 1) % 3] += u;
                        at[(axis + 2) % 3] += v;
                        vertex(at)
                    };
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    triangles.extend(if high { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
                }
            }
        }
        (vertices, triangles)
    }

    /// A mesh of about so many triangles, turned by `tilt`.
    pub fn mesh(
        &self,
        kind: &'static str,
        triangles: u32,
        tilt: &UnitQuaternion<f64>,
        filled: impl Fn(&Point3<f64>) -> bool,
    ) -> Result<TriMesh, GeneratorError> {
        let size = self.planes.iter().map(|p| p[p.len() - 1] - p[0]).fold(0.0, f64::max);
        let mut step = size / 16.0;
        for _ in 0..4 {
            let found = self.cut(step).surface(&filled).1.len().max(1);
            step *= (found as f64 / f64::from(triangles)).sqrt();
        }
        let (vertices, triangles) = self.cut(step).surface(&filled);
        let vertices = vertices.iter().map(|p| (tilt * p.cast::<f64>()).cast()).collect();
        TriMesh::new(vertices, triangles).map_err(|source| GeneratorError::Mesh { mesh: kind, source })
    }
}

/// Whether a point is inside of a box.
pub(super) fn is_in(block: &Block, p: &Point3<f64>) -> bool {
    (0..3).all(|k| block[0][k] < p[k] && p[k] < block[1][k])
}
