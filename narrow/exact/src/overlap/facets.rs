//! A's surface inside B, polygon by polygon.

use impinge_geometry::Side;
use nalgebra::{Point3, Vector3};

use super::measure::{MeasureScratch, Measured};
use super::overlaps::FilledOverlaps;
use super::sums::Sums;

/// The part of a triangle of A that is inside B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsideFacet {
    /// The overlap that it bounds, as [`super::Overlaps::of_contour`] names it.
    pub overlap: u32,
    /// Its area vector (m²).
    pub area: Vector3<f64>,
    /// ∫ x × dA over it, about the pair frame's origin (m³).
    pub torque: Vector3<f64>,
    /// The middle of its box (m, pair frame).
    pub middle: Point3<f64>,
}

/// The buffers for [`FilledOverlaps::facets`], reused from pair to pair.
#[derive(Clone, Debug, Default)]
pub struct FacetScratch {
    measure: MeasureScratch,
    sums: Vec<Option<Sums>>,
}

impl FilledOverlaps<'_> {
    /// Calls `visit` with each polygon of A's surface inside B. The polygons of one overlap add up
    /// to its gradient and its torque, unless A has a shell in that overlap without a contour.
    pub fn facets(&self, scratch: &mut FacetScratch, mut visit: impl FnMut(&InsideFacet)) {
        let FacetScratch { measure, sums } = scratch;
        let (fill, labels) = self.filled(Side::A);
        measure.begin(labels.len());
        sums.clear();
        sums.resize(labels.len(), None);
        let FilledOverlaps { surfaces, intersections, .. } = *self;
        let own = Measured { surfaces, intersections, side: Side::A, fill, labels, with_error: false };
        let mut tell = |root: u32, sums: &mut [Option<Sums>]| {
            if let Some(sum) = sums[root as usize].take() {
                let (area, torque) = (sum.area, sum.torque());
                let middle = nalgebra::center(&sum.low, &sum.high);
                visit(&InsideFacet { overlap: root, area, torque, middle });
            }
        };
        for crossed in &fill.crossed {
            own.polygon(crossed, measure, sums);
            let segments = crossed.segments.start as usize..crossed.segments.end as usize;
            fill.segments[segments].iter().for_each(|by| tell(labels.of(by.label), sums));
        }
        for whole in &fill.inside {
            let corners = own.corners(whole.triangle);
            let root = labels.of(whole.label);
            own.triangle(&corners, root, whole.winding, sums);
            tell(root, sums);
        }
    }
}
