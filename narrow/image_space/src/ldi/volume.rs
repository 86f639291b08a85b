//! Volumes: of one image's body, and of where two bodies overlap.

use super::{Crossing, LayeredDepthImage, LdiError};

/// Walks along the crossings of two bodies on one line: calls `change` after every depth at which
/// something is crossed, with that depth, the counters of both bodies, and the crossings there.
#[inline]
pub(super) fn walk(a: &[Crossing], b: &[Crossing], mut change: impl FnMut(u32, [i32; 2], [&[Crossing]; 2])) {
    let (mut i, mut j, mut inside) = (0, 0, [0i32; 2]);
    while i < a.len() || j < b.len() {
        let at = |list: &[Crossing], k: usize| list.get(k).map_or(u32::MAX, |c| c.depth() as u32);
        let depth = at(a, i).min(at(b, j));
        let (from_i, from_j) = (i, j);
        while at(a, i) == depth {
            inside[0] += a[i].turn();
            i += 1;
        }
        while at(b, j) == depth {
            inside[1] += b[j].turn();
            j += 1;
        }
        change(depth, inside, [&a[from_i..i], &b[from_j..j]]);
    }
}

impl LayeredDepthImage {
    /// The volume of the body within the view (m³). Along every line it is right to a step of depth;
    /// between the lines it is that of the surface's rectangle rule.
    ///
    /// # Errors
    /// [`LdiError::NotClosed`], [`LdiError::OneKindOfFaces`].
    pub fn volume(&self) -> Result<f64, LdiError> {
        self.solid("a volume")?;
        let mut steps = 0;
        for pixel in 0..self.pixel_count() {
            steps += length(self.of_pixel(pixel), &[], |[a, _]| a > 0);
        }
        Ok(steps as f64 * self.view.step() * self.view.pixel_area())
    }

    /// The volume in which this body and another, captured in the same view, overlap (m³).
    ///
    /// # Errors
    /// [`LdiError::ViewsDiffer`], [`LdiError::NotClosed`], [`LdiError::OneKindOfFaces`].
    pub fn intersection_volume(&self, other: &LayeredDepthImage) -> Result<f64, LdiError> {
        self.combines(other, "a volume of intersection")?;
        let mut steps = 0;
        for pixel in 0..self.pixel_count() {
            let (a, b) = (self.of_pixel(pixel), other.of_pixel(pixel));
            if !a.is_empty() && !b.is_empty() {
                steps += length(a, b, |[a, b]| a > 0 && b > 0);
            }
        }
        Ok(steps as f64 * self.view.step() * self.view.pixel_area())
    }

    /// Whether two images can be combined.
    pub(super) fn combines(&self, other: &LayeredDepthImage, what: &'static str) -> Result<(), LdiError> {
        self.solid(what)?;
        other.solid(what)?;
        if self.view != other.view { Err(LdiError::ViewsDiffer) } else { Ok(()) }
    }
}

/// How much of a line has `inside` (steps).
#[inline]
fn length(a: &[Crossing], b: &[Crossing], inside: impl Fn([i32; 2]) -> bool) -> u64 {
    let (mut steps, mut open) = (0, None);
    walk(a, b, |depth, counters, _| match (open, inside(counters)) {
        (None, true) => open = Some(depth),
        (Some(from), false) => {
            steps += u64::from(depth - from);
            open = None;
        }
        _ => {}
    });
    steps
}
