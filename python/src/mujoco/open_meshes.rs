//! Meshes that are left to MuJoCo because they are open, and one warning for each.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use pyo3::ffi;
use pyo3::prelude::*;

/// A mesh's number in its model, its triangles, and why it is open.
type OpenMesh = (usize, usize, String);

static NOTED: Mutex<Vec<OpenMesh>> = Mutex::new(Vec::new());

/// Notes an open mesh, and has the interpreter warn of it when it can: the callback must not wait for its lock, which the thread
/// that called MuJoCo may hold.
pub fn note(mesh: usize, triangles: usize, reason: String) {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner).push((mesh, triangles, reason));
    // SAFETY: it may be called from any thread, with the interpreter's lock or without. Where the interpreter's list of calls is full, the
    // mesh stays in the report.
    unsafe { ffi::Py_AddPendingCall(Some(warn), ptr::null_mut()) };
}

/// Calls `impinge.mujoco._warn_of_open_meshes()`; run by the interpreter, with its lock.
extern "C" fn warn(_: *mut c_void) -> c_int {
    Python::attach(|py| {
        let warned =
            py.import("impinge.mujoco").and_then(|module| module.call_method0("_warn_of_open_meshes"));
        match warned {
            Ok(_) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    })
}

/// The open meshes noted since the last call: number of the mesh in its model, triangles, reason.
#[pyfunction]
pub fn mujoco_open_meshes() -> Vec<OpenMesh> {
    std::mem::take(&mut NOTED.lock().unwrap_or_else(PoisonError::into_inner))
}
