//! Fat boxes: a collider that stays within its box grown by a margin costs next to nothing.

use impinge_geometry::Aabb;

use crate::registry::proxy::Extent;

/// How much the boxes of colliders that are not static are grown.
///
/// With a margin the structure holds, compares and reports fat boxes. A box that is set and lies
/// within its fat box changes nothing; one that leaves it gets a new one. The growth is the same
/// for all sides at first; then more of it lies ahead of the motion since the last growth. It is a little
/// less than said here, by another part for each collider, so that work is spread over the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Growth of each side (m), at least 0.
    pub metres: f32,
    /// Growth of each side as a part of the box's own extent along that axis, at least 0.
    pub fraction: f32,
    /// The part of the growth along an axis that lies ahead of the motion: from 0.5, the same on both
    /// sides, to 1 (usual: 0.95). The whole growth does not depend on it.
    pub ahead: f32,
}

impl Margin {
    /// A margin in metres, most of it ahead of the motion.
    pub fn metres(metres: f32) -> Margin {
        Margin { metres, fraction: 0.0, ahead: 0.95 }
    }

    /// A margin as a part of each box's extents, most of it ahead of the motion.
    pub fn fraction(fraction: f32) -> Margin {
        Margin { metres: 0.0, fraction, ahead: 0.95 }
    }

    /// The growth of both sides together along an axis (m).
    fn growth(&self, size: f32) -> f32 {
        let part = |x: f32| if x > 0.0 { x } else { 0.0 };
        2.0 * (part(self.metres) + part(self.fraction) * size)
    }

    /// Whether a fat box is still good for a box: it contains it, and is not much larger than needed.
    #[inline]
    pub(crate) fn holds(&self, fat: &Extent, aabb: &Extent) -> bool {
        (0..3).fold(true, |all, k| {
            let size = aabb.max[k] - aabb.min[k];
            let inside = (fat.min[k] <= aabb.min[k]) & (aabb.max[k] <= fat.max[k]);
            // The fat box of a box that shrank is shrunk, too.
            all & inside & (fat.max[k] - fat.min[k] <= size + 1.5 * self.growth(size))
        })
    }

    /// The first fat box of a collider. Its growth is between a quarter and the whole, so that
    /// colliders that set out together do not leave their boxes in the same step.
    pub(crate) fn first(&self, aabb: &Aabb, slot: u32) -> Aabb {
        let part = 0.25 + 0.75 * share(slot);
        self.grown(aabb, |_, growth| [0.5 * part * growth; 2])
    }

    /// A new fat box of a collider that moved by `motion` (m) since its last. Some grow by a twentieth
    /// less than others, so that those that do the same do not do it in the same step.
    pub(crate) fn along(&self, aabb: &Aabb, motion: [f32; 3], slot: u32) -> Aabb {
        let ahead = self.ahead.clamp(0.5, 1.0);
        let part = 1.0 - LESS * share(slot);
        self.grown(aabb, |k, growth| {
            let growth = part * growth;
            let (front, back) = (ahead * growth, (1.0 - ahead) * growth);
            if motion[k] > 0.0 {
                [back, front]
            } else if motion[k] < 0.0 {
                [front, back]
            } else {
                [0.5 * growth; 2]
            }
        })
    }

    fn grown(&self, aabb: &Aabb, sides: impl Fn(usize, f32) -> [f32; 2]) -> Aabb {
        let mut fat = *aabb;
        for k in 0..3 {
            let [low, high] = sides(k, self.growth(aabb.max[k] - aabb.min[k]));
            fat.min[k] = aabb.min[k] - low;
            fat.max[k] = aabb.max[k] + high;
        }
        // Boxes without bounds, or near the end of the numbers, are left as they are.
        if fat.min.iter().chain(&fat.max).all(|x| x.is_finite()) { fat } else { *aabb }
    }
}

/// The greatest part of the growth that is left out.
const LESS: f32 = 0.05;

/// A number from 0 to 1 for each slot, evenly spread: the bits of a product by the golden ratio (Knuth,
/// "The Art of Computer Programming", 6.4).
fn share(slot: u32) -> f32 {
    (slot.wrapping_mul(0x9e37_79b9) >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fat_box_holds_its_box_until_it_leaves_or_shrinks() {
        let margin = Margin::metres(0.1);
        let aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let fat = margin.along(&aabb, [1.0, -1.0, 0.0], 0);
        // 0.2 m of growth: 0.19 ahead, 0.01 behind; on the third axis half and half.
        let expected = Aabb { min: [-0.01, -0.19, -0.1], max: [1.19, 1.01, 1.1] };
        for k in 0..3 {
            assert!(
                (fat.min[k] - expected.min[k]).abs() < 1e-6 && (fat.max[k] - expected.max[k]).abs() < 1e-6
            );
        }
        let extent = |aabb: &Aabb| Extent::new(aabb, [0, 1, 2]);
        let (fat, aabb) = (extent(&fat), extent(&aabb));
        let moved = |x: f32| Extent { min: [x, 0.0, 0.0], max: [1.0 + x, 1.0, 1.0] };
        assert!(margin.holds(&fat, &aabb) && margin.holds(&fat, &moved(0.18)));
        assert!(!margin.holds(&fat, &moved(0.2)) && !margin.holds(&fat, &moved(-0.02)));
        assert!(!margin.holds(&fat, &Extent { min: [0.4; 3], max: [0.6; 3] }));
    }

    #[test]
    fn boxes_that_cannot_grow_stay_as_they_are() {
        let margin = Margin { metres: 1e38, fraction: 1.0, ahead: 0.5 };
        for aabb in [Aabb::EVERYTHING, Aabb { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] }] {
            assert_eq!(margin.first(&aabb, 7), aabb);
            assert_eq!(margin.along(&aabb, [1.0; 3], 7), aabb);
        }
        let far = Aabb { min: [3e38; 3], max: [3e38; 3] };
        assert_eq!(margin.along(&far, [1.0; 3], 7), far);
    }
}
