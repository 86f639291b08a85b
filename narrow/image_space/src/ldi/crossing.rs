//! One crossing of a surface and the line through a pixel's centre.

/// Last depth of a view's lattice; what lies farther, or nearer than 0, is held at the ends.
pub const LAST_DEPTH: u32 = (1 << 22) - 1;

/// Marks crossings of the second of two bodies.
const SECOND: u32 = 1 << 31;

/// A crossing, packed so that the order of the numbers is the order along the line: depth, back
/// faces before front faces, first body before second, triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Crossing(u64);

impl Crossing {
    /// At `depth` steps, which is held on the lattice.
    #[inline]
    pub(crate) fn new(depth: i32, front: bool, triangle: u32) -> Crossing {
        let depth = depth.clamp(0, LAST_DEPTH as i32) as u32;
        Crossing(u64::from(depth << 1 | u32::from(front)) << 32 | u64::from(triangle))
    }

    /// From the two words that a GPU writes: depth and face, triangle.
    #[inline]
    pub fn from_words(words: [u32; 2]) -> Crossing {
        Crossing(u64::from(words[0]) << 32 | u64::from(words[1]))
    }

    /// The two words that a GPU writes for it.
    #[inline]
    pub fn words(self) -> [u32; 2] {
        [(self.0 >> 32) as u32, self.0 as u32]
    }

    /// Depth on the view's lattice, from 0 to [`LAST_DEPTH`].
    #[inline]
    pub fn depth(self) -> u32 {
        (self.0 >> 33) as u32
    }

    /// Whether the outward normal points against the view: the line goes in.
    #[inline]
    pub fn is_front(self) -> bool {
        self.0 & 1 << 32 != 0
    }

    /// +1 where the line goes in, −1 where it comes out.
    #[inline]
    pub(crate) fn turn(self) -> i32 {
        if self.is_front() { 1 } else { -1 }
    }

    /// The triangle crossed, in its body's mesh.
    #[inline]
    pub fn triangle(self) -> u32 {
        self.0 as u32 & !SECOND
    }

    /// 0 for the first body, 1 for the second of a combination of two.
    #[inline]
    pub fn body(self) -> usize {
        usize::from(self.0 as u32 & SECOND != 0)
    }

    /// The same place and triangle of `body`, entered or left.
    #[inline]
    pub(crate) fn of(self, body: usize, front: bool) -> Crossing {
        let mark = if body == 1 { SECOND } else { 0 };
        Crossing(u64::from(self.depth() << 1 | u32::from(front)) << 32 | u64::from(self.triangle() | mark))
    }
}
