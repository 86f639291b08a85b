//! The tests, eight boxes at once. The `unsafe` here is loads and stores of arrays of the size moved.

mod coarse;
mod hulls;
mod shells;
mod states;

use std::arch::x86_64::*;

use super::{LANES, Lanes};

pub(super) use coarse::{coarsen, sweep as sweep_coarse};
pub(super) use hulls::hulls;
pub(super) use shells::{probe, sweep};
pub(super) use states::{probe_settled, sweep_states};

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> __m256 {
    // SAFETY: the reference is to eight floats; the load asks for no alignment.
    unsafe { _mm256_loadu_ps(lanes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(lanes: &mut Lanes, x: __m256) {
    // SAFETY: the reference is to eight floats; the store asks for no alignment.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), x) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn spread(lanes: &Lanes, lane: usize) -> __m256 {
    _mm256_broadcast_ss(&lanes[lane % LANES])
}

/// The bits of one probe against eight others, at their places in a square.
#[inline]
#[target_feature(enable = "avx2")]
fn at(lane: usize, hit: __m256) -> u64 {
    u64::from(_mm256_movemask_ps(hit) as u32) << (LANES * lane)
}
