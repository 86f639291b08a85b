//! GPUs by what their makers publish of them.

/// A GPU. Units are what a workgroup runs on: multiprocessors, compute units, subslices.
pub struct Card {
    pub name: &'static str,
    /// Part of the name that a driver gives it.
    pub adapter: &'static str,
    pub units: f64,
    /// Boost clock (Hz).
    pub clock: f64,
    /// Results of a unit in a cycle: sums and products of `f32`.
    pub float: f64,
    /// … sums, comparisons, shifts and bitwise operations of whole numbers.
    pub integer: f64,
    /// … products of whole numbers.
    pub multiply: f64,
    /// … conversions, and steps of quotients and roots.
    pub convert: f64,
    /// Bytes of a workgroup's memory that a unit moves in a cycle.
    pub shared: f64,
    /// Invocations that a unit holds at once.
    pub threads: f64,
    /// Workgroup memory of a unit (bytes).
    pub shared_bytes: f64,
    /// Memory (bytes/s).
    pub memory: f64,
    /// Link to the CPU (bytes/s).
    pub link: f64,
    /// From a submission to its answers, with nothing to do (s).
    pub submission: f64,
}

pub const CARDS: [Card; 3] = [
    Card {
        name: "GeForce RTX 4070",
        adapter: "RTX 4070",
        units: 46.0,
        clock: 2.475e9,
        float: 128.0,
        integer: 64.0,
        multiply: 64.0,
        convert: 16.0,
        shared: 128.0,
        threads: 1536.0,
        shared_bytes: 100.0 * 1024.0,
        memory: 504.2e9,
        link: 31.5e9,
        submission: 50e-6,
    },
    Card {
        name: "Radeon RX 7800 XT",
        adapter: "7800 XT",
        units: 60.0,
        clock: 2.43e9,
        float: 64.0,
        integer: 64.0,
        multiply: 16.0,
        convert: 16.0,
        shared: 128.0,
        threads: 1024.0,
        shared_bytes: 64.0 * 1024.0,
        memory: 624.1e9,
        link: 31.5e9,
        submission: 50e-6,
    },
    Card {
        name: "Iris Xe, 96 EUs",
        adapter: "Xe",
        units: 6.0,
        clock: 1.35e9,
        float: 128.0,
        integer: 128.0,
        multiply: 32.0,
        convert: 32.0,
        shared: 128.0,
        threads: 1792.0,
        shared_bytes: 64.0 * 1024.0,
        memory: 68.3e9,
        link: 68.3e9,
        submission: 50e-6,
    },
];

/// Steps of a quotient, a remainder or a root, at the rate of conversions.
pub const SPECIAL_STEPS: f64 = 4.0;

/// Cycles until a result can be used by the next instruction of its warp.
pub const ARITHMETIC_LATENCY: f64 = 4.5;

/// … until what is loaded from a buffer is there.
pub const MEMORY_LATENCY: f64 = 300.0;

/// … until four bytes of a workgroup's memory are.
pub const SHARED_LATENCY: f64 = 25.0;

/// Cycles of a barrier.
pub const BARRIER: f64 = 30.0;

/// Cycles of a branch.
pub const BRANCH: f64 = 10.0;

/// Workgroup memory that each workgroup is taken to need (bytes): all that it may.
pub const GROUP_BYTES: f64 = 16_352.0;

/// Between two dispatches that wait for each other (s).
pub const DISPATCH: f64 = 5e-6;

/// The part of a link's rate that a copy gets.
pub const LINK_SHARE: f64 = 0.8;
