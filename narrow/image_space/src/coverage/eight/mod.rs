//! Many triangles to pixels, eight at a time.
//!
//! Corners are snapped once for each vertex, boxes, edges and planes are made for eight triangles side by
//! side, and a small triangle's pixels are decided eight of a row at once. While twice a triangle's box
//! is below 2²⁴ square sub-pixels, edge functions are whole numbers that `f32` holds exactly, so what is
//! covered is what [`super::rows`] says; a larger triangle's rows are found there. Every operation
//! rounds once, so all levels of instructions give the same bits.

mod batch;
mod fill;
mod prepare;

#[cfg(test)]
mod tests;

use impinge_geometry::simd::{self, Kernel, Simd, SimdLevel};

use self::batch::EIGHT;
pub(crate) use self::batch::{Batch, PixelSink, Spot, put, spot};
use self::fill::{large, small};
use self::prepare::{EightCorners, Made, prepare};
use super::rows::Span;

/// Draws triangles. What the lanes cannot do (a corner far beside the picture, a picture narrower than
/// eight pixels) is put into `left`; how many triangles may have been seen is told.
pub(crate) fn draw<S: PixelSink>(batch: &Batch<'_>, sink: &mut S, left: &mut Vec<u32>) -> u64 {
    draw_with(SimdLevel::detect(), batch, sink, left)
}

/// As [`draw`], with given instructions.
fn draw_with<S: PixelSink>(level: SimdLevel, batch: &Batch<'_>, sink: &mut S, left: &mut Vec<u32>) -> u64 {
    left.clear();
    if batch.width < EIGHT as u32 || batch.rows.is_empty() {
        match batch.listed {
            Some(listed) => left.extend_from_slice(listed),
            None => left.extend(0..batch.triangles.len() as u32),
        }
        return 0;
    }
    simd::run(level, Drawing { batch, sink, left })
}

struct Drawing<'a, T> {
    batch: &'a Batch<'a>,
    sink: &'a mut T,
    left: &'a mut Vec<u32>,
}

impl<T: PixelSink> Kernel for Drawing<'_, T> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self) -> u64 {
        let Drawing { batch, sink, left } = self;
        let count = match batch.listed {
            Some(listed) => listed.len(),
            None => batch.triangles.len(),
        };
        let mut corners: EightCorners = [[[f32::NAN; EIGHT]; 3]; 3];
        let mut numbers = [0u32; EIGHT];
        let mut made = Made::default();
        let mut spans: Vec<Span> = Vec::new();
        let mut drawn = 0;
        let mut from = 0;
        while from < count {
            let some = EIGHT.min(count - from);
            for lane in 0..some {
                let number = match batch.listed {
                    Some(listed) => listed[from + lane],
                    None => (from + lane) as u32,
                };
                numbers[lane] = number;
                let triangle = batch.triangles[number as usize];
                for corner in 0..3 {
                    let spot = batch.spots[triangle[corner] as usize];
                    corners[corner][0][lane] = spot[0];
                    corners[corner][1][lane] = spot[1];
                    corners[corner][2][lane] = spot[2];
                }
            }
            from += some;
            let there = (1 << some) - 1;
            let which = prepare::<S::F32x8>(&corners, batch, &mut made);
            let mut rest = (which.small | which.large | !which.held) & there;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if which.small >> lane & 1 == 1 {
                    small::<S::F32x8, T>(&made, lane, batch, sink, numbers[lane]);
                    drawn += 1;
                } else if which.held >> lane & 1 == 1 {
                    large::<S::F32x8, T>((&corners, &made), lane, batch, sink, numbers[lane], &mut spans);
                    drawn += 1;
                } else {
                    left.push(numbers[lane]);
                }
            }
        }
        drawn
    }
}
