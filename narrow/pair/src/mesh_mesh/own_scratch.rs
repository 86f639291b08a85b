//! Buffers of the patches of a surface that overlaps itself.

use nalgebra::Point3;

use super::own_lines::OwnRays;
use crate::patch::PatchPoint;
use crate::tunables;

/// Buffers of [`own_patches`](super::own_patches).
#[derive(Debug, Default)]
pub(crate) struct OwnScratch {
    /// The segments of the contours of a patch, one contour after the other, and where each ends.
    pub segments: Vec<[Point3<f64>; 2]>,
    pub ends: Vec<usize>,
    /// Points before some are picked.
    pub points: Vec<PatchPoint>,
    /// Lists of points that were patches' last time.
    pub spare: Vec<Vec<PatchPoint>>,
    pub(super) rays: OwnRays,
}

impl OwnScratch {
    /// The closed lines along the contours.
    pub fn lines(&self) -> impl Iterator<Item = &[[Point3<f64>; 2]]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.segments[start..end])
    }

    /// Some of the points, evenly picked, in a list of their own.
    pub fn picked(&mut self) -> Vec<PatchPoint> {
        let step = self.points.len().div_ceil(tunables::CONTOUR_PATCH_POINTS).max(1);
        let mut picked = self.spare.pop().unwrap_or_default();
        picked.extend(self.points.iter().step_by(step).cloned());
        picked
    }
}
