//! Boxes side by side, eight to a block.

use crate::registry::proxy::Extent;

/// Boxes per block.
pub(crate) const LANES: usize = 8;

pub(super) type Lanes = [f32; LANES];

/// Eight boxes. Lanes without a box hold NaN and overlap nothing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Boxes {
    pub min: [Lanes; 3],
    pub max: [Lanes; 3],
}

impl Boxes {
    pub const NONE: Boxes = Boxes { min: [[f32::NAN; LANES]; 3], max: [[f32::NAN; LANES]; 3] };

    #[inline]
    pub fn set(&mut self, lane: usize, extent: &Extent) {
        for k in 0..3 {
            self.min[k][lane] = extent.min[k];
            self.max[k][lane] = extent.max[k];
        }
    }

    #[inline]
    pub fn get(&self, lane: usize) -> Extent {
        let pick = |lanes: &[Lanes; 3]| [lanes[0][lane], lanes[1][lane], lanes[2][lane]];
        Extent { min: pick(&self.min), max: pick(&self.max) }
    }
}

/// What the sweep reads of a proxy: the hull of its box in both states, and how far its bounds moved.
///
/// If the overlap of two proxies changes, then in one state some bound of the one passes a bound of the
/// other, and in the other state it does not; so their hulls overlap there by no more than both
/// bounds moved, which is at most the sum of the two shells. Hulls that overlap deeper, or not at
/// all, are of no interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hull {
    pub extent: Extent,
    /// The most that any bound moved (m), and a little more than the rounding of the test; infinite
    /// for a proxy of which one state alone counts.
    pub shell: f32,
}

/// One and a bit: covers three roundings.
pub(super) const ROUND_UP: f32 = 1.0 + 1.0 / (1 << 20) as f32;

impl Hull {
    /// A proxy of which one state counts.
    #[inline]
    pub fn single(extent: &Extent) -> Hull {
        Hull { extent: *extent, shell: f32::INFINITY }
    }

    /// Two states of finite bounds; the old one may be missing.
    #[inline]
    pub fn both(new: &Extent, old: &Extent) -> Hull {
        if old.is_none() {
            return Hull::single(new);
        }
        let mut hull = Hull { extent: *new, shell: 0.0 };
        for k in 0..3 {
            let (min, max) = (&mut hull.extent.min[k], &mut hull.extent.max[k]);
            let moved = [new.min[k].max(old.min[k]), new.max[k].max(old.max[k])];
            *min = new.min[k].min(old.min[k]);
            let low = new.max[k].min(old.max[k]);
            *max = moved[1];
            hull.shell = hull.shell.max(moved[0] - *min).max(moved[1] - low);
        }
        hull.shell *= ROUND_UP;
        hull
    }

    /// The hull of a huge box, whose bounds may be infinite or missing. Bounds are clamped, so that
    /// no difference is that of two infinities.
    pub fn apart(new: &Extent, old: &Extent) -> Hull {
        let finite = |extent: &Extent| {
            let clamp = |x: f32| x.clamp(-f32::MAX, f32::MAX);
            Extent { min: extent.min.map(clamp), max: extent.max.map(clamp) }
        };
        match (new.is_none(), old.is_none()) {
            (true, _) => Hull::single(&finite(old)),
            (_, true) => Hull::single(&finite(new)),
            _ => Hull::both(&finite(new), &finite(old)),
        }
    }
}

/// The hulls of eight proxies.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block {
    pub min: [Lanes; 3],
    pub max: [Lanes; 3],
    pub shell: Lanes,
}

impl Block {
    pub const NONE: Block =
        Block { min: [[f32::NAN; LANES]; 3], max: [[f32::NAN; LANES]; 3], shell: [0.0; LANES] };

    #[inline]
    pub fn set(&mut self, lane: usize, hull: &Hull) {
        for k in 0..3 {
            self.min[k][lane] = hull.extent.min[k];
            self.max[k][lane] = hull.extent.max[k];
        }
        self.shell[lane] = hull.shell;
    }

    #[cfg(test)]
    pub fn get(&self, lane: usize) -> Hull {
        let pick = |lanes: &[Lanes; 3]| [lanes[0][lane], lanes[1][lane], lanes[2][lane]];
        Hull { extent: Extent { min: pick(&self.min), max: pick(&self.max) }, shell: self.shell[lane] }
    }

    /// The bounds along the sweep axis (m); NaN does not count.
    #[inline]
    pub fn span(&self) -> Span {
        let (min, max) = (&self.min[0], &self.max[0]);
        let tip = |lanes: &[f32]| lanes.iter().fold(f32::NEG_INFINITY, |tip, x| tip.max(*x));
        Span {
            start: min.iter().fold(f32::INFINITY, |start, x| start.min(*x)),
            tips: [tip(&max[..LANES / 2]), tip(&max[LANES / 2..])],
        }
    }
}

/// The bounds of a block along the sweep axis (m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// The least bound of all lanes.
    pub start: f32,
    /// The greatest bound of the first and of the second four lanes.
    pub tips: [f32; 2],
}

/// Eight proxies in both states. A state that does not count is missing.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct States {
    pub new: Boxes,
    pub old: Boxes,
}

impl States {
    pub const NONE: States = States { new: Boxes::NONE, old: Boxes::NONE };

    #[inline]
    pub fn set(&mut self, lane: usize, change: &Change) {
        self.new.set(lane, &change.new);
        self.old.set(lane, &change.old);
    }
}

/// Properties of eight proxies besides their hulls, a bit per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LaneBits {
    /// The hulls' bounds along the sweep axis; not set right where a lane is odd.
    pub span: Span,
    /// The proxy moved.
    pub moved: u32,
    /// The proxy moved from one box to another that does not overlap it, or to none: its hull and states are
    /// not set right. Those of a proxy that enters are.
    pub odd: u32,
    /// The proxy does not stay in the column.
    pub leaving: u32,
}

/// A box as it was and as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub new: Extent,
    pub old: Extent,
}

impl Change {
    /// Bounds along the sweep axis that hold both boxes (m).
    #[inline]
    pub fn sweep(&self) -> (f32, f32) {
        // `min` and `max` pass over a NaN, so a missing box does not count.
        (self.new.min[0].min(self.old.min[0]), self.new.max[0].max(self.old.max[0]))
    }

    /// Its hull in the sweep of a column.
    #[inline]
    pub fn hull(&self) -> Hull {
        if self.new.is_none() { Hull::single(&self.old) } else { Hull::both(&self.new, &self.old) }
    }
}
