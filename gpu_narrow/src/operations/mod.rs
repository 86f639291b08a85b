//! Operations of passes, counted while they run: a shader is given a counter for every stretch of straight code
//! (`counted_shader`), and what one visit of the stretch costs is read from its code.
//!
//! Counts are those of the WGSL as it is written, before a driver's compiler improves it.

pub(crate) mod counted_shader;
pub(crate) mod tally;

mod cost;
#[cfg(test)]
mod tests;

use std::ops::{AddAssign, Mul};

/// Invocations that run in lockstep on most GPUs.
pub const WARP: u32 = 32;

/// Operations by kind. Those on vectors count once for each component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Sums, products, comparisons, and selections of `f32`.
    pub float: u64,
    /// Sums, comparisons, shifts, selections and bitwise operations of whole numbers, and computed indices.
    pub integer: u64,
    /// Products of whole numbers.
    pub multiply: u64,
    /// Conversions between `f32` and whole numbers.
    pub convert: u64,
    /// Quotients, remainders, roots and other functions.
    pub special: u64,
    /// Bytes loaded from buffers.
    pub loaded: u64,
    /// Bytes stored to buffers.
    pub stored: u64,
    /// Bytes loaded from uniforms.
    pub uniform: u64,
    /// Bytes loaded from and stored to a workgroup's memory.
    pub shared: u64,
    /// Bytes loaded from and stored to arrays of an invocation's own at a computed index.
    pub local: u64,
    /// Loads from and stores to buffers and uniforms, whatever their size.
    pub accesses: u64,
    /// Atomic operations on buffers.
    pub atomics: u64,
    /// Atomic operations on a workgroup's memory.
    pub shared_atomics: u64,
    /// Barriers.
    pub barriers: u64,
    /// Branches and rounds of loops.
    pub branches: u64,
}

impl Operations {
    /// All 32-bit arithmetic: every kind but memory, atomics, barriers and branches.
    pub fn arithmetic(&self) -> u64 {
        self.float + self.integer + self.multiply + self.convert + self.special
    }
}

macro_rules! for_all {
    ($macro:ident, $($own:tt)*) => {
        $macro!($($own)*; float, integer, multiply, convert, special, loaded, stored, uniform, shared, local, accesses,
            atomics, shared_atomics, barriers, branches)
    };
}

macro_rules! add {
    ($to:expr, $of:expr; $($field:ident),+) => { $($to.$field += $of.$field;)+ };
}

macro_rules! times {
    ($one:expr, $count:expr; $($field:ident),+) => { Operations { $($field: $one.$field * $count),+ } };
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        for_all!(add, self, other);
    }
}

impl Mul<u64> for Operations {
    type Output = Operations;

    fn mul(self, count: u64) -> Operations {
        for_all!(times, self, count)
    }
}

/// What a pass did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassOperations {
    /// Its name.
    pub pass: &'static str,
    /// Workgroups.
    pub groups: u64,
    /// Threads of a workgroup.
    pub threads: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Operations of all invocations together.
    pub all: Operations,
    /// Operations that are issued where [`WARP`] invocations run in lockstep: a stretch of code as often as the invocation that
    /// visits it most. It is the least that a warp can issue, as if invocations met again after every branch.
    pub issued: Operations,
    /// Workgroups' busiest warps: what is issued by the one that issues most, summed over workgroups.
    pub longest: Operations,
}

impl PassOperations {
    /// The part of the lanes of issued arithmetic that work: 1 where no invocation waits for another of its warp.
    pub fn utilisation(&self) -> f64 {
        self.all.arithmetic() as f64 / (self.issued.arithmetic().max(1) * u64::from(WARP)) as f64
    }
}
