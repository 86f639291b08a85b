//! One crossing of a surface and the line through a pixel's centre.

use impinge_geometry::Side;

/// Stands for the triangle where a solid's surface was crossed.
pub(crate) const ANALYTIC: u32 = (1 << 30) - 1;

/// The depths at which everything nearer, and everything farther, ends up.
pub(crate) const NEAREST: i32 = i32::MIN + 2;
pub(crate) const FARTHEST: i32 = i32::MAX - 2;

const FRONT: u64 = 1 << 31;
const SIDE_B: u64 = 1 << 30;

/// A crossing, packed so that the order of the numbers is the order along the line: depth, back
/// faces before front faces, side A before B, triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fragment(u64);

impl Fragment {
    /// At `depth` steps.
    #[inline]
    pub fn new(depth: f64, front: bool, side: Side, triangle: u32) -> Fragment {
        // `as` saturates, and gives 0 for NaN, which no finite vertex makes.
        let z = (nearest(depth) as i32).clamp(NEAREST, FARTHEST);
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

/// The nearest whole number (ties to even) of a number below 2^51 in size; larger ones stay large.
#[inline]
pub(super) fn nearest(x: f64) -> f64 {
    const MAGIC: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    if x.abs() < 2_251_799_813_685_248.0 { (x + MAGIC) - MAGIC } else { x }
}
