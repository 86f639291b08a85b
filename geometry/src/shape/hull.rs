//! Convex hulls.

use std::sync::Arc;

use nalgebra::Point3;

use super::quickhull;
use crate::reach::within_reach;
use crate::{ShapeError, TriMesh};

/// The convex hull of points: its vertices and faces as a closed mesh, convex to the last bit.
#[derive(Clone, Debug)]
pub struct ConvexHull {
    pub(super) mesh: Arc<TriMesh>,
}

impl ConvexHull {
    /// The hull of `points` (m).
    ///
    /// # Errors
    /// [`ShapeError::HullPoint`] for a coordinate that is not finite or beyond
    /// [`FARTHEST`](crate::FARTHEST), [`ShapeError::FlatHull`] where
    /// the points span no volume, or lie in a plane to within the rounding of `f32` coordinates.
    pub fn new(points: &[Point3<f32>]) -> Result<ConvexHull, ShapeError> {
        if let Some(index) = points.iter().position(|p| !p.iter().all(|&x| within_reach(x))) {
            return Err(ShapeError::HullPoint { index, value: points[index].into() });
        }
        let flat = ShapeError::FlatHull { points: points.len() };
        let (vertices, triangles) = quickhull::convex_hull(points).ok_or(flat.clone())?;
        let mesh = TriMesh::new(vertices, triangles).map_err(|_| flat.clone())?;
        if !mesh.is_closed() {
            return Err(flat);
        }
        Ok(ConvexHull { mesh: Arc::new(mesh) })
    }

    /// Its surface.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }
}

impl TriMesh {
    /// The convex hull of the vertices that triangles use. It is a shape of its own, cheaper in contacts than the mesh, and
    /// bounds a volume where the mesh may not.
    ///
    /// ```
    /// use impinge_geometry::{Shape, TriMesh};
    /// use nalgebra::Point3;
    ///
    /// // Three sides of a tetrahedron.
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]];
    /// let open = TriMesh::new(corners.map(Point3::from).to_vec(), faces)?;
    /// let hull = Shape::from(open.hull()?);
    /// assert!((hull.mass_properties()?.volume - 1.0 / 6.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::FlatHull`], as [`ConvexHull::new`].
    pub fn hull(&self) -> Result<ConvexHull, ShapeError> {
        let mut used: Vec<u32> = self.triangles().iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let points: Vec<Point3<f32>> = used.into_iter().map(|v| self.vertices()[v as usize]).collect();
        ConvexHull::new(&points)
    }
}
