//! What the callback did.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Counters since the process began.
#[derive(Debug, Default)]
pub struct Counts {
    /// Pairs that MuJoCo asked about. The cache of meshes takes its time from it.
    pub pairs: AtomicU64,
    /// Of these, pairs with contacts.
    pub touching: AtomicU64,
    pub points: AtomicU64,
    /// Points that a pair had no room for.
    pub left_out: AtomicU64,
    /// Pairs left to MuJoCo's own function, because a mesh is open.
    pub open: AtomicU64,
    /// Pairs of types that are left to MuJoCo's own function.
    pub other: AtomicU64,
    /// Pairs with a pose that is not finite, which have no contacts.
    pub not_finite: AtomicU64,
    pub panics: AtomicU64,
    /// Meshes made ready.
    pub meshes: AtomicU64,
    pub nanoseconds: AtomicU64,
}

pub static COUNTS: Counts = Counts {
    pairs: AtomicU64::new(0),
    touching: AtomicU64::new(0),
    points: AtomicU64::new(0),
    left_out: AtomicU64::new(0),
    open: AtomicU64::new(0),
    other: AtomicU64::new(0),
    not_finite: AtomicU64::new(0),
    panics: AtomicU64::new(0),
    meshes: AtomicU64::new(0),
    nanoseconds: AtomicU64::new(0),
};

/// Adds to a counter and returns what it was.
pub fn add(counter: &AtomicU64, count: u64) -> u64 {
    counter.fetch_add(count, Ordering::Relaxed)
}

/// The counters, since the process began.
#[pyfunction]
pub fn mujoco_counts(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    for (name, counter) in [
        ("pairs", &COUNTS.pairs),
        ("touching", &COUNTS.touching),
        ("points", &COUNTS.points),
        ("left_out", &COUNTS.left_out),
        ("open", &COUNTS.open),
        ("other", &COUNTS.other),
        ("not_finite", &COUNTS.not_finite),
        ("panics", &COUNTS.panics),
        ("meshes", &COUNTS.meshes),
        ("nanoseconds", &COUNTS.nanoseconds),
    ] {
        out.set_item(name, counter.load(Ordering::Relaxed))?;
    }
    Ok(out)
}
