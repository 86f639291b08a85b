//! Which patch an overlap belongs to, where a pair has several: the one with the nearest point.

use impinge_image_space::view::Extent;
use nalgebra::Point3;

use crate::patch::Patch;
use crate::patches::halfway;

/// The patches of a pair as seen by one of them.
pub(super) struct Owners<'p> {
    own: &'p Patch,
    others: Vec<Other<'p>>,
}

/// Another patch of the pair.
struct Other<'p> {
    patch: &'p Patch,
    extent: Extent,
    /// Whether it comes before the own one, and so has what is as near to both.
    before: bool,
}

impl<'p> Owners<'p> {
    /// The patches of a pair that overlap, seen by the one at `index`.
    pub fn new(patches: &'p [Patch], index: usize, overlapping: impl Fn(&Patch) -> bool) -> Owners<'p> {
        let others = patches.iter().enumerate().filter(|&(at, patch)| at != index && overlapping(patch));
        let others = others.map(|(at, patch)| Other { patch, extent: extent(patch), before: at < index });
        Owners { own: &patches[index], others: others.collect() }
    }

    /// Whether there is but one patch.
    pub fn single(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether an overlap around a place (m, pair frame) is the patch's: where two are as near, the first has it.
    pub fn own(&self, p: &Point3<f64>) -> bool {
        if self.others.is_empty() {
            return true;
        }
        let mut own = None;
        self.others.iter().all(|other| {
            let own = *own.get_or_insert_with(|| nearest(self.own, p));
            if beyond(&other.extent, p) > own {
                return true;
            }
            let theirs = nearest(other.patch, p);
            theirs > own || (theirs == own && !other.before)
        })
    }
}

/// The square of the distance to the nearest of a patch's points (m²).
fn nearest(patch: &Patch, p: &Point3<f64>) -> f64 {
    patch.points.iter().map(|point| (halfway(point) - p).norm_squared()).fold(f64::INFINITY, f64::min)
}

/// A box around a patch's points.
fn extent(patch: &Patch) -> Extent {
    let mut extent = Extent::EMPTY;
    patch.points.iter().for_each(|point| extent.add(halfway(point).coords.into()));
    extent
}

/// The square of the distance to a box (m²).
fn beyond(extent: &Extent, p: &Point3<f64>) -> f64 {
    let along = |k: usize| (extent.min[k] - p[k]).max(p[k] - extent.max[k]).max(0.0);
    (0..3).map(|k| along(k) * along(k)).sum()
}
