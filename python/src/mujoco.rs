//! MuJoCo's contacts between meshes: a collision function with C's calling convention, installed in MuJoCo's own table of them.
//!
//! MuJoCo is not linked. The Python side tells where in `mjModel` and `mjData` the fields are, how large a contact is, and what
//! the table held before.

mod callback;
mod contact_choice;
mod counts;
mod ellipsoid;
mod mesh_cache;
mod mesh_mark;
mod model;
mod open_meshes;
mod setup;

use pyo3::prelude::*;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(setup::mujoco_setup, module)?)?;
    module.add_function(wrap_pyfunction!(setup::mujoco_before, module)?)?;
    module.add_function(wrap_pyfunction!(callback::mujoco_callback, module)?)?;
    module.add_function(wrap_pyfunction!(mesh_cache::mujoco_forget, module)?)?;
    module.add_function(wrap_pyfunction!(mesh_cache::mujoco_kept, module)?)?;
    module.add_function(wrap_pyfunction!(open_meshes::mujoco_open_meshes, module)?)?;
    module.add_function(wrap_pyfunction!(counts::mujoco_counts, module)?)
}
