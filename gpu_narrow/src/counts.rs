//! What a step on the GPU cost.

use std::time::Duration;

use crate::passes::STEP_PASSES;

/// Counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuCounts {
    /// Jobs whose triangles were intersected on the GPU.
    pub jobs: u64,
    /// Leaf pairs of these.
    pub leaf_pairs: u64,
    /// Triangle pairs looked at.
    pub triangle_tests: u64,
    /// Triangle pairs that certainly cross.
    pub hits: u64,
    /// Triangle pairs of which nothing was certain.
    pub uncertain: u64,
    /// Jobs left to the CPU because the work list was full.
    pub over_work_list: u64,
    /// Jobs left to the CPU because `f32` has no room for their coordinates.
    pub over_range: u64,
    /// Tiles of views whose layers and intervals were found on the GPU.
    pub tiles: u64,
    /// Triangles sent for them, and surfaces crossed in them.
    pub tile_rows: u64,
    /// See `tile_rows`.
    pub crossings: u64,
    /// Tiles discarded because a pixel had more crossings than there is room for.
    pub over_layers: u64,
    /// Tiles discarded because there were more intervals than there is room for.
    pub over_intervals: u64,
    /// Tiles discarded because 32 bits have no room for one of their triangles.
    pub tiles_over_range: u64,
    /// Views left to the CPU because the work list was full.
    pub views_refused: u64,
    /// Pairs whose intersection volume was asked for.
    pub volumes: u64,
    /// Pairs whose contacts were asked for.
    pub manifolds: u64,
    /// Submissions to the queue.
    pub submissions: u64,
    /// Parts that the CPU waited for, though they may have come by then.
    pub waits: u64,
    /// Buffers made.
    pub buffers_created: u64,
    /// Bytes sent to the device.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_back: u64,
    /// Time of the passes on the device; zero where it has no timestamps.
    pub gpu_time: Duration,
    /// The same for each pass, in the order of [`STEP_PASSES`].
    pub pass_times: [Duration; STEP_PASSES.len()],
}

impl GpuCounts {
    /// Time of one pass on the device.
    pub fn time_of(&self, pass: &str) -> Duration {
        let times = STEP_PASSES.iter().zip(&self.pass_times);
        times.filter(|(p, _)| p.name == pass).map(|(_, time)| *time).sum()
    }
}
