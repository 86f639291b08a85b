//! How the GPU captured the layers of its views.

use impinge::World;
use serde::Serialize;

/// The way that was taken, and what the measurement said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuCapture {
    /// `tiles`, `peeling` or `unordered`; `auto` where the run was too short to measure which.
    taken: &'static str,
    /// Captures that were made in all three ways.
    measured: u32,
    /// What these took (ms).
    tiles_ms: f64,
    peeling_ms: f64,
    unordered_ms: f64,
}

impl GpuCapture {
    /// That of a world; `None` without a GPU.
    #[cfg(feature = "gpu")]
    pub fn of(world: &World) -> Option<GpuCapture> {
        let report = world.gpu_capture()?;
        let [tiles_ms, peeling_ms, unordered_ms] = report.times.map(|time| 1e3 * time.as_secs_f64());
        let (taken, measured) = (report.taken.name(), report.measured);
        Some(GpuCapture { taken, measured, tiles_ms, peeling_ms, unordered_ms })
    }

    /// There is none.
    #[cfg(not(feature = "gpu"))]
    pub fn of(_: &World) -> Option<GpuCapture> {
        None
    }
}

impl std::fmt::Display for GpuCapture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GpuCapture { taken, measured, tiles_ms, peeling_ms, unordered_ms } = self;
        f.write_str(taken)?;
        if *measured > 0 {
            write!(
                f,
                " ({measured} captures: tiles {tiles_ms:.3} ms, peeling {peeling_ms:.3}, unordered {unordered_ms:.3})"
            )?;
        }
        Ok(())
    }
}
