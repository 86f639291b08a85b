//! The threads that calls are shared out to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use impinge::{PreparedShape, Shape};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::InvalidSetting;
use crate::whole_numbers;

struct Threads {
    /// 0 for one per core.
    count: usize,
    pool: Option<Arc<ThreadPool>>,
}

static THREADS: RwLock<Threads> = RwLock::new(Threads { count: 0, pool: None });

/// How many forks lie between the process that loaded the extension and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// The pool of the process, made when it is first needed; or one of so many threads.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if let Some(count) = threads.filter(|&count| count > 0) {
        let own = THREADS.read().unwrap_or_else(PoisonError::into_inner).pool.clone();
        return match own.filter(|pool| pool.current_num_threads() == count) {
            Some(pool) => Ok(pool),
            None => build(count),
        };
    }
    if let Some(pool) = &THREADS.read().unwrap_or_else(PoisonError::into_inner).pool {
        return Ok(Arc::clone(pool));
    }
    let mut held = THREADS.write().unwrap_or_else(PoisonError::into_inner);
    let count = held.count;
    match &held.pool {
        Some(pool) => Ok(Arc::clone(pool)),
        None => Ok(Arc::clone(held.pool.insert(build(count)?))),
    }
}

fn build(count: usize) -> PyResult<Arc<ThreadPool>> {
    let built = ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("impinge-{i}")).build();
    built.map(Arc::new).map_err(|error| {
        InvalidSetting::new_err(format!("{count} threads could not be started: {error}; ask for fewer"))
    })
}

/// A shape with its trees, built by the pool of the process: rayon's own global pool does not survive a fork.
pub fn prepared(shape: &Shape) -> PyResult<PreparedShape> {
    Ok(pool(None)?.install(|| PreparedShape::new(shape)))
}

/// How many forks lie between the process that loaded the extension and this one: a pool made at another count has no threads here.
pub fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// Sets how many threads calls use that do not say so themselves.
#[pyfunction]
fn set_threads(#[pyo3(from_py_with = whole_numbers::threads)] threads: usize) -> PyResult<()> {
    let pool = build(threads)?;
    let mut held = THREADS.write().unwrap_or_else(PoisonError::into_inner);
    *held = Threads { count: threads, pool: Some(pool) };
    Ok(())
}

/// How many threads calls use that do not say so themselves.
#[pyfunction]
fn get_threads() -> PyResult<usize> {
    Ok(pool(None)?.current_num_threads())
}

/// Lets a forked child make a pool of its own: the parent's threads do not exist there.
#[pyfunction]
fn after_fork_in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    let mut held = THREADS.write().unwrap_or_else(PoisonError::into_inner);
    // Dropping it would wait for threads that are not there.
    std::mem::forget(held.pool.take());
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(get_threads, module)?)?;
    module.add_function(wrap_pyfunction!(after_fork_in_child, module)?)
}
