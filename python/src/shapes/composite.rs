//! Several shapes that move as one.

use impinge::Shape as LibraryShape;
use impinge::geometry::Composite as LibraryComposite;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::{Shape, base, one_shape};
use crate::errors::of_shape;
use crate::poses::pose;

/// Several shapes that move as one. children: pairs (pose, shape), or triples (name, pose, shape); poses as everywhere.
/// Composites in composites are laid open.
#[pyclass(frozen, extends = Shape, module = "impinge")]
pub struct Composite {
    children: Py<PyList>,
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
        Ok(base(&shape)?.add_subclass(Composite { children: list.unbind() }))
    }

    /// The children as they were given.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.children.bind(py).clone()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyList>,) {
        (self.children(py),)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Composite({} children)", self.children.bind(py).len())
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Composite>()
}
