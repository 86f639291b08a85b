//! Arrays of numpy, and whatever numpy makes one of.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// `numpy.ascontiguousarray` and the data types that it is asked for.
fn contiguous<'py>(value: &Bound<'py, PyAny>, dtype: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    static FUNCTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let function = FUNCTION.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
        Ok(py.import("numpy")?.getattr("ascontiguousarray")?.unbind())
    })?;
    let keywords = PyDict::new(py);
    if let Some(dtype) = dtype {
        keywords.set_item("dtype", dtype)?;
    }
    function.bind(py).call((value,), Some(&keywords))
}

/// Floating-point numbers of any shape, as `f64`.
pub fn floats<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    // The common case without a call of Python.
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
    {
        return Ok(array.readonly());
    }
    let array = contiguous(value, None)
        .and_then(|array| match kind(&array)?.as_str() {
            "f" | "i" | "u" => contiguous(&array, Some("float64")),
            other => Err(PyTypeError::new_err(format!("it holds `{other}`"))),
        })
        .map_err(|error| {
            PyTypeError::new_err(format!(
                "{name} must be an array of real numbers: {}",
                error.value(value.py())
            ))
        })?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?.readonly())
}

/// Whole numbers of any shape, as `i64`.
pub fn integers<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, i64>> {
    let array = contiguous(value, None)
        .and_then(|array| match kind(&array)?.as_str() {
            "i" | "u" => contiguous(&array, Some("int64")),
            other => Err(PyTypeError::new_err(format!("it holds `{other}`"))),
        })
        .map_err(|error| {
            PyTypeError::new_err(format!("{name} must be an array of integers: {}", error.value(value.py())))
        })?;
    Ok(array.cast_into::<PyArrayDyn<i64>>()?.readonly())
}

/// The character of the kind of numbers that an array holds: `f`, `i`, `u` and so on.
fn kind(array: &Bound<'_, PyAny>) -> PyResult<String> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

/// A shape of an array as numpy writes it.
pub fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    match &sizes[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", sizes.join(", ")),
    }
}
