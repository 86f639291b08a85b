//! How long things take, on systems with a clock and without.

use std::time::Duration;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
type Start = std::time::Instant;

/// There is no clock, and `Instant::now` panics.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
type Start = NoClock;

/// Runs from [`Stopwatch::start`] on. On `wasm32-unknown-unknown` it always shows zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Start);

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch(Start::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Stands in for `Instant`.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[derive(Clone, Copy, Debug)]
struct NoClock;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl NoClock {
    fn now() -> NoClock {
        NoClock
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}
