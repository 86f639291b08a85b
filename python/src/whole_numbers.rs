//! Whole numbers that callers give by keywords. Those out of range are refused by name, where pyo3 alone has an OverflowError without one.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::errors::{InvalidSetting, UnknownCollider};

/// A number that fits its type; what is none is refused with what would be right.
fn whole<T: TryFrom<u64>>(value: &Bound<'_, PyAny>, name: &str, right: &str) -> PyResult<T> {
    let out_of_range = || InvalidSetting::new_err(format!("{name} is {value}; it must be {right}"));
    match value.extract::<u64>() {
        Ok(number) => T::try_from(number).map_err(|_| out_of_range()),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Err(out_of_range()),
        Err(_) => Err(PyTypeError::new_err(format!(
            "{name} is a {}; it must be a whole number, {right}",
            value.get_type()
        ))),
    }
}

/// As [`whole`]; `None` is no number.
fn maybe<T: TryFrom<u64>>(value: &Bound<'_, PyAny>, name: &str, right: &str) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { whole(value, name, right).map(Some) }
}

const MOST_THREADS: usize = 1024;
const THREADS: &str = "from 0 to 1024; 0 is one per core";
const BITS: &str = "32 bits, from 0 to 0xffffffff";

pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let count = whole(value, "threads", THREADS)?;
    if count > MOST_THREADS {
        return Err(InvalidSetting::new_err(format!("threads is {count}; it must be {THREADS}")));
    }
    Ok(count)
}

/// Of one call, where `None` is what holds for all.
pub fn threads_of_call(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() { Ok(None) } else { threads(value).map(Some) }
}

pub fn resolution(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole(value, "resolution", "a power of two from 4 to 256")
}

pub fn max_points(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value, "max_points", "from 1 to 4")
}

pub fn max_manifolds(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value, "max_manifolds", "at least 1")
}

pub fn part(value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    maybe(value, "part", BITS)
}

pub fn groups(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole(value, "groups", BITS)
}

pub fn mask(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole(value, "mask", BITS)
}

pub fn new_groups(value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    maybe(value, "groups", BITS)
}

pub fn new_mask(value: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    maybe(value, "mask", BITS)
}

/// Triangles, or the place of a pose.
pub fn count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value, "the number", "at least 0, in 64 bits")
}

pub fn user_data(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "user_data", "64 bits, from 0 to 0xffffffffffffffff")
}

/// The number of a collider. What cannot be one is the number of none.
pub fn collider(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            return UnknownCollider::new_err(format!("no collider has the number {value}"));
        }
        PyTypeError::new_err(format!(
            "a collider is a {}; it must be a number that add() returned",
            value.get_type()
        ))
    })
}

pub fn other_collider(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if value.is_none() { Ok(None) } else { collider(value).map(Some) }
}
