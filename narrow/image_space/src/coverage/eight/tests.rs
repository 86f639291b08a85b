//! Eight at once against one after the other.

use std::ops::Range;

use impinge_geometry::simd::F32x8 as Wide;
use proptest::prelude::*;

use super::*;
use crate::coverage::rows::{Window, cover, snap};

/// The least value of every pixel, with the triangle it is of.
struct Least<const ALIGNED: bool> {
    value: Vec<f32>,
    number: Vec<u32>,
}

impl<const ALIGNED: bool> PixelSink for Least<ALIGNED> {
    const ALIGNED: bool = ALIGNED;

    #[inline(always)]
    fn eight<W: Wide>(&mut self, at: usize, mask: W, value: W, number: u32) {
        let mut values = [0.0; 8];
        value.store(&mut values);
        for (lane, value) in values.into_iter().enumerate() {
            let k = at + lane;
            let own = (value, number);
            if mask.bits() >> lane & 1 == 1 && own < (self.value[k], self.number[k]) {
                (self.value[k], self.number[k]) = own;
            }
        }
    }
}

fn drawn<const ALIGNED: bool>(
    places: &[[f64; 3]],
    triangles: &[[u32; 3]],
    (width, rows): (u32, Range<u32>),
    outside_only: bool,
    level: SimdLevel,
) -> (Least<ALIGNED>, Vec<u32>) {
    let spots: Vec<Spot> = places.iter().map(|p| spot(*p)).collect();
    let count = (width * rows.len() as u32) as usize;
    let mut sink = Least { value: vec![f32::INFINITY; count], number: vec![u32::MAX; count] };
    let batch =
        Batch { spots: &spots, triangles, listed: None, outside_only, width, columns: 0..width, rows };
    let mut left = Vec::new();
    draw_with(level, &batch, &mut sink, &mut left);
    (sink, left)
}

proptest! {
    /// Small and large triangles, slivers, corners in the middle of pixels and far beside: the pixels of
    /// the scan one triangle at a time, its values within rounding, and the same bits on every level
    /// and in whatever bands and windows.
    #[test]
    fn eight_at_once_cover_what_one_does(
        places in prop::collection::vec((-6.0f64..50.0, -6.0f64..40.0, -2.0f64..3.0, 0u32..4), 3..40),
        corners in prop::collection::vec([0usize..40, 0usize..40, 0usize..40], 1..40),
        width in 8u32..45,
        height in 1u32..34,
        outside_only in any::<bool>(),
    ) {
        let places: Vec<[f64; 3]> = places
            .iter()
            .map(|&(x, y, z, kind)| match kind {
                0 => [x, y, z],
                1 => [x.floor() + 0.5, y.floor() + 0.5, z.floor()],
                2 => [20.0 + 0.1 * x, 15.0 + 0.1 * y, z],
                _ => [x, y * 150.0, z],
            })
            .collect();
        let triangles: Vec<[u32; 3]> =
            corners.iter().map(|t| t.map(|k| (k % places.len()) as u32)).collect();
        let ask = |rows, level| drawn::<true>(&places, &triangles, (width, rows), outside_only, level);
        let (best, left) = ask(0..height, SimdLevel::detect());
        prop_assert_eq!(left.len(), 0);
        for level in [SimdLevel::Scalar, SimdLevel::Sse2] {
            let (other, _) = ask(0..height, level.min(SimdLevel::detect()));
            prop_assert_eq!(&other.value, &best.value);
            prop_assert_eq!(&other.number, &best.number);
        }
        let (own, _) =
            drawn::<false>(&places, &triangles, (width, 0..height), outside_only, SimdLevel::detect());
        prop_assert_eq!((&own.value, &own.number), (&best.value, &best.number));
        let half = height / 2;
        let (mut top, bottom) = (ask(0..half, SimdLevel::detect()).0, ask(half..height, SimdLevel::detect()).0);
        top.value.extend(bottom.value);
        prop_assert_eq!(&top.value, &best.value);
        // One triangle after the other.
        let window = Window { columns: 0..width, rows: 0..height };
        for k in 0..triangles.len() {
            let own = &triangles[k..=k];
            let (lanes, _) = drawn::<true>(&places, own, (width, 0..height), outside_only, SimdLevel::detect());
            let c = triangles[k].map(|v| places[v as usize]);
            let s = c.map(|p| [snap(p[0]), snap(p[1])]);
            let area = (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[1][1] - s[0][1]) * (s[2][0] - s[0][0]);
            let mut wanted = vec![f32::INFINITY; lanes.value.len()];
            if !(outside_only && area > 0.0) {
                cover(&c, &window, |span| {
                    for x in span.first..span.end {
                        wanted[(span.y * width + x) as usize] = span.value(x) as f32;
                    }
                });
            }
            for (a, b) in lanes.value.iter().zip(&wanted) {
                prop_assert_eq!(a.is_finite(), b.is_finite());
                prop_assert!(!a.is_finite() || (a - b).abs() <= 4e-6, "{} {}", a, b);
            }
        }
    }
}

#[test]
fn what_the_lanes_cannot_hold_is_left_over() {
    let places =
        [[0.0, 0.0, 1.0], [9000.0, 0.0, 1.0], [0.0, 9.0, 1.0], [9.0, 0.0, f64::NAN], [9.0, 9.0, 1.0]];
    let triangles = [[0, 1, 2], [0, 4, 2], [0, 3, 2]];
    let (sink, left) = drawn::<true>(&places, &triangles, (16, 0..16), false, SimdLevel::detect());
    assert_eq!(left, [0, 2]);
    assert!(sink.number.iter().all(|n| [1, u32::MAX].contains(n)) && sink.number.contains(&1));
    let (_, left) = drawn::<true>(&places, &triangles, (7, 0..16), false, SimdLevel::detect());
    assert_eq!(left, [0, 1, 2]);
}
