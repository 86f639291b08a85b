//! Shapes as data, and shapes with holes.

use impinge::Shape as LibraryShape;
use impinge::geometry::Cutout;
use pyo3::prelude::*;

use super::{Shape, composite, grids, mesh, one_shape, primitive};
use crate::errors::{InvalidShape, of_shape};
use crate::threads::prepared;

/// The shape of a text in JSON, as `Shape.to_json` writes it: any kind, to the last bit. Raises InvalidShape where it is none.
#[pyfunction]
pub fn from_json(py: Python<'_>, text: &str) -> PyResult<Py<PyAny>> {
    let shape: LibraryShape =
        py.detach(|| serde_json::from_str(text)).map_err(|error| InvalidShape::new_err(error.to_string()))?;
    object(py, shape)
}

/// A shape as an object of the class that it has in Python.
pub fn object(py: Python<'_>, shape: LibraryShape) -> PyResult<Py<PyAny>> {
    match shape {
        LibraryShape::Mesh(own) => Ok(mesh::new_shared(py, own)?.into_any()),
        LibraryShape::Primitive(own) => primitive::object(py, own),
        LibraryShape::Hull(_) => primitive::hull(py, &shape),
        LibraryShape::Field(_) | LibraryShape::Levels(_) | LibraryShape::Particles(_) => {
            grids::object(py, &shape)
        }
        LibraryShape::Composite(_) => composite::object(py, &shape),
        // A kind that has no class of its own.
        other => {
            let prepared = prepared(&other)?;
            Ok(Py::new(py, Shape { prepared })?.into_any())
        }
    }
}

/// What pickles keep of a shape.
pub fn reduce(py: Python<'_>, shape: &Shape) -> PyResult<(Py<PyAny>, (String,))> {
    let from = py.import("impinge._impinge")?.getattr("from_json")?.unbind();
    Ok((from, (json(shape)?,)))
}

pub fn json(shape: &Shape) -> PyResult<String> {
    serde_json::to_string(shape.prepared.shape()).map_err(|error| InvalidShape::new_err(error.to_string()))
}

/// A shape less a sphere, cylinder or box.
pub fn cut(
    shape: &Shape,
    hole: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    open: &str,
    facets: u32,
) -> PyResult<Py<PyAny>> {
    let (py, at) = (hole.py(), crate::poses::pose(pose, "pose")?);
    let hole = one_shape(hole, "hole")?;
    let LibraryShape::Primitive(primitive) = *hole.shape() else {
        return Err(InvalidShape::new_err("a hole is a Sphere, a Cylinder or a Box"));
    };
    let mut cutout = Cutout::new(primitive).and_then(|cutout| cutout.facets(facets)).map_err(of_shape)?;
    for side in open.split_whitespace() {
        let (axis, high) = match side {
            "-x" => (0, false),
            "+x" => (0, true),
            "-y" => (1, false),
            "+y" => (1, true),
            "-z" => (2, false),
            "+z" => (2, true),
            other => {
                let text = format!("open has the side {other:?}; sides are -x, +x, -y, +y, -z and +z");
                return Err(InvalidShape::new_err(text));
            }
        };
        cutout = cutout.open(axis, high).map_err(of_shape)?;
    }
    object(py, shape.prepared.shape().cut(&[(at, cutout)]).map_err(of_shape)?)
}
