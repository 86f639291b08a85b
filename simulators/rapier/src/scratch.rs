//! Buffers for the queries of one thread.

use std::cell::RefCell;

use impinge::query::QueryScratch;

/// Asks with the thread's buffers.
pub(crate) fn with_scratch<T>(ask: impl FnOnce(&mut QueryScratch) -> T) -> T {
    thread_local! {
        static SCRATCH: RefCell<QueryScratch> = RefCell::default();
    }
    // Asked from within an answer there would be new ones.
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => ask(&mut scratch),
        Err(_) => ask(&mut QueryScratch::default()),
    })
}
