//! What a step on the GPU cost.

use std::time::Duration;

/// Counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuCounts {
    /// Jobs whose stream ran on the GPU.
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
    /// Submissions to the queue.
    pub submissions: u64,
    /// Times that the CPU waited for the device.
    pub waits: u64,
    /// Buffers made.
    pub buffers_created: u64,
    /// Bytes sent to the device.
    pub bytes_up: u64,
    /// Bytes read back.
    pub bytes_back: u64,
    /// Time of the passes on the device; zero where it has no timestamps.
    pub gpu_time: Duration,
}
