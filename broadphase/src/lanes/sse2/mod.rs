//! The tests, four boxes at once. The `unsafe` here is loads and stores of arrays of the size moved.

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
#[target_feature(enable = "sse2")]
fn load(lanes: &Lanes, half: usize) -> __m128 {
    let lanes: &[f32; 4] =
        if half == 0 { lanes.first_chunk() } else { lanes.last_chunk() }.unwrap_or(&[f32::NAN; 4]);
    // SAFETY: the reference is to four floats; the load asks for no alignment.
    unsafe { _mm_loadu_ps(lanes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(lanes: &mut Lanes, half: usize, x: __m128) {
    let lanes: Option<&mut [f32; 4]> =
        if half == 0 { lanes.first_chunk_mut() } else { lanes.last_chunk_mut() };
    if let Some(lanes) = lanes {
        // SAFETY: the reference is to four floats; the store asks for no alignment.
        unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), x) }
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn spread(lanes: &Lanes, lane: usize) -> __m128 {
    _mm_set1_ps(lanes[lane % LANES])
}

/// The bits of one probe against four others, at their places in a square.
#[inline]
#[target_feature(enable = "sse2")]
fn at(lane: usize, half: usize, hit: __m128) -> u64 {
    u64::from(_mm_movemask_ps(hit) as u32) << (LANES * lane + LANES / 2 * half)
}
