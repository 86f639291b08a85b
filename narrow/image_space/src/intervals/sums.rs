//! Sums over intervals: whole numbers, and what they mean in metres.

use nalgebra::{Point3, Vector3};

use super::OverlapInterval;
use crate::view::View;

/// Sums over intervals of one view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Intervals with an overlap, and intervals that only touch.
    pub overlaps: u64,
    /// Intervals that only touch.
    pub touches: u64,
    length: i64,
    /// Σ length · twice the place of the interval's middle (right, up, depth).
    moment: [i128; 3],
    /// Σ [`OverlapInterval::gradient`], and the same times twice the interval's place (right, up).
    gradient: i64,
    gradient_moment: [i64; 2],
}

impl Sums {
    /// Adds an interval. One that only touches adds no volume and no area.
    #[inline]
    pub fn add(&mut self, interval: &OverlapInterval) {
        if interval.is_touch() {
            self.touches += 1;
            return;
        }
        self.overlaps += 1;
        let length = interval.length();
        let place = [2 * i64::from(interval.i) + 1, 2 * i64::from(interval.j) + 1];
        self.length += length;
        self.moment[0] += i128::from(length * place[0]);
        self.moment[1] += i128::from(length * place[1]);
        self.moment[2] +=
            i128::from(length) * i128::from(i64::from(interval.begin()) + i64::from(interval.end()));
        let gradient = interval.gradient();
        self.gradient += gradient;
        self.gradient_moment[0] += gradient * place[0];
        self.gradient_moment[1] += gradient * place[1];
    }

    /// The sums themselves: Σ length and its moments, Σ gradient and its moments.
    pub fn whole(&self) -> (i64, [i128; 3], i64, [i64; 2]) {
        (self.length, self.moment, self.gradient, self.gradient_moment)
    }

    /// Volume of the overlap (m³).
    pub fn volume(&self, view: &View) -> f64 {
        self.length as f64 * view.step * view.pixel_area()
    }

    /// Component of G along the view's depth axis (m²).
    pub fn gradient(&self, view: &View) -> f64 {
        0.5 * self.gradient as f64 * view.pixel_area()
    }

    /// Area of the intervals that only touch (m²).
    pub fn touch_area(&self, view: &View) -> f64 {
        self.touches as f64 * view.pixel_area()
    }

    /// This view's part of ∫ x × dA over A's surface inside B (m³), about the pair frame's origin:
    /// that of the surface's share along the depth axis. Three views at right angles add up to all.
    pub fn torque(&self, view: &View) -> Vector3<f64> {
        let area = 0.5 * view.pixel_area();
        let along = |k: usize| {
            (view.first[k] as f64 * self.gradient as f64 + 0.5 * self.gradient_moment[k] as f64)
                * view.pixel[k]
        };
        let place =
            view.anchor.coords * self.gradient as f64 + view.axes.right * along(0) + view.axes.up * along(1);
        place.cross(&view.axes.depth) * area
    }

    /// Centroid of the overlap (m, pair frame); `None` where there is no volume.
    pub fn centroid(&self, view: &View) -> Option<Point3<f64>> {
        if self.length == 0 {
            return None;
        }
        let mean = self.moment.map(|m| m as f64 / (2.0 * self.length as f64));
        let across = |k: usize| (view.first[k] as f64 + mean[k]) * view.pixel[k];
        Some(view.anchor + view.axes.vector([across(0), across(1), view.near + mean[2] * view.step]))
    }
}
