//! Rays and moving boxes: the first collider on the way, or all of them.

use impinge_geometry::Aabb;

use super::{Asker, Queries};
use crate::error::BroadPhaseError;
use crate::grid::{CellRange, Grid};
use crate::registry::proxy::Extent;

/// A ray: the points `origin + t * direction` for t from 0 to `length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins (m).
    pub origin: [f32; 3],
    /// Where it goes (m per unit of t); need not be of length one.
    pub direction: [f32; 3],
    /// Where it ends, in units of t; may be infinite.
    pub length: f32,
}

/// A collider met on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The collider.
    pub slot: u32,
    /// When its box is first touched: t of a ray, or the part of the way of a moving box; 0 where they
    /// overlap at the start.
    pub time: f64,
}

impl Touch {
    fn comes_before(&self, other: &Touch) -> bool {
        (self.time, self.slot) < (other.time, other.slot)
    }
}

const NO_RAY: &str = "the origin or direction of the ray is not finite, or its length NaN or negative";

/// A few units in the last place.
const LINE_SLACK: f64 = 1e-15;

impl Queries<'_> {
    /// The first collider whose box a ray meets; of several at the same time, that of the lowest slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn first_on_ray(&self, ray: &Ray, asker: &impl Asker) -> Result<Option<Touch>, BroadPhaseError> {
        Ok(self.first(&self.ray(ray)?, asker))
    }

    /// All colliders whose boxes a ray meets, by time, then slot.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn all_on_ray(&self, ray: &Ray, asker: &impl Asker) -> Result<Vec<Touch>, BroadPhaseError> {
        Ok(self.all(&self.ray(ray)?, asker))
    }

    /// The first collider whose box is touched by a box that moves by `way` (m); of several at the same
    /// time, that of the lowest slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a way that is not finite.
    pub fn first_on_way(
        &self,
        aabb: &Aabb,
        way: [f32; 3],
        asker: &impl Asker,
    ) -> Result<Option<Touch>, BroadPhaseError> {
        Ok(self.first(&self.way(aabb, way)?, asker))
    }

    /// All colliders whose boxes are touched by a box that moves by `way` (m), by time, then slot.
    ///
    /// # Errors
    /// A box that is not finite or has a minimum above its maximum, or a way that is not finite.
    pub fn all_on_way(
        &self,
        aabb: &Aabb,
        way: [f32; 3],
        asker: &impl Asker,
    ) -> Result<Vec<Touch>, BroadPhaseError> {
        Ok(self.all(&self.way(aabb, way)?, asker))
    }

    /// As [`Queries::all_on_ray`] for a line of `f64`: the points `origin + t * direction` for t from 0 to `length`. No box
    /// that it meets is left out by rounding, and one that it passes by no more than that may be found; times are right
    /// to a few units in the last place.
    ///
    /// # Errors
    /// An origin or direction that is not finite, or a length that is NaN or negative.
    pub fn all_on_line(
        &self,
        origin: [f64; 3],
        direction: [f64; 3],
        length: f64,
        asker: &impl Asker,
    ) -> Result<Vec<Touch>, BroadPhaseError> {
        let finite = origin.iter().chain(&direction).all(|x| x.is_finite());
        if !finite || length.is_nan() || length < 0.0 {
            return Err(BroadPhaseError::Query { what: NO_RAY });
        }
        let turn = |x: [f64; 3]| self.structure.grid().axes.map(|axis| x[axis]);
        let (at, way) = (turn(origin), turn(direction));
        Ok(self.all(&Cast { min: at, max: at, way, end: length, slack: LINE_SLACK }, asker))
    }

    fn ray(&self, ray: &Ray) -> Result<Cast, BroadPhaseError> {
        let finite = ray.origin.iter().chain(&ray.direction).all(|x| x.is_finite());
        if !finite || ray.length.is_nan() || ray.length < 0.0 {
            return Err(BroadPhaseError::Query { what: NO_RAY });
        }
        let aabb = Aabb { min: ray.origin, max: ray.origin };
        Ok(Cast::new(&aabb, ray.direction, ray.length, self.structure.grid()))
    }

    fn way(&self, aabb: &Aabb, way: [f32; 3]) -> Result<Cast, BroadPhaseError> {
        let finite = aabb.min.iter().chain(&aabb.max).chain(&way).all(|x| x.is_finite());
        if !finite || !(0..3).all(|k| aabb.min[k] <= aabb.max[k]) {
            let what = "the moving box or its way is not finite, or a minimum is above its maximum";
            return Err(BroadPhaseError::Query { what });
        }
        Ok(Cast::new(aabb, way, 1.0, self.structure.grid()))
    }

    fn first(&self, cast: &Cast, asker: &impl Asker) -> Option<Touch> {
        let mut best: Option<Touch> = None;
        self.walk(cast, asker, |touch| {
            if best.is_none_or(|best| touch.comes_before(&best)) {
                best = Some(touch);
            }
            best.map_or(f64::INFINITY, |best| best.time)
        });
        best
    }

    fn all(&self, cast: &Cast, asker: &impl Asker) -> Vec<Touch> {
        let mut touches = Vec::new();
        self.walk(cast, asker, |touch| {
            touches.push(touch);
            f64::INFINITY
        });
        touches.sort_unstable_by(|x, y| x.time.total_cmp(&y.time).then(x.slot.cmp(&y.slot)));
        touches.dedup();
        touches
    }

    /// Goes through the columns in the order in which the cast comes to them, and hands over all that
    /// it touches, some more than once. `found` answers with the time from which on nothing matters.
    fn walk(&self, cast: &Cast, asker: &impl Asker, mut found: impl FnMut(Touch) -> f64) {
        let grid = *self.structure.grid();
        let whole = cast.between(0.0, cast.end);
        let cells = grid.range(&whole);
        let mut last = cast.end;
        let columns: Vec<u16> = (cells.lo[0]..=cells.hi[0]).collect();
        let backwards = cast.way[1] < 0.0;
        for i in 0..columns.len() {
            let u = if backwards { columns[columns.len() - 1 - i] } else { columns[i] };
            let Some((from, to)) = cast.times_in(&grid, u) else { continue };
            if from > last {
                break;
            }
            let extent = cast.between(from, to.min(last));
            let range = grid.range(&extent);
            let slice = CellRange { lo: [u, range.lo[1]], hi: [u, range.hi[1]] };
            self.visit(slice, &extent, &mut |id, other| {
                if let (Some(time), Some(slot)) = (cast.touches(other), self.slot(id, asker)) {
                    last = last.min(found(Touch { slot, time }));
                }
            });
        }
    }
}

/// A box on its way, with the sweep axis first, then the two axes of the grid.
struct Cast {
    /// At the start (m).
    min: [f64; 3],
    max: [f64; 3],
    /// Per unit of time (m).
    way: [f64; 3],
    end: f64,
    /// Boxes are grown by this part of the coordinates, and times by this part of them; 0 for `f32`.
    slack: f64,
}

impl Cast {
    fn new(aabb: &Aabb, way: [f32; 3], end: f32, grid: &Grid) -> Cast {
        let turn = |x: [f32; 3]| grid.axes.map(|axis| f64::from(x[axis]));
        Cast { min: turn(aabb.min), max: turn(aabb.max), way: turn(way), end: f64::from(end), slack: 0.0 }
    }

    /// When the cast first shares a point with a box (Kay and Kajiya, "Ray tracing complex scenes",
    /// 1986: the box as three slabs).
    fn touches(&self, other: &Extent) -> Option<f64> {
        let (mut from, mut to) = (0.0f64, self.end);
        for k in 0..3 {
            let mut low = f64::from(other.min[k]) - self.max[k];
            let mut high = f64::from(other.max[k]) - self.min[k];
            if self.slack > 0.0 {
                low -= self.slack * (f64::from(other.min[k]).abs() + self.max[k].abs());
                high += self.slack * (f64::from(other.max[k]).abs() + self.min[k].abs());
            }
            if self.way[k] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
            } else {
                let (x, y) = (low / self.way[k], high / self.way[k]);
                from = from.max(x.min(y));
                to = to.min(x.max(y));
            }
        }
        // An end may be infinite: nothing is multiplied with it.
        (from <= to || from * (1.0 - self.slack) <= to).then_some(from)
    }

    /// When the cast is in the `u`th row of columns.
    fn times_in(&self, grid: &Grid, u: u16) -> Option<(f64, f64)> {
        // A hundredth of a cell is more than the rounding of places to cells.
        let edge = |cells: f64| f64::from(grid.origin[0]) + cells / f64::from(grid.inverse[0]);
        let low = if u == 0 { f64::NEG_INFINITY } else { edge(f64::from(u) - 0.01) };
        let high = if u + 1 >= grid.count[0] { f64::INFINITY } else { edge(f64::from(u) + 1.01) };
        let (low, high) = (low - self.max[1], high - self.min[1]);
        if self.way[1] == 0.0 {
            return (low <= 0.0 && high >= 0.0).then_some((0.0, self.end));
        }
        let (x, y) = (low / self.way[1], high / self.way[1]);
        let (from, to) = (x.min(y).max(0.0), x.max(y).min(self.end));
        (from <= to).then_some((from, to))
    }

    /// A box that holds the cast from one time to another.
    fn between(&self, from: f64, to: f64) -> Extent {
        let mut extent = Extent { min: [0.0; 3], max: [0.0; 3] };
        for k in 0..3 {
            // Nowhere times forever is nowhere.
            let moved = |time: f64| if self.way[k] == 0.0 { 0.0 } else { self.way[k] * time };
            let (x, y) = (moved(from), moved(to));
            let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
            let slack = 1e-12 * (self.min[k].abs() + self.max[k].abs() + finite(x) + finite(y));
            extent.min[k] = ((self.min[k] + x.min(y) - slack) as f32).next_down();
            extent.max[k] = ((self.max[k] + x.max(y) + slack) as f32).next_up();
        }
        extent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(min: [f64; 3], max: [f64; 3], way: [f64; 3], end: f64) -> Cast {
        Cast { min, max, way, end, slack: 0.0 }
    }

    #[test]
    fn times_of_touch_are_those_of_the_slabs() {
        let cube = Extent { min: [2.0, -1.0, -1.0], max: [3.0, 1.0, 1.0] };
        let ray = |origin: [f64; 3], way: [f64; 3]| cast(origin, origin, way, 10.0).touches(&cube);
        assert_eq!(ray([0.0; 3], [1.0, 0.0, 0.0]), Some(2.0));
        assert_eq!(ray([0.0; 3], [-1.0, 0.0, 0.0]), None);
        assert_eq!(ray([0.0; 3], [0.1, 0.0, 0.0]), None, "ends before it gets there");
        assert_eq!(ray([2.5, 0.0, 0.0], [0.0; 3]), Some(0.0), "starts inside and stays");
        assert_eq!(ray([0.0, 3.0, 0.0], [1.0, -1.0, 0.0]), Some(2.0), "a corner counts");
        assert_eq!(ray([0.0, 4.5, 0.0], [1.0, -1.0, 0.0]), None);
        // An end that is reached but for rounding is reached by a line.
        let line = |end: f64| Cast { slack: LINE_SLACK, ..cast([-0.1; 3], [-0.1; 3], [1.0, 0.0, 0.0], end) };
        assert!(
            line(2.1f64.next_down()).touches(&cube).is_some() && line(2.1 - 1e-14).touches(&cube).is_none()
        );
        assert_eq!(cast([-0.1; 3], [-0.1; 3], [1.0, 0.0, 0.0], 2.1f64.next_down()).touches(&cube), None);
        // A cube of edge 1 m whose front is at 0.5 m has 1.5 m to go, at 3 m per unit of time.
        let moving = cast([-0.5; 3], [0.5; 3], [3.0, 0.0, 0.0], 1.0);
        assert_eq!(moving.touches(&cube), Some(0.5));
        assert_eq!(
            moving.touches(&Extent { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] }),
            Some(0.0)
        );
    }
}
