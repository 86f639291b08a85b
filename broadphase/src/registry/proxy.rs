//! One proxy per collider: its box at the last update, its box now, and the columns that hold it.

use impinge_geometry::Aabb;

use crate::grid::CellRange;
use crate::grid::quantize;

/// A box with the sweep axis first, then the two axes of the grid (m). All NaN where there is none:
/// no comparison with NaN holds, so nothing overlaps it, not even a box without bounds.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Extent {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Extent {
    pub const NONE: Extent = Extent { min: [f32::NAN; 3], max: [f32::NAN; 3] };

    /// The box with its axes in the order `axes`, a turn of x, y, z.
    #[inline]
    pub fn new(aabb: &Aabb, axes: [usize; 3]) -> Extent {
        match axes[0] {
            0 => Extent::turned::<0>(aabb),
            1 => Extent::turned::<1>(aabb),
            _ => Extent::turned::<2>(aabb),
        }
    }

    /// The box with the axis `FIRST` first.
    #[inline(always)]
    pub fn turned<const FIRST: usize>(aabb: &Aabb) -> Extent {
        let turn = |x: &[f32; 3]| [x[FIRST], x[(FIRST + 1) % 3], x[(FIRST + 2) % 3]];
        Extent { min: turn(&aabb.min), max: turn(&aabb.max) }
    }

    /// The box with its axes back in the order x, y, z.
    #[inline]
    pub fn aabb(&self, axes: [usize; 3]) -> Aabb {
        let mut aabb = Aabb { min: [0.0; 3], max: [0.0; 3] };
        for (k, axis) in axes.into_iter().enumerate() {
            aabb.min[axis] = self.min[k];
            aabb.max[axis] = self.max[k];
        }
        aabb
    }

    #[inline]
    pub fn is_none(&self) -> bool {
        self.min[0].is_nan()
    }

    /// Whether all bounds are numbers.
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        quantize::is_finite(self)
    }

    #[inline]
    pub fn same(&self, other: &Extent) -> bool {
        (0..3).fold(true, |all, k| all & (self.min[k] == other.min[k]) & (self.max[k] == other.max[k]))
    }

    /// Whether the boxes share a point; touching counts, NaN never does.
    #[inline]
    pub fn overlaps(&self, other: &Extent) -> bool {
        // Without branches: which bound decides cannot be predicted.
        (0..3).fold(true, |all, i| all & (self.min[i] <= other.max[i]) & (other.min[i] <= self.max[i]))
    }
}

/// Everything the update reads of a collider, in one cache line.
///
/// `old` is valid only while `stamp` names the current epoch: a proxy that was not touched since the
/// last update is where it was, and no pass has to copy it.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Proxy {
    /// The box to be reported by the next update; none for a proxy that leaves.
    pub new: Extent,
    /// The columns of `new`, or one of the marks of [`CellRange`].
    pub cells: CellRange,
    /// The box that the last update reported; none for a proxy that enters.
    pub old: Extent,
    /// Twice the epoch in which `new` was set, plus one if the proxy is listed as crossing.
    pub stamp: u32,
    /// The collider's slot.
    pub slot: u32,
}

impl Proxy {
    /// Stands for no proxy; epochs begin at 1.
    pub const NONE: Proxy =
        Proxy { new: Extent::NONE, cells: CellRange::NOWHERE, old: Extent::NONE, stamp: 0, slot: u32::MAX };

    /// Its two halves as words: `new` and `cells`; `old`, `stamp` and `slot`.
    #[inline(always)]
    pub fn words(&self) -> [&[f32; 8]; 2] {
        const { assert!(size_of::<Proxy>() == 64) }
        let halves = std::ptr::from_ref(self).cast::<[f32; 8]>();
        // SAFETY: a proxy is sixteen words in the order of its fields without padding, all of them are
        // borrowed, and any bits make a float.
        unsafe { [&*halves, &*halves.add(1)] }
    }

    /// Whether the proxy was set since the last update, which ended `epoch`.
    #[inline]
    pub fn moved(&self, epoch: u32) -> bool {
        self.stamp >> 1 == epoch
    }

    /// Updates since that in which the proxy moved last.
    #[inline]
    pub fn age(&self, epoch: u32) -> u32 {
        epoch - (self.stamp >> 1)
    }

    /// Notes that the proxy is about to change in this epoch: its new box becomes the old one. Its age, if it had not moved in it.
    #[inline(always)]
    pub fn begin_to_move(&mut self, epoch: u32) -> Option<u32> {
        if self.moved(epoch) {
            return None;
        }
        let age = self.age(epoch);
        self.stamp = epoch << 1;
        self.old = self.new;
        Some(age)
    }

    /// The box that the last update reported.
    #[inline]
    pub fn reported(&self, epoch: u32) -> &Extent {
        if self.moved(epoch) { &self.old } else { &self.new }
    }
}
