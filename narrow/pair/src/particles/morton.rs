//! Particles that are near each other, one after the other.
//!
//! Source: Morton, "A computer oriented geodetic data base and a new technique in file sequencing", 1966.

use nalgebra::Point3;

use super::radix::{self, RadixScratch};

/// Bits of each coordinate.
const BITS: u32 = 10;

/// Fills `order` with the numbers of all centres along a curve that stays near itself.
pub(super) fn sort(
    centers: &[Point3<f32>],
    order: &mut Vec<u32>,
    keys: &mut Vec<u64>,
    room: &mut RadixScratch,
) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in centers {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    // One scale for all axes: cells are cubes.
    let longest = (0..3).fold(0.0, |most: f64, k| most.max(f64::from(high[k]) - f64::from(low[k])));
    let scale = if longest > 0.0 { f64::from((1u32 << BITS) - 1) / longest } else { 0.0 };
    keys.clear();
    keys.extend(centers.iter().map(|p| {
        let cell = |k: usize| spread(((f64::from(p[k]) - f64::from(low[k])) * scale) as u32);
        u64::from(cell(0) | cell(1) << 1 | cell(2) << 2)
    }));
    order.clear();
    order.extend(0..centers.len() as u32);
    radix::sort(keys, order, 3 * BITS, room);
}

/// Every bit to the place of three times its number.
fn spread(x: u32) -> u32 {
    let x = x & 0x3ff;
    let x = (x | x << 16) & 0x030000ff;
    let x = (x | x << 8) & 0x0300f00f;
    let x = (x | x << 4) & 0x030c30c3;
    (x | x << 2) & 0x09249249
}
