//! One crossing of a surface and the line through a pixel's centre.

use impinge_geometry::Side;

/// Stands for the triangle where a solid's surface was crossed.
pub const ANALYTIC: u32 = (1 << 30) - 1;

/// Last depth of a layered depth image's lattice; what lies farther, or nearer than 0, is held at the ends.
pub const LAST_DEPTH: u32 = (1 << 22) - 1;

/// The depths at which everything nearer, and everything farther, ends up.
pub const NEAREST: i32 = i32::MIN + 2;
/// See [`NEAREST`].
pub const FARTHEST: i32 = i32::MAX - 2;

const FRONT: u64 = 1 << 31;
const SIDE_B: u64 = 1 << 30;

/// A crossing, packed so that the order of the numbers is the order along the line: depth, back
/// faces before front faces, side A before B, triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Crossing(u64);

impl Crossing {
    /// At `depth` steps, held between [`NEAREST`] and [`FARTHEST`].
    #[inline]
    pub(crate) fn new(depth: i64, front: bool, side: Side, triangle: u32) -> Crossing {
        let depth = depth.clamp(NEAREST.into(), FARTHEST.into()) as i32;
        let order = u64::from(depth as u32 ^ 0x8000_0000);
        let front = if front { FRONT } else { 0 };
        let side = if side == Side::B { SIDE_B } else { 0 };
        Crossing(order << 32 | front | side | u64::from(triangle & ANALYTIC))
    }

    /// From the two words that a device writes for a crossing of the first body in a layered depth image: depth and
    /// face, triangle.
    #[inline]
    pub fn from_words([depth, triangle]: [u32; 2]) -> Crossing {
        Crossing::new(i64::from(depth >> 1), depth & 1 == 1, Side::A, triangle)
    }

    /// The two words that a device writes for it.
    #[inline]
    pub fn words(self) -> [u32; 2] {
        [(self.depth() as u32) << 1 | u32::from(self.is_front()), self.triangle()]
    }

    /// The same place and triangle of `body` (0 for the first), entered or left.
    #[inline]
    pub(crate) fn of(self, body: usize, front: bool) -> Crossing {
        let side = if body == 1 { Side::B } else { Side::A };
        Crossing::new(self.depth().into(), front, side, self.triangle())
    }

    /// +1 where the line goes in, −1 where it comes out.
    #[inline]
    pub(crate) fn turn(self) -> i32 {
        if self.is_front() { 1 } else { -1 }
    }

    /// Depth on the view's lattice (steps).
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
    pub fn body(self) -> usize {
        usize::from(self.0 & SIDE_B != 0)
    }

    /// The triangle crossed, in its body's mesh; `ANALYTIC` of a solid without triangles.
    #[inline]
    pub fn triangle(self) -> u32 {
        self.0 as u32 & ANALYTIC
    }
}

/// Up to this many crossings are sorted by insertion.
const FEW: usize = 24;

/// Sorts the crossings of a line.
#[inline]
pub(crate) fn sort(crossings: &mut [Crossing]) {
    if crossings.len() > FEW {
        return crossings.sort_unstable();
    }
    for at in 1..crossings.len() {
        let own = crossings[at];
        let mut to = at;
        while to > 0 && crossings[to - 1] > own {
            crossings[to] = crossings[to - 1];
            to -= 1;
        }
        crossings[to] = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_sorted_by_depth_face_body_and_triangle_however_many_there_are() {
        for count in 0..60u32 {
            let depth = |k: u32| i64::from(k.wrapping_mul(2_654_435_769) as i32 >> 28);
            let mut some: Vec<Crossing> = (0..count)
                .map(|k| Crossing::new(depth(k), k % 3 == 0, Side::BOTH[k as usize % 2], k))
                .collect();
            let mut wanted = some.clone();
            wanted.sort_by_key(|c| (c.depth(), c.is_front(), c.body(), c.triangle()));
            sort(&mut some);
            assert_eq!(some, wanted);
        }
    }

    #[test]
    fn depths_beyond_32_bits_are_held_at_the_ends() {
        let at = |z: i64| Crossing::new(z, true, Side::A, 0).depth();
        assert_eq!([at(i64::MIN), at(-7), at(i64::MAX)], [NEAREST, -7, FARTHEST]);
    }
}
