//! Rows of the GPU suite, and how they are printed.

use serde::Serialize;

/// One contender in one scene; bytes and submissions are those of the last step.
#[derive(Clone, Debug, Serialize)]
pub struct GpuRow {
    pub suite: &'static str,
    pub scene: &'static str,
    pub query: &'static str,
    pub who: &'static str,
    pub threads: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
    /// Mean time of the passes by the device's clock.
    pub gpu_us: f64,
    /// Of these, the triangle tests.
    pub gpu_stream_us: f64,
    /// Views laid on the device, and their triangles in whole numbers.
    pub gpu_view_us: f64,
    /// The layers of views.
    pub gpu_layers_us: f64,
    /// The columns of views.
    pub gpu_columns_us: f64,
    /// Mean time that the step waited for the device.
    pub wait_us: f64,
    /// Mean time on the processor for a touching pair: the process's less that of the driver's threads; 0 where the system does not
    /// tell threads apart.
    pub host_us_per_pair: f64,
    /// Of that, what the workers took from midphase to contacts, by their own clocks.
    pub worker_us_per_pair: f64,
    /// 32-bit operations of the device for a pair, as the shaders are written, counted in a world of their own of up to 100 pairs; 0
    /// on the CPU.
    pub operations_per_pair: f64,
    /// Part of the touching pairs that needed no view on the CPU.
    pub device_share: f64,
    /// Jobs whose triangles were tested on the device.
    pub gpu_jobs: u64,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub submissions: u64,
    /// Times that the step waited for the device.
    pub waits: u64,
    /// Buffers made on the device in all measured steps.
    pub buffers_made: u64,
    /// Touching pairs.
    pub work: usize,
    /// Of normals and depths of the manifolds of the last step.
    pub hash: String,
    /// The device; empty on the CPU.
    pub adapter: String,
    /// Whether the CPU emulates it: then only the answers count.
    pub software: bool,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// One line for people.
pub fn print(row: &GpuRow) {
    println!(
        "{:12} {:14} {} thread(s)  median {:10.0} us  p99 {:10.0}  gpu {:10.0} (stream {:.0}, view {:.0}, layers {:.0}, columns {:.0})  waited {:10.0}  {:5} jobs on it  {:8} B up  {:8} B back  {} submission(s)  {} wait(s)  {} buffers made  {:5} touch  {:.1} us of the host a pair ({:.1} of workers)  {:.0} operations a pair  {:.0} % on the device  {}  {}{}",
        row.scene,
        row.who,
        row.threads,
        row.median_us,
        row.p99_us,
        row.gpu_us,
        row.gpu_stream_us,
        row.gpu_view_us,
        row.gpu_layers_us,
        row.gpu_columns_us,
        row.wait_us,
        row.gpu_jobs,
        row.bytes_up,
        row.bytes_down,
        row.submissions,
        row.waits,
        row.buffers_made,
        row.work,
        row.host_us_per_pair,
        row.worker_us_per_pair,
        row.operations_per_pair,
        100.0 * row.device_share,
        row.hash,
        row.adapter,
        if row.software { " (software: for correctness alone)" } else { "" }
    );
}
