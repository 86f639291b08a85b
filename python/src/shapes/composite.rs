//! Several shapes that move as one.

use impinge::Shape as LibraryShape;
use impinge::geometry::Composite as LibraryComposite;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::{Shape, base, one_shape};
use crate::errors::{InvalidShape, of_shape};
use crate::poses::{matrix, pose};

/// Several shapes that move as one. children: pairs (pose, shape), or triples (name, pose, shape); poses as everywhere.
/// Composites in composites are laid open.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Composite {
    children: Py<PyList>,
    /// Whether it was read, so that matrices are not all that its poses are.
    read: bool,
}

#[pymethods]
impl Composite {
    #[new]
    fn new(children: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Composite>> {
        let py = children.py();
        let (list, mut parts) = (PyList::empty(py), Vec::new());
        for (index, child) in children.try_iter()?.enumerate() {
            let child = child?;
            let items: Vec<Bound<'_, PyAny>> = child.extract().unwrap_or_default();
            let (name, place, shape) = match &items[..] {
                [place, shape] => (String::new(), place, shape),
                [name, place, shape] if name.is_instance_of::<PyString>() => (name.extract()?, place, shape),
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "children[{index}] must be (pose, shape) or (name, pose, shape)"
                    )));
                }
            };
            let shape = one_shape(shape, &format!("children[{index}]"))?;
            let place = pose(Some(place), &format!("pose of children[{index}]"))?;
            parts.push((name, place, shape.shape().clone()));
            list.append(child)?;
        }
        let shape = LibraryShape::from(LibraryComposite::named(parts).map_err(of_shape)?);
        Ok(base(&shape)?.add_subclass(Composite { children: list.unbind(), read: false }))
    }

    /// The children as they were given; names, poses of shape (4, 4) and shapes of one that was read.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.children.bind(py).clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        if own.read {
            let (from, text) = super::data::reduce(py, slf.borrow().as_super())?;
            return Ok((from.into_bound(py), text.into_pyobject(py)?));
        }
        Ok((slf.get_type().into_any(), (own.children(py),).into_pyobject(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Composite({} children)", self.children.bind(py).len())
    }
}

/// A composite of the library's.
pub fn object(py: Python<'_>, shape: &LibraryShape) -> PyResult<Py<PyAny>> {
    let LibraryShape::Composite(own) = shape else {
        return Err(InvalidShape::new_err("it is no composite"));
    };
    let children = PyList::empty(py);
    for ((place, child), name) in own.children().iter().zip(own.names()) {
        let place = PyArray1::from_slice(py, &matrix(place)).reshape([4, 4])?;
        children.append((name, place, super::data::object(py, child.clone())?))?;
    }
    let composite = Composite { children: children.unbind(), read: true };
    Ok(Py::new(py, base(shape)?.add_subclass(composite))?.into_any())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Composite>()
}
