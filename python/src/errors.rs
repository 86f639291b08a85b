//! Errors of the library as the exceptions of `impinge.errors`.

use impinge::geometry::{MeshError, PoseError, ShapeError};
use impinge::query::{BatchError, UnevenPoses};
use impinge::{BuildError, QueryError, WorldError};
use pyo3::{PyErr, import_exception};

import_exception!(impinge.errors, MeshFileError);
import_exception!(impinge.errors, InvalidMesh);
import_exception!(impinge.errors, InvalidShape);
import_exception!(impinge.errors, InvalidPose);
import_exception!(impinge.errors, InvalidSetting);
import_exception!(impinge.errors, NoTriangles);
import_exception!(impinge.errors, UnknownCollider);
import_exception!(impinge.errors, ForkedWorld);

pub fn of_mesh(error: MeshError) -> PyErr {
    match error {
        MeshError::Io { .. }
        | MeshError::UnknownFormat { .. }
        | MeshError::FormatNotBuilt { .. }
        | MeshError::CannotWrite { .. }
        | MeshError::Parse { .. } => MeshFileError::new_err(error.to_string()),
        _ => InvalidMesh::new_err(error.to_string()),
    }
}

pub fn of_shape(error: ShapeError) -> PyErr {
    match error {
        ShapeError::Mesh(error) => of_mesh(error),
        _ => InvalidShape::new_err(error.to_string()),
    }
}

pub fn of_pose(error: &PoseError) -> PyErr {
    InvalidPose::new_err(error.to_string())
}

pub fn of_query(error: &QueryError) -> PyErr {
    let text = error.to_string();
    match error {
        QueryError::Pose { .. } => InvalidPose::new_err(text),
        QueryError::NoTriangles { .. } => NoTriangles::new_err(text),
        _ => InvalidSetting::new_err(text),
    }
}

/// Of a batch whose first pose is the caller's pose `first`.
pub fn of_batch(mut error: BatchError, first: usize) -> PyErr {
    error.pose += first;
    let text = error.to_string();
    match error.source {
        QueryError::Pose { .. } => InvalidPose::new_err(text),
        QueryError::NoTriangles { .. } => NoTriangles::new_err(text),
        _ => InvalidSetting::new_err(text),
    }
}

pub fn of_uneven(error: &UnevenPoses) -> PyErr {
    InvalidPose::new_err(error.to_string())
}

pub fn of_build(error: &BuildError) -> PyErr {
    InvalidSetting::new_err(error.to_string())
}

pub fn of_world(error: WorldError) -> PyErr {
    let text = error.to_string();
    match error {
        WorldError::UnknownCollider { .. } | WorldError::UnknownShape { .. } => {
            UnknownCollider::new_err(text)
        }
        WorldError::Pose(_) => InvalidPose::new_err(text),
        WorldError::Shape(error) => of_shape(error),
        _ => InvalidSetting::new_err(text),
    }
}
