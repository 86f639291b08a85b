//! Shapes as Python classes. Every one is built once and shared by all that asks about it.

mod composite;
mod data;
mod grids;
mod mesh;
mod primitive;

use impinge::{PreparedShape, Shape as LibraryShape};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::of_shape;
use crate::threads::prepared;

pub use grids::{grid, points};
pub use mesh::Mesh;

/// Any shape.
#[pyclass(frozen, subclass, module = "impinge", name = "Shape")]
pub struct Shape {
    pub prepared: PreparedShape,
}

#[pymethods]
impl Shape {
    /// Whether it has an inside: whether no mesh of it is open.
    #[getter]
    fn is_solid(&self) -> bool {
        self.prepared.is_solid()
    }

    /// Lowest and highest corner of its box (m), shape (2, 3); infinite of a half-space.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let bounds = self.prepared.shape().aabb();
        let corners = [bounds.min, bounds.max].concat();
        PyArray1::from_iter(py, corners.into_iter().map(f64::from)).reshape([2, 3])
    }

    /// Volume (m³).
    #[getter]
    fn volume(&self) -> PyResult<f64> {
        match self.prepared.shape().mass_properties() {
            Ok(mass) => Ok(mass.volume),
            Err(error) => Err(crate::errors::InvalidShape::new_err(error.to_string())),
        }
    }

    /// All that the shape is, in JSON: `impinge.from_json` makes the same of it, to the last bit.
    fn to_json(&self) -> PyResult<String> {
        data::json(self)
    }

    /// The shape less a hole: a Sphere, Cylinder or Box at a pose (m). open: which of its flat sides have no end, as "-z +z". facets: around a round hole.
    /// Gives a Mesh, or a shape of several where it is one.
    #[pyo3(signature = (hole, pose=None, *, open="", facets=96))]
    fn cut(
        &self,
        hole: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        open: &str,
        facets: u32,
    ) -> PyResult<Py<PyAny>> {
        data::cut(self, hole, pose, open, facets)
    }

    /// The heights of a height field (m), shape (rows, samples) float32; None of other shapes.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.prepared.shape() {
            LibraryShape::Field(field) => grids::heights(py, field).map(Some),
            _ => Ok(None),
        }
    }
}

const OR_LIST: &str = " or a list of them";

/// The error of what is no shape, with what would be right.
fn refused(what: &Bound<'_, PyAny>, name: &str, or: &str) -> PyErr {
    let kind = what.get_type();
    let remedy = if what.hasattr("vertices").unwrap_or(false) {
        "make it one once with impinge.Mesh(...) and keep it".to_owned()
    } else {
        format!("it must be an impinge shape (Mesh, Sphere, Box, ...){or}")
    };
    pyo3::exceptions::PyTypeError::new_err(format!("{name} is a {kind}: {remedy}"))
}

/// A shape.
pub fn one_shape(value: &Bound<'_, PyAny>, name: &str) -> PyResult<PreparedShape> {
    Ok(value.cast::<Shape>().map_err(|_| refused(value, name, ""))?.get().prepared.clone())
}

/// What several shapes in a call are.
pub enum ShapeList {
    One(PreparedShape),
    Several(Vec<PreparedShape>),
}

impl ShapeList {
    pub fn read(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ShapeList> {
        if let Ok(shape) = value.cast::<Shape>() {
            return Ok(ShapeList::One(shape.get().prepared.clone()));
        }
        let items = value.try_iter().map_err(|_| refused(value, name, OR_LIST))?;
        let shapes: PyResult<Vec<PreparedShape>> = items
            .map(|item| {
                let item = item?;
                Ok(item.cast::<Shape>().map_err(|_| refused(&item, name, OR_LIST))?.get().prepared.clone())
            })
            .collect();
        Ok(ShapeList::Several(shapes?))
    }

    pub fn count(&self) -> Option<usize> {
        match self {
            ShapeList::One(_) => None,
            ShapeList::Several(shapes) => Some(shapes.len()),
        }
    }

    pub fn get(&self, index: usize) -> &PreparedShape {
        match self {
            ShapeList::One(shape) => shape,
            ShapeList::Several(shapes) => &shapes[index],
        }
    }
}

/// What a shape of a kind is built on.
fn base(shape: &LibraryShape) -> PyResult<PyClassInitializer<Shape>> {
    shape.check().map_err(of_shape)?;
    Ok(PyClassInitializer::from(Shape { prepared: prepared(shape)? }))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Shape>()?;
    module.add_class::<Mesh>()?;
    module.add_function(wrap_pyfunction!(mesh::load, module)?)?;
    module.add_function(wrap_pyfunction!(data::from_json, module)?)?;
    grids::register(module)?;
    primitive::register(module)?;
    composite::register(module)
}
