//! Edges as points of a view's lattice.

use super::body::LatticePoint;
use crate::crossing::LAST_DEPTH;
use crate::view::View;

/// Calls `put` for the pixels of an edge between two places of the lattice: for each line of pixels' centres that it
/// crosses, along the axis along which it is longer, the nearest pixel and the depth there (to the nearest step); and for
/// the pixel of its first end, so that edges shorter than a pixel are seen, too. What lies outside the view is left out.
pub(super) fn edge_points(view: &View, [a, b]: [[i32; 3]; 2], mut put: impl FnMut(LatticePoint)) {
    let sub = 1i64 << view.sub_bits;
    let [a, b] = [a, b].map(|p| p.map(i64::from));
    let mut at = |i: i64, j: i64, depth: i64| {
        let [width, height] = view.count.map(i64::from);
        if (0..width).contains(&i) && (0..height).contains(&j) {
            let depth = depth.clamp(0, LAST_DEPTH.into()) as u32;
            put(LatticePoint { pixel: (j * width + i) as u32, depth });
        }
    };
    let nearest = |x: i64| (x + sub / 2).div_euclid(sub);
    at(nearest(a[0]), nearest(a[1]), a[2]);
    let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let major = usize::from(d[1].abs() > d[0].abs());
    if d[major] == 0 {
        return;
    }
    let minor = 1 - major;
    let (low, high) = (a[major].min(b[major]), a[major].max(b[major]));
    let last = i64::from(view.count[major]) - 1;
    for k in ((low + sub - 1).div_euclid(sub)).max(0)..=high.div_euclid(sub).min(last) {
        let along = k * sub - a[major];
        // To the nearest, halves up.
        let of = |axis: usize| {
            let (over, under) = (i128::from(d[axis]) * i128::from(along), i128::from(d[major]));
            let (over, under) = if under < 0 { (-over, -under) } else { (over, under) };
            a[axis] + (2 * over + under).div_euclid(2 * under) as i64
        };
        let across = nearest(of(minor));
        if major == 0 { at(k, across, of(2)) } else { at(across, k, of(2)) }
    }
}
