//! The intersection of two surfaces, and sums over its features.

use nalgebra::{Point3, Vector3};

use crate::patches::{ExactOverlaps, FeatureKind, Features, InteriorVertices};
use crate::tunables;
use impinge_exact::contour::Contours;
use impinge_exact::intersect::Intersections;
use impinge_image_space::intervals::{OverlapInterval, Sums};
use impinge_image_space::view::{Extent, View};

/// The intersection of two surfaces, and the features of it.
#[derive(Clone, Copy)]
pub(crate) struct SurfaceIntersection<'a> {
    pub found: &'a Intersections,
    pub contours: &'a Contours,
    pub features: &'a Features,
    pub interior: &'a InteriorVertices,
    /// The overlaps, if their volumes are known.
    pub exact: Option<ExactOverlaps<'a>>,
}

/// Sums over some features.
#[derive(Clone, Copy)]
pub(crate) struct Total {
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
    /// The largest single area vector (m²) and its length.
    pub largest: Vector3<f64>,
    pub extent: Extent,
}

impl Total {
    pub fn of(features: &Features, members: impl Iterator<Item = u32>) -> Total {
        let zero = Vector3::zeros();
        let mut total = Total { gradient: zero, torque: zero, largest: zero, extent: Extent::EMPTY };
        for m in members {
            let feature = &features.list[m as usize];
            total.gradient += feature.gradient;
            total.torque += feature.torque;
            if feature.gradient.norm_squared() > total.largest.norm_squared() {
                total.largest = feature.gradient;
            }
            total.extent.merge(&feature.extent);
        }
        total
    }

    /// Whether there is an area at all, beyond what rounding makes of none.
    pub fn has_area(&self, least: f64) -> bool {
        let size = self.extent.longest();
        self.largest.norm() > (size * least).max(size * size * 1e-12)
    }

    /// The normal, where the contours do not oppose each other.
    pub fn normal(&self) -> Option<Vector3<f64>> {
        let area = self.gradient.norm();
        (area > tunables::OPPOSED_CONTOURS * self.largest.norm()).then(|| self.gradient / area)
    }

    /// The normal of a ring, as a bowl's rim leaves it on a table: the area vectors of its outer and
    /// inner contour nearly cancel, but what is left of them is all the area that the overlap has. (Of
    /// a rod through a hole far less is left than the overlap shows from the end.)
    pub fn ring_normal(&self, view: &View, columns: &[OverlapInterval]) -> Option<Vector3<f64>> {
        let seen = columns.iter().filter(|c| !c.is_touch()).count() as f64 * view.pixel[0] * view.pixel[1];
        let along = self.gradient.dot(&view.axes.depth).abs();
        (seen > 0.0 && along > 0.5 * seen).then(|| self.gradient.normalize())
    }
}

/// Volume of columns and its centroid. How many columns there are is right to a pixel only, and where
/// they are about equally long, that is the volume's error too: the exact area mends it. `None` of no
/// volume.
pub(crate) fn measured(
    view: &View,
    columns: &[OverlapInterval],
    gradient: &Vector3<f64>,
) -> Option<(f64, Point3<f64>)> {
    let mut sums = Sums::default();
    columns.iter().for_each(|c| sums.add(c));
    let centroid = sums.centroid(view)?;
    let volume = sums.volume(view);
    let longest = columns.iter().map(OverlapInterval::length).max()? as f64 * view.step;
    let fullness = volume / (longest * view.pixel_area() * sums.overlaps as f64);
    let ratio = gradient.dot(&view.axes.depth) / sums.gradient(view);
    Some((mended(volume, fullness, ratio), centroid))
}

/// A volume that was measured by columns, with the error of their number taken out: `fullness` is what the volume
/// is of a prism over the columns, as high as the longest, and `ratio` their exact area by what they cover. The fuller
/// the prism, the more of the volume's error is the area's.
pub fn mended(volume: f64, fullness: f64, ratio: f64) -> f64 {
    let ratio = if (0.75..=1.5).contains(&ratio) { ratio } else { 1.0 };
    let share = (2.0 * fullness - 1.0).clamp(0.0, 1.0);
    volume * (1.0 + (ratio - 1.0) * share)
}

/// Calls `f` with the ends of every segment of a feature.
pub(crate) fn each_segment(
    intersection: &SurfaceIntersection<'_>,
    feature: u32,
    mut f: impl FnMut(&Point3<f64>, &Point3<f64>),
) {
    match intersection.features.list[feature as usize].kind {
        FeatureKind::Loop(index) => {
            let contour = &intersection.contours.loops[index as usize];
            for s in intersection.contours.segments(contour, intersection.found) {
                f(&s.points[0], &s.points[1]);
            }
        }
        FeatureKind::Face(index) => {
            let pair = &intersection.found.degenerate[index as usize];
            if let impinge_exact::intersect::TouchKind::Coplanar(face) = &pair.kind {
                let corners =
                    &intersection.found.polygons[face.polygon.start as usize..face.polygon.end as usize];
                for (k, p) in corners.iter().enumerate() {
                    f(p, &corners[(k + 1) % corners.len()]);
                }
            }
        }
        FeatureKind::Touch(index) => {
            let pair = &intersection.found.degenerate[index as usize];
            f(&pair.points[0], &pair.points[1]);
        }
    }
}
