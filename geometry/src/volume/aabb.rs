//! Axis-aligned boxes in `f32`, rounded outward.

use nalgebra::Point3;

/// An axis-aligned box (m). Bounds may be infinite (a half-space has no finite box), never NaN.
///
/// Boxes made from `f64` data are rounded outward, so that no overlap of the exact boxes is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Aabb {
    /// Least corner (m).
    pub min: [f32; 3],
    /// Greatest corner (m).
    pub max: [f32; 3],
}

impl Aabb {
    /// The box that holds nothing: merging anything into it gives that thing's box.
    pub const EMPTY: Aabb = Aabb { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// The box that holds everything.
    pub const EVERYTHING: Aabb = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };

    /// The smallest `f32` box that holds the `f64` box from `min` to `max` (m).
    pub fn outward(min: [f64; 3], max: [f64; 3]) -> Aabb {
        Aabb { min: min.map(round_down), max: max.map(round_up) }
    }

    /// The box of a set of points (m); [`Aabb::EMPTY`] for none.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Point3<f32>>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |mut aabb, p| {
            for axis in 0..3 {
                aabb.min[axis] = aabb.min[axis].min(p[axis]);
                aabb.max[axis] = aabb.max[axis].max(p[axis]);
            }
            aabb
        })
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }

    /// Whether `other` lies wholly inside, borders included.
    #[inline]
    pub fn contains(&self, other: &Aabb) -> bool {
        (0..3).all(|i| self.min[i] <= other.min[i] && other.max[i] <= self.max[i])
    }

    /// The smallest box that holds both.
    #[inline]
    pub fn merged(&self, other: &Aabb) -> Aabb {
        Aabb {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        }
    }

    /// The box grown by `margin` (m) on every side, rounded outward.
    pub fn grown(&self, margin: f32) -> Aabb {
        let margin = f64::from(margin);
        Aabb::outward(self.min.map(|x| f64::from(x) - margin), self.max.map(|x| f64::from(x) + margin))
    }

    /// Whether the box holds at least one point.
    pub fn is_valid(&self) -> bool {
        (0..3).all(|i| self.min[i] <= self.max[i])
    }

    /// Whether every bound is finite.
    pub fn is_finite(&self) -> bool {
        self.min.iter().chain(&self.max).all(|x| x.is_finite())
    }

    /// Edge lengths (m).
    pub fn extents(&self) -> [f32; 3] {
        std::array::from_fn(|i| self.max[i] - self.min[i])
    }

    /// Centre of a finite box (m).
    pub fn center(&self) -> Point3<f32> {
        Point3::from(std::array::from_fn::<f32, 3, _>(|i| 0.5 * self.min[i] + 0.5 * self.max[i]))
    }
}

/// The greatest `f32` not above `x`.
#[inline]
pub fn round_down(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}

/// The least `f32` not below `x`.
#[inline]
pub fn round_up(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outward_rounding_never_shrinks_the_box() {
        for x in [0.1, -0.1, 1e-300, -1e-300, 1e300, -1e300, 16_777_217.0] {
            let aabb = Aabb::outward([x; 3], [x; 3]);
            assert!(f64::from(aabb.min[0]) <= x && x <= f64::from(aabb.max[0]));
        }
    }

    #[test]
    fn boxes_that_share_only_a_face_overlap() {
        let a = Aabb { min: [0.0; 3], max: [1.0; 3] };
        let b = Aabb { min: [1.0, 0.0, 0.0], max: [2.0, 1.0, 1.0] };
        assert!(a.overlaps(&b) && b.overlaps(&a));
        let c = Aabb { min: [1.0f32.next_up(), 0.0, 0.0], max: [2.0, 1.0, 1.0] };
        assert!(!a.overlaps(&c));
    }
}
