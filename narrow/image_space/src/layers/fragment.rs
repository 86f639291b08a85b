//! One crossing of a surface and the line through a pixel's centre.

use impinge_geometry::Side;

/// Stands for the triangle where a solid's surface was crossed.
pub const ANALYTIC: u32 = (1 << 30) - 1;

/// The depths at which everything nearer, and everything farther, ends up.
pub const NEAREST: i32 = i32::MIN + 2;
/// See [`NEAREST`].
pub const FARTHEST: i32 = i32::MAX - 2;

const FRONT: u64 = 1 << 31;
const SIDE_B: u64 = 1 << 30;

/// A crossing, packed so that the order of the numbers is the order along the line: depth, back
/// faces before front faces, side A before B, triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fragment(u64);

impl Fragment {
    /// At `depth` steps.
    #[inline]
    pub fn new(depth: f64, front: bool, side: Side, triangle: u32) -> Fragment {
        Fragment::at_step(steps(depth), front, side, triangle)
    }

    /// At `z` steps, from [`NEAREST`] to [`FARTHEST`].
    #[inline]
    pub fn at_step(z: i32, front: bool, side: Side, triangle: u32) -> Fragment {
        let order = (z as u32 ^ 0x8000_0000) as u64;
        let front = if front { FRONT } else { 0 };
        let side = if side == Side::B { SIDE_B } else { 0 };
        Fragment(order << 32 | front | side | u64::from(triangle & ANALYTIC))
    }

    /// Depth on the view's lattice.
    #[inline]
    pub fn depth(self) -> i32 {
        ((self.0 >> 32) as u32 ^ 0x8000_0000) as i32
    }

    /// Whether the outward normal points against the view: the line goes in.
    #[inline]
    pub fn is_front(self) -> bool {
        self.0 & FRONT != 0
    }

    /// 0 for A, 1 for B.
    #[inline]
    pub fn side(self) -> usize {
        usize::from(self.0 & SIDE_B != 0)
    }

    /// The triangle crossed, or [`ANALYTIC`].
    #[inline]
    pub fn triangle(self) -> u32 {
        self.0 as u32 & ANALYTIC
    }
}

/// Added to a number below 2^51 in size it leaves the nearest whole number in the last bits: 1.5 · 2^52.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// As [`nearest`], of a number below 2^51 in size.
#[inline]
pub(super) fn whole(x: f64) -> i64 {
    (x + MAGIC).to_bits() as i64 - MAGIC.to_bits() as i64
}

/// The nearest step that a fragment can have.
#[inline]
pub(super) fn steps(depth: f64) -> i32 {
    // `as` saturates, and gives 0 for NaN, which no finite vertex makes.
    (nearest(depth) as i32).clamp(NEAREST, FARTHEST)
}

/// The nearest whole number (ties to even) of a number below 2^51 in size; larger ones stay large.
#[inline]
pub(super) fn nearest(x: f64) -> f64 {
    if x.abs() < 2_251_799_813_685_248.0 { (x + MAGIC) - MAGIC } else { x }
}

/// Up to this many fragments are sorted one by one.
const FEW: usize = 16;

/// Sorts the fragments of a line.
#[inline]
pub(super) fn sort(fragments: &mut [Fragment]) {
    if fragments.len() > FEW {
        return fragments.sort_unstable();
    }
    for at in 1..fragments.len() {
        let own = fragments[at];
        let mut to = at;
        while to > 0 && fragments[to - 1] > own {
            fragments[to] = fragments[to - 1];
            to -= 1;
        }
        fragments[to] = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_the_nearest_and_fragments_are_sorted_however_many_there_are() {
        for x in [0.0, -0.0, 0.5, 1.5, -0.5, -2.5, 255.49999, -1e9 - 0.25, 1_073_741_822.5, 1e-300] {
            assert_eq!(whole(x), nearest(x) as i64, "{x}");
        }
        for count in 0..40u32 {
            let depth = |k: u32| f64::from(k.wrapping_mul(2_654_435_769) >> 20);
            let mut some: Vec<Fragment> = (0..count)
                .map(|k| Fragment::new(depth(k), k % 2 == 0, Side::BOTH[k as usize % 2], k))
                .collect();
            let mut wanted = some.clone();
            wanted.sort_unstable();
            sort(&mut some);
            assert_eq!(some, wanted);
        }
    }
}
