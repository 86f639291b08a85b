//! A mesh as its file writes it, before it is rounded to `f32`.

use nalgebra::{Point3, Vector3};

use super::decimals::Decimals;
use super::polygon::triangulate;
use crate::mesh::{Arrays, RepairSettings};
use crate::{MeshError, TriMesh};

/// The most that coordinates may lose to `f32` before a common origin is taken off, as a part of
/// the mesh's size.
const MOST_LOST: f64 = 1e-6;

/// The arrays of a file, in the numbers that it writes.
#[derive(Clone, Debug, Default)]
pub(super) struct FileMesh {
    /// (m).
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
    /// The decimals of the coordinates, without any in binary files.
    pub decimals: Decimals,
}

impl FileMesh {
    /// Adds a polygon as triangles.
    pub(super) fn push_polygon(&mut self, corners: &[u32]) {
        triangulate(&self.vertices, corners, &mut self.triangles);
    }

    /// Takes a common origin (m) off the vertices where `f32` would round them by more than a
    /// millionth of the mesh's size, and returns it. It is a multiple of a power of two of about
    /// that size, so that nothing is lost by the subtraction.
    pub(super) fn take_origin(&mut self) -> Vector3<f64> {
        let [low, high] = self.bounds();
        let size = (high - low).norm();
        if self.rounding() <= MOST_LOST * size || !size.is_normal() {
            return Vector3::zeros();
        }
        let step = libm::exp2(libm::ceil(libm::log2(size)));
        let origin = nalgebra::center(&low, &high).coords.map(|x| libm::round(x / step) * step);
        self.vertices.iter_mut().for_each(|p| *p -= origin);
        origin
    }

    /// Makes a mesh of it, repaired within the bounds of `settings` and of its decimals.
    pub(super) fn repaired(self, settings: &RepairSettings) -> Result<TriMesh, MeshError> {
        let settings = settings.or_decimal(self.decimals.step());
        let rounding = self.rounding();
        let (vertices, triangles) = self.rounded();
        let mut mesh = TriMesh::repaired(vertices, triangles, &settings)?;
        mesh.note_rounding(rounding);
        Ok(mesh)
    }

    /// Makes a mesh of it as it is.
    pub(super) fn welded(self) -> Result<TriMesh, MeshError> {
        let rounding = self.rounding();
        let (vertices, triangles) = self.rounded();
        let mut mesh = TriMesh::welded(vertices, triangles)?;
        mesh.note_rounding(rounding);
        Ok(mesh)
    }

    fn bounds(&self) -> [Point3<f64>; 2] {
        let first = self.vertices.first().copied().unwrap_or_default();
        self.vertices.iter().fold([first; 2], |[low, high], p| [low.inf(p), high.sup(p)])
    }

    /// Returns the most that `f32` rounds a coordinate by (m).
    fn rounding(&self) -> f64 {
        let lost = |x: &f64| (x - f64::from(*x as f32)).abs();
        self.vertices.iter().flat_map(|p| p.iter().map(lost)).fold(0.0, f64::max)
    }

    /// Returns the vertices rounded to `f32`, and the triangles.
    fn rounded(self) -> Arrays {
        (self.vertices.iter().map(|p| p.cast()).collect(), self.triangles)
    }
}
