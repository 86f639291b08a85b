//! Arrays of numpy, and whatever numpy makes one of.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A function of `impinge._arrays`.
fn convert<'py>(
    function: &'static PyOnceLock<Py<PyAny>>,
    called: &str,
    value: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let function = function.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        Ok(py.import("impinge._arrays")?.getattr(called)?.unbind())
    })?;
    function.bind(py).call1((value, name))
}

/// Floating-point numbers of any shape, as `f64`.
pub fn floats<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    static FUNCTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    // The common case without a call of Python.
    if value.is_exact_instance_of::<PyUntypedArray>()
        && let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
        && array.is_aligned()
    {
        return Ok(array.readonly());
    }
    Ok(convert(&FUNCTION, "floats", value, name)?.cast_into::<PyArrayDyn<f64>>()?.readonly())
}

/// Three numbers; `refused` makes the error of an array of another shape.
pub fn triple(value: &Bound<'_, PyAny>, name: &str, refused: fn(String) -> PyErr) -> PyResult<[f64; 3]> {
    let array = floats(value, name)?;
    match (array.shape(), array.as_slice()?) {
        ([3], &[x, y, z]) => Ok([x, y, z]),
        (shape, _) => Err(refused(format!("{name} has shape {}; it must be (3,)", shape_text(shape)))),
    }
}

/// Whole numbers of any shape, as `i64`.
pub fn integers<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, i64>> {
    static FUNCTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(convert(&FUNCTION, "integers", value, name)?.cast_into::<PyArrayDyn<i64>>()?.readonly())
}

/// A shape of an array as numpy writes it.
pub fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    match &sizes[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    }
}
