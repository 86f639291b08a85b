//! A mesh at another size or place: the same surface on moved vertices.
//!
//! Triangles, edges, virtual faces and the report stay, so what is closed stays closed. Coordinates are computed in
//! `f64` and rounded to `f32` once.

use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Point3, Vector3};

use super::{TriMesh, sound, topology};
use crate::{MeshError, canonical, predicate};

impl TriMesh {
    /// The mesh made larger or smaller, about its frame's origin: 0.001 brings millimetres to metres. A negative factor
    /// mirrors it through the origin. See [`TriMesh::scaled_by`].
    ///
    /// ```
    /// use impinge_geometry::Primitive;
    ///
    /// let millimetres = Primitive::Cuboid { half: [50.0, 50.0, 50.0] }.surface().unwrap();
    /// let cube = millimetres.scaled(0.001)?;
    /// assert!((cube.mass_properties()?.volume - 0.001).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`TriMesh::scaled_by`].
    pub fn scaled(&self, factor: f64) -> Result<TriMesh, MeshError> {
        self.scaled_by([factor; 3])
    }

    /// The mesh with its coordinates x, y, z multiplied by a factor each. Where an odd number of factors is negative it
    /// is mirrored, and its triangles are turned, so that a surface that faced outward still does.
    ///
    /// Topology, virtual faces, [`TriMesh::report`] and [`TriMesh::repairs`] are kept; lengths of repairs are multiplied by
    /// the largest factor. A triangle that `f32` cannot tell from a line at its new size loses its area, as in
    /// [`TriMesh::with_vertices`].
    ///
    /// # Errors
    /// [`MeshError::Factor`] for a factor that is 0 or not finite, [`MeshError::VertexTooFar`] beyond
    /// [`FARTHEST`](crate::FARTHEST), [`MeshError::NothingSound`] where `f32` leaves no triangle an area.
    pub fn scaled_by(&self, factors: [f64; 3]) -> Result<TriMesh, MeshError> {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(factors) {
            if !value.is_finite() || value == 0.0 {
                return Err(MeshError::Factor { axis, value });
            }
        }
        let factors = Vector3::from(factors);
        let mut scaled = self.moved(|p| Point3::from(p.coords.component_mul(&factors)))?;
        let mirrored = factors.iter().filter(|f| **f < 0.0).count() % 2 == 1;
        let repaired = !self.repairs().is_empty();
        if mirrored || repaired {
            let mut connectivity = (*scaled.connectivity).clone();
            if mirrored {
                connectivity.turn();
            }
            connectivity.repairs.scale(factors.amax());
            scaled.connectivity = Arc::new(connectivity);
        }
        Ok(scaled)
    }

    /// The mesh as it stands at `pose`, in the frame the pose leads to. What it knows is kept, as in
    /// [`TriMesh::scaled_by`].
    ///
    /// # Errors
    /// [`MeshError::Pose`] for a pose that cannot be used, [`MeshError::VertexTooFar`] and [`MeshError::NothingSound`] as
    /// [`TriMesh::scaled_by`].
    pub fn transformed(&self, pose: &Isometry3<f64>) -> Result<TriMesh, MeshError> {
        let pose = canonical::checked_pose(pose)?;
        let (rotation, offset) = (canonical::rotation(&pose.rotation), pose.translation.vector);
        self.moved(|p| Point3::from(rotation * p.coords + offset))
    }

    /// The mesh moved so that its [`TriMesh::centroid`] is the origin, to the rounding of `f32`, and where the centroid was
    /// (m): a collider at that position stands where the mesh stood.
    ///
    /// ```
    /// use impinge_geometry::Primitive;
    /// use nalgebra::Translation3;
    ///
    /// let cube = Primitive::Cuboid { half: [1.0; 3] }.surface().unwrap();
    /// let beside = cube.transformed(&Translation3::new(7.0, 0.0, 0.0).into())?;
    /// let (centered, centroid) = beside.recentered()?;
    /// assert_eq!(centered.aabb(), cube.aabb());
    /// assert_eq!(<[f64; 3]>::from(centroid), [7.0, 0.0, 0.0]);
    /// # Ok::<(), impinge_geometry::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::NothingSound`] as [`TriMesh::scaled_by`], for a mesh that has lost its area to a deformation.
    pub fn recentered(&self) -> Result<(TriMesh, Vector3<f64>), MeshError> {
        let centroid = self.centroid().coords;
        Ok((self.moved(|p| p - centroid)?, centroid))
    }

    /// The centre of mass (m) of the solid where the surface is closed around a volume, else that of the surface, as of
    /// a sheet of even thickness.
    pub fn centroid(&self) -> Point3<f64> {
        if let Ok(mass) = self.mass_properties() {
            return mass.center;
        }
        // Relative to a vertex, so that accuracy does not depend on where the mesh stands.
        let reference = self.corners(0)[0].cast::<f64>();
        let (mut area, mut moment) = (0.0, Vector3::zeros());
        for triangle in 0..self.triangles().len() as u32 {
            let corners = self.corners(triangle).map(|p| p.cast::<f64>());
            let own = predicate::area_vector(&corners).norm();
            area += own;
            moment += corners.iter().map(|p| p - reference).sum::<Vector3<f64>>() * (own / 3.0);
        }
        if area > 0.0 { reference + moment / area } else { reference }
    }

    /// The mesh on moved vertices (m), at least one triangle of which keeps an area.
    fn moved(&self, place: impl Fn(Point3<f64>) -> Point3<f64>) -> Result<TriMesh, MeshError> {
        let most = f64::from(f32::MAX);
        let rounded = |p: &Point3<f32>| place(p.cast()).map(|x| x.clamp(-most, most) as f32);
        let vertices: Vec<Point3<f32>> = self.vertices.iter().map(rounded).collect();
        sound::check_coordinates(&vertices)?;
        let (aabb, sphere) = topology::bounds(&vertices, &self.connectivity);
        let connectivity = Arc::clone(&self.connectivity);
        let moved =
            TriMesh { vertices, aabb, sphere, connectivity, shells_overlap: OnceLock::new(), trace: None };
        let triangles = moved.triangles().len();
        let is_flat = |t: usize| predicate::is_degenerate(&moved.corners(t as u32).map(|p| p.cast()));
        if (0..triangles).all(is_flat) {
            return Err(MeshError::NothingSound { triangles, degenerate: triangles, duplicate: 0 });
        }
        Ok(moved)
    }
}

#[cfg(test)]
mod tests;
