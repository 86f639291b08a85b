//! The extension module `impinge._impinge`: shapes, queries and worlds for Python. The package around it, in
//! `impinge/`, has what Python says better.

mod arrays;
mod contact_arrays;
mod edits;
mod errors;
mod mujoco;
mod poses;
mod queries;
mod query_settings;
mod shapes;
mod threads;
mod whole_numbers;
mod world;

use pyo3::prelude::*;

#[pymodule]
fn _impinge(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    shapes::register(module)?;
    queries::register(module)?;
    threads::register(module)?;
    world::register(module)?;
    edits::register(module)?;
    mujoco::register(module)
}
