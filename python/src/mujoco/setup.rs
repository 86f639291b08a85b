//! What the callback has to know of the MuJoCo that it runs in.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use impinge::QuerySettings;
use pyo3::prelude::*;

use super::callback::mujoco_callback;
use super::mesh_cache::set_budget;
use crate::errors::InvalidSetting;
use crate::whole_numbers;

/// `int f(const mjModel*, mjData*, contacts*, int g1, int g2, double margin)`.
pub type CollisionFunction =
    unsafe extern "C" fn(*const c_void, *mut c_void, *mut c_void, c_int, c_int, f64) -> c_int;

/// `int mj_maxContact(const mjModel*, int g1, int g2, int has_margin)`.
pub type RoomFunction = unsafe extern "C" fn(*const c_void, c_int, c_int, c_int) -> c_int;

/// Types of geoms, as MuJoCo numbers them.
pub const GEOM_TYPES: usize = 9;

/// Offsets of pointers in `mjModel` and `mjData` (bytes).
#[derive(Clone, Copy, Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Offsets {
    pub geom_type: usize,
    pub geom_dataid: usize,
    pub geom_size: usize,
    pub mesh_vertadr: usize,
    pub mesh_vertnum: usize,
    pub mesh_faceadr: usize,
    pub mesh_facenum: usize,
    pub mesh_vert: usize,
    pub mesh_face: usize,
    pub mesh_pos: usize,
    pub mesh_quat: usize,
    pub geom_xpos: usize,
    pub geom_xmat: usize,
}

#[derive(Debug)]
pub struct Setup {
    pub offsets: Offsets,
    /// From one contact to the next (bytes).
    pub stride: usize,
    /// How many contacts a pair has room for, if one number holds for all.
    pub most: usize,
    /// Asks for the room of a pair.
    pub room: Option<RoomFunction>,
    /// What the table held for a geom of each type with a mesh.
    pub before: [Option<CollisionFunction>; GEOM_TYPES],
    pub settings: QuerySettings,
}

static SETUP: AtomicPtr<Setup> = AtomicPtr::new(ptr::null_mut());

/// What was set up last.
pub fn setup() -> Option<&'static Setup> {
    // SAFETY: the pointer is null or that of a leaked box, which nothing changes.
    unsafe { SETUP.load(Ordering::Acquire).as_ref() }
}

/// Tells the callback about the MuJoCo that it runs in.
///
/// # Safety (of the caller, in Python)
/// `before` and `room` are addresses of functions of the loaded MuJoCo, or 0; the offsets are those of its structs.
#[pyfunction]
pub fn mujoco_setup(
    offsets: Offsets,
    stride: usize,
    most: usize,
    room: usize,
    before: [usize; GEOM_TYPES],
    #[pyo3(from_py_with = whole_numbers::resolution)] resolution: u32,
    #[pyo3(from_py_with = whole_numbers::count)] kept: usize,
) -> PyResult<()> {
    if stride < 80 || !stride.is_multiple_of(8) {
        return Err(InvalidSetting::new_err(format!("a contact of {stride} bytes is none of MuJoCo's")));
    }
    if !(resolution.is_power_of_two() && (4..=256).contains(&resolution)) {
        return Err(InvalidSetting::new_err(format!(
            "resolution is {resolution}; it must be a power of two from 4 to 256"
        )));
    }
    if before.contains(&mujoco_callback()) {
        return Err(InvalidSetting::new_err(
            "the callback cannot be its own predecessor: it would call itself for ever",
        ));
    }
    // SAFETY: the caller gives addresses of such functions; 0 becomes `None`.
    let room = unsafe { std::mem::transmute::<usize, Option<RoomFunction>>(room) };
    // SAFETY: as above.
    let before = before.map(|at| unsafe { std::mem::transmute::<usize, Option<CollisionFunction>>(at) });
    set_budget(kept);
    let settings = QuerySettings::default().resolution(resolution);
    let setup = Box::new(Setup { offsets, stride, most, room, before, settings });
    // Leaked: a thread of MuJoCo's may still be in the callback with the one before.
    SETUP.store(Box::into_raw(setup), Ordering::Release);
    Ok(())
}

/// What the table held when the callback was set up last, a number for each type of geom; `None` where it never was.
#[pyfunction]
pub fn mujoco_before() -> Option<[usize; GEOM_TYPES]> {
    setup().map(|setup| setup.before.map(|function| function.map_or(0, |function| function as usize)))
}
