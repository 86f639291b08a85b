//! Meshes of the caller's, made fit for a scene.

use std::path::Path;

use impinge_geometry::{RepairSettings, Shape, ShapeError, TriMesh};
use nalgebra::{Point3, Vector3};

use super::SceneError;

/// Bounding radius to which meshes are scaled (m).
const RADIUS: f64 = 0.42;

/// How mesh files are made into bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshOptions {
    /// Bounds for repairs; `None` takes meshes as the files have them.
    pub repairs: Option<RepairSettings>,
    /// Takes the convex hull in place of the mesh.
    pub hull: bool,
    /// Closes open meshes (up is +z) by extruding them downward by so much (m, before they are scaled).
    pub one_sided: Option<f32>,
    /// The factor for all lengths; `None` scales each mesh so that it fits the scene.
    pub scale: Option<f64>,
}

impl Default for MeshOptions {
    fn default() -> MeshOptions {
        MeshOptions { repairs: Some(RepairSettings::default()), hull: false, one_sided: None, scale: None }
    }
}

impl MeshOptions {
    /// Reads a file and makes a mesh of it that bounds a volume.
    ///
    /// # Errors
    /// [`SceneError::Mesh`] for a file that cannot be read, [`SceneError::Soup`] for a mesh that stays open,
    /// [`SceneError::MeshFile`] for one that a hull, a thickness or a factor cannot be used with.
    pub fn load(&self, path: &Path) -> Result<TriMesh, SceneError> {
        let mut mesh = match &self.repairs {
            Some(settings) => TriMesh::load_repaired(path, settings)?,
            None => TriMesh::load_unrepaired(path)?,
        };
        let in_file = |source: ShapeError| SceneError::MeshFile { path: path.into(), source };
        if self.hull {
            mesh = TriMesh::clone(mesh.hull().map_err(in_file)?.mesh());
        } else if let Some(thickness) = self.one_sided.filter(|_| !mesh.is_closed()) {
            mesh = mesh.one_sided(thickness, Vector3::z()).map_err(|error| in_file(error.into()))?;
        }
        if let Some(factor) = self.scale {
            mesh = mesh.scaled(factor).map_err(|error| in_file(error.into()))?;
        }
        if mesh.is_closed() {
            return Ok(mesh);
        }
        Err(SceneError::Soup { path: path.into(), defects: mesh.report().defects.len() })
    }

    /// The shape of a file, its bounding sphere around the origin.
    pub(super) fn shape(&self, path: &Path) -> Result<Shape, SceneError> {
        let mesh = self.load(path)?;
        let sphere = mesh.bounding_sphere();
        let center = sphere.center.cast::<f64>();
        let factor = self.scale.map_or(RADIUS / f64::from(sphere.radius), |_| 1.0);
        let place = |v: &Point3<f32>| Point3::from((v.cast::<f64>() - center) * factor).cast::<f32>();
        let vertices: Vec<Point3<f32>> = mesh.vertices().iter().map(place).collect();
        if self.hull {
            return Ok(Shape::hull(&vertices)?);
        }
        if mesh.has_virtual_faces() {
            return Ok(mesh.with_vertices(vertices)?.into());
        }
        let fitted = TriMesh::new(vertices, mesh.triangles().to_vec())?;
        if fitted.is_closed() {
            return Ok(fitted.into());
        }
        Err(SceneError::Soup { path: path.into(), defects: fitted.report().defects.len() })
    }
}
