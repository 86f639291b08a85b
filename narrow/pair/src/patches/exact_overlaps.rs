//! The exact overlaps of two closed surfaces as patches use them.
//!
//! [`InteriorVertices`](super::InteriorVertices) go over the same surfaces for contact points, of open ones too and no
//! farther than these need; volumes need all that is inside, of closed ones alone.

use nalgebra::{Point3, Vector3};

use crate::tunables;
use impinge_exact::contour::Contours;
use impinge_exact::intersect::{Intersections, Surfaces};
use impinge_exact::overlap::{
    FacetScratch, FilledOverlaps, InsideFacet, InsideVertex, Overlap, OverlapScratch, OverlapSettings,
    Overlaps, overlaps,
};
use impinge_geometry::{Containment, Side};

/// A volume (m³), its centroid (m, pair frame), the bound of the volume's error (m³), and its derivatives when A is moved
/// (m²) and turned about the pair frame's origin (m³).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ExactVolume {
    pub volume: f64,
    pub centroid: Point3<f64>,
    pub error: f64,
    pub gradient: Vector3<f64>,
    pub torque: Vector3<f64>,
}

impl ExactVolume {
    /// That of some overlaps together.
    pub fn of<'o>(overlaps: impl Iterator<Item = &'o Overlap>) -> ExactVolume {
        let (mut volume, mut error, mut moment) = (0.0, 0.0, Vector3::zeros());
        let (mut gradient, mut torque) = (Vector3::zeros(), Vector3::zeros());
        let mut middle = Point3::origin();
        for overlap in overlaps {
            volume += overlap.volume;
            error += overlap.error + f64::EPSILON * volume;
            moment += overlap.centroid.coords * overlap.volume;
            middle = overlap.centroid;
            gradient += overlap.gradient;
            torque += overlap.torque;
        }
        let centroid = if volume > 0.0 { Point3::from(moment / volume) } else { middle };
        ExactVolume { volume, centroid, error, gradient, torque }
    }
}

/// The buffers for the exact overlaps of a pair. They are readable only through the
/// [`ExactOverlaps`] of that pair.
#[derive(Debug, Default)]
pub(crate) struct OverlapBuffers {
    found: Overlaps,
    /// For each overlap in the list: it has a contour of other than virtual faces, or none at all.
    real: Vec<bool>,
    scratch: OverlapScratch,
}

impl OverlapBuffers {
    /// Finds the overlaps of a pair. Returns `None` if their volumes are not known.
    ///
    /// `with_error` adds bounds of the volumes' errors, and removes the limit on the overlaps'
    /// size.
    pub fn find<'o>(
        &'o mut self,
        input: &'o Surfaces<'o>,
        (intersections, contours): (&'o Intersections, &Contours),
        contained: Containment,
        with_error: bool,
    ) -> Option<ExactOverlaps<'o>> {
        let OverlapBuffers { found, real, scratch } = self;
        // A place inside two shells of one body would count twice.
        let once = input.meshes.iter().all(|mesh| mesh.is_closed() && !mesh.shells_overlap());
        if !once {
            return None;
        }
        let most_triangles = if with_error { usize::MAX } else { tunables::INTERIOR_TRIANGLES };
        let settings = OverlapSettings { most_triangles, with_error };
        let filled = overlaps(input, (intersections, contours), contained, &settings, scratch, found);
        real.clear();
        real.extend(found.list.iter().map(|overlap| overlap.name as usize >= contours.loops.len()));
        for (contour, &name) in contours.loops.iter().zip(&found.of_contour) {
            if !contour.is_virtual()
                && let Ok(at) = found.list.binary_search_by_key(&name, |overlap| overlap.name)
            {
                real[at] = true;
            }
        }
        let known = found.whole && (!found.list.is_empty() || found.of_contour.is_empty());
        known.then_some(ExactOverlaps { found, real, filled })
    }
}

/// The overlaps of one pair, whose volumes are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactOverlaps<'o> {
    found: &'o Overlaps,
    real: &'o [bool],
    filled: FilledOverlaps<'o>,
}

impl<'o> ExactOverlaps<'o> {
    /// Returns the overlaps that have a border of other than virtual faces.
    pub fn list(&self) -> impl Iterator<Item = &'o Overlap> + Clone + use<'o> {
        self.found.list.iter().zip(self.real).filter(|(_, real)| **real).map(|(overlap, _)| overlap)
    }

    /// Returns the overlap that a contour bounds.
    pub fn of_contour(&self, contour: u32) -> Option<u32> {
        self.found.of_contour.get(contour as usize).copied()
    }

    /// Calls `visit` with the triangles of one side that bound overlaps; see
    /// [`FilledOverlaps::triangles`].
    pub fn triangles(&self, side: Side, visit: impl FnMut(u32, u32)) {
        self.filled.triangles(side, visit);
    }

    /// Calls `visit` with the polygons of A's surface inside B; see [`FilledOverlaps::facets`].
    pub fn facets(&self, scratch: &mut FacetScratch, visit: impl FnMut(&InsideFacet)) {
        self.filled.facets(scratch, visit);
    }

    /// Calls `visit` with the contours' segments in a triangle of one side; see
    /// [`FilledOverlaps::segments_in`].
    pub fn segments_in(&self, side: Side, triangle: u32, visit: impl FnMut(u32)) -> bool {
        self.filled.segments_in(side, triangle, visit)
    }

    /// Returns the vertices inside.
    pub fn inside(&self) -> &'o [InsideVertex] {
        &self.found.inside
    }
}
