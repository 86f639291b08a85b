//! Convex hulls.

use std::sync::Arc;

use nalgebra::Point3;

use super::quickhull;
use crate::reach::within_reach;
use crate::{ShapeError, TriMesh};

/// The convex hull of points: its vertices and faces as a closed mesh, convex to the last bit.
#[derive(Clone, Debug)]
pub struct ConvexHull {
    mesh: Arc<TriMesh>,
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
