//! Signed distances from a closed mesh.
//!
//! Distances are those of the nearest triangle, in `f64`, for samples within a band round the surface; signs are those of signed crossings along
//! the lines of samples, by exact predicates on a line that is moved aside by less than anything: nothing is ambiguous, and a line through a
//! vertex or along a face counts as one beside it.

use nalgebra::{Point3, Vector3};

use super::{LevelSet, LevelSetError, LevelSetSettings};
use crate::predicate::orient2d;
use crate::{Aabb, TriMesh};

/// Samples within so many spacings of the surface have their distance; farther ones this one.
const BAND: f64 = 3.0;
/// Cells between the mesh and the border of the grid.
const MARGIN: f64 = 2.0;

impl LevelSet {
    /// The level set of signed distances (m) from a closed mesh, with a grid of this spacing (m) around it. What is farther than three spacings from
    /// the surface has the value of three spacings. Details finer than the spacing are lost: thin walls may open, and narrow gaps close.
    ///
    /// ```
    /// use impinge_geometry::{LevelSet, Primitive};
    ///
    /// let block = Primitive::Cuboid { half: [0.5, 0.3, 0.2] }.surface().expect("a box has one");
    /// let levels = LevelSet::from_mesh(&block, 0.05)?;
    /// assert!((levels.mass_properties()?.volume / 0.24 - 1.0).abs() < 0.02);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LevelSetError::Soup`] of a mesh that is open, [`LevelSetError::Size`] where the spacing is too small for the mesh, and
    /// [`LevelSetError::Empty`] where it is too wide.
    pub fn from_mesh(mesh: &TriMesh, spacing: f32) -> Result<LevelSet, LevelSetError> {
        if !mesh.is_closed() {
            return Err(LevelSetError::Soup { defects: mesh.report().defects.len() });
        }
        if !(spacing >= 1e-30 && spacing <= crate::FARTHEST as f32) {
            return Err(LevelSetError::Spacing { axis: "x", value: spacing });
        }
        let aabb = mesh.aabb();
        let (size, settings) = grid_around(&aabb, spacing)?;
        super::check_grid(size, &settings)?;
        let mut grid = Grid {
            size: size.map(|n| n as usize),
            settings,
            far: BAND * f64::from(spacing),
            distances: Vec::new(),
            windings: Vec::new(),
        };
        grid.measure(mesh);
        let settings = grid.settings.clone();
        LevelSet::new(size, grid.values(), &settings)
    }
}

/// Samples along x, y and z of a grid around a box, and where they stand.
fn grid_around(aabb: &Aabb, spacing: f32) -> Result<([u32; 3], LevelSetSettings), LevelSetError> {
    let step = f64::from(spacing);
    let low: [f64; 3] = std::array::from_fn(|k| (f64::from(aabb.min[k]) / step - MARGIN).floor());
    let cells: [f64; 3] = std::array::from_fn(|k| (f64::from(aabb.max[k]) / step + MARGIN).ceil() - low[k]);
    if cells.iter().any(|&n| n >= f64::from(super::MOST_LEVELS)) {
        return Err(LevelSetError::Size { size: cells.map(|n| n as u64 + 1) });
    }
    let origin = low.map(|n| (n * step) as f32);
    Ok((cells.map(|n| n as u32 + 1), LevelSetSettings { spacing: [spacing; 3], origin }))
}

struct Grid {
    size: [usize; 3],
    settings: LevelSetSettings,
    /// The value of what is far from the surface (m).
    far: f64,
    /// Squared (m²).
    distances: Vec<f64>,
    /// How often the surface winds round each sample.
    windings: Vec<i16>,
}

impl Grid {
    fn at(&self, k: usize, i: usize) -> f64 {
        f64::from(super::along(&self.settings, k, i as f32))
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.size[1] + j) * self.size[0] + i
    }

    fn values(&self) -> Vec<f32> {
        let value = |(&square, &winding): (&f64, &i16)| {
            let distance = square.sqrt();
            (if winding > 0 { -distance } else { distance }) as f32
        };
        self.distances.iter().zip(&self.windings).map(value).collect()
    }

    /// The samples within `reach` (m) of some places along an axis.
    fn samples(&self, k: usize, [low, high]: [f64; 2], reach: f64) -> std::ops::Range<usize> {
        let (origin, step) = (f64::from(self.settings.origin[k]), f64::from(self.settings.spacing[k]));
        let from = ((low - reach - origin) / step).floor().max(0.0) as usize;
        let to = ((high + reach - origin) / step).ceil().max(-1.0) as isize + 1;
        from..(to.max(0) as usize).min(self.size[k])
    }

    fn measure(&mut self, mesh: &TriMesh) {
        let count = self.size.iter().product();
        self.distances = vec![self.far * self.far; count];
        self.windings = vec![0; count];
        for triangle in 0..mesh.triangles().len() as u32 {
            let corners = mesh.corners(triangle).map(|p| p.cast::<f64>());
            self.approach(&corners);
            self.cross(&corners);
        }
        for k in 0..self.size[2] {
            for j in 0..self.size[1] {
                let first = self.index([0, j, k]);
                let row = &mut self.windings[first..first + self.size[0]];
                // What leaves through a face at a sample, or behind it, has entered before it.
                (0..row.len() - 1).rev().for_each(|i| row[i] += row[i + 1]);
            }
        }
    }

    /// Brings a triangle's distances in.
    fn approach(&mut self, corners: &[Point3<f64>; 3]) {
        let range = |k: usize| {
            let along = corners.map(|p| p[k]);
            let ends = [
                along.iter().copied().fold(f64::INFINITY, f64::min),
                along.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ];
            self.samples(k, ends, self.far)
        };
        let [x, y, z] = [range(0), range(1), range(2)];
        for k in z {
            for j in y.clone() {
                for i in x.clone() {
                    let p = Point3::new(self.at(0, i), self.at(1, j), self.at(2, k));
                    let square = (nearest(&p, corners) - p).norm_squared();
                    let index = self.index([i, j, k]);
                    let own = &mut self.distances[index];
                    *own = own.min(square);
                }
            }
        }
    }

    /// Counts a triangle on the lines along x that cross it: at the last sample before the crossing.
    fn cross(&mut self, corners: &[Point3<f64>; 3]) {
        let range = |k: usize| {
            let along = corners.map(|p| p[k]);
            let ends = [
                along.iter().copied().fold(f64::INFINITY, f64::min),
                along.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ];
            self.samples(k, ends, 0.0)
        };
        let [y, z] = [range(1), range(2)];
        for k in z {
            for j in y.clone() {
                let p = Point3::new(0.0, self.at(1, j), self.at(2, k));
                let Some(turn) = turn_round(corners, &p) else { continue };
                let x = crossing(corners, &p);
                let step = (x - f64::from(self.settings.origin[0])) / f64::from(self.settings.spacing[0]);
                let last = step.floor().clamp(-1.0, (self.size[0] - 1) as f64);
                if last >= 0.0 {
                    let index = self.index([last as usize, j, k]);
                    self.windings[index] = self.windings[index].saturating_add(turn);
                }
            }
        }
    }
}

/// +1 where a line along x through a place leaves through the triangle, −1 where it enters, `None` where it misses.
fn turn_round(t: &[Point3<f64>; 3], p: &Point3<f64>) -> Option<i16> {
    let mut turn = 0;
    for corner in 0..3 {
        let (a, b) = (&t[corner], &t[(corner + 1) % 3]);
        let area = orient2d(0, a, b, p);
        // The line is moved a little along y, and far less along z.
        let sign = match area {
            area if area > 0.0 => 1,
            area if area < 0.0 => -1,
            _ if a.z != b.z => {
                if a.z > b.z {
                    1
                } else {
                    -1
                }
            }
            _ if a.y != b.y => {
                if b.y > a.y {
                    1
                } else {
                    -1
                }
            }
            _ => return None,
        };
        if turn != 0 && sign != turn {
            return None;
        }
        turn = sign;
    }
    Some(turn)
}

/// Where a line along x through a place meets the plane of a triangle that it crosses (m).
fn crossing([a, b, c]: &[Point3<f64>; 3], p: &Point3<f64>) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let x = a.x - (normal.y * (p.y - a.y) + normal.z * (p.z - a.z)) / normal.x;
    let (low, high) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
    if x.is_nan() { 0.5 * (low + high) } else { x.clamp(low, high) }
}

/// The place of a triangle that is nearest to a point.
///
/// Source: Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
fn nearest(p: &Point3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> Point3<f64> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + part(ab, d1, d1 - d3);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + part(ac, d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + part(c - b, d4 - d3, (d4 - d3) + (d5 - d6));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// A part of an edge.
fn part(edge: Vector3<f64>, over: f64, under: f64) -> Vector3<f64> {
    if under > 0.0 { edge * (over / under) } else { Vector3::zeros() }
}
