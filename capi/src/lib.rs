//! The C interface of `impinge`. `include/impinge.h` is made of this crate by cbindgen, and `tests/header.rs` sees that it is as this says.
//!
//! Handles are numbers, not addresses (`handle.rs`): a freed, foreign or null one is a status, never a crash. Every call catches panics (`status.rs`).
//! What the caller's memory is read and written with is in `memory.rs`.

mod answers;
mod batch;
mod contacts;
mod grids;
mod handle;
mod log;
mod memory;
mod pose;
mod query;
mod shape;
mod status;
mod tracker;
mod world;

use std::ffi::c_char;

/// The version of this interface: it grows with every change that a compiled program would notice. Functions and fields at the end of settings may be added
/// without. Compare with `imp_abi_version` when the program starts.
pub const IMP_ABI_VERSION: u32 = 1;

/// The version of the interface that the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn imp_abi_version() -> u32 {
    IMP_ABI_VERSION
}

/// The version of the library, such as `0.1.0`. Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn imp_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
