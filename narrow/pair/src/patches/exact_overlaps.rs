//! The exact overlaps of two closed surfaces as patches use them.
//!
//! [`InteriorVertices`](super::InteriorVertices) go over the same surfaces for contact points, of open ones too and no
//! farther than these need; volumes need all that is inside, of closed ones alone.

use nalgebra::{Point3, Vector3};

use crate::tunables;
use impinge_exact::contour::Contours;
use impinge_exact::intersect::{Intersections, Surfaces};
use impinge_exact::overlap::{
    FacetScratch, InsideFacet, InsideVertex, Overlap, OverlapScratch, OverlapSettings, Overlaps, overlaps,
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

/// The overlaps of one pair.
#[derive(Debug, Default)]
pub(crate) struct ExactOverlaps {
    found: Overlaps,
    /// Of each overlap in the list, whether it has a contour of other than virtual faces, or none at all.
    real: Vec<bool>,
    scratch: OverlapScratch,
    known: bool,
}

impl ExactOverlaps {
    /// Finds the overlaps; `with_error`: with bounds of their volumes' errors, and however large they are.
    pub fn run(
        &mut self,
        input: &Surfaces<'_>,
        (intersections, contours): (&Intersections, &Contours),
        contained: Containment,
        with_error: bool,
    ) {
        let ExactOverlaps { found, real, scratch, known } = self;
        // What is inside two shells of one body would count twice.
        let once = input.meshes.iter().all(|mesh| mesh.is_closed() && !mesh.shells_overlap());
        *known = false;
        if !once {
            found.clear();
            return;
        }
        let most_triangles = if with_error { usize::MAX } else { tunables::INTERIOR_TRIANGLES };
        let settings = OverlapSettings { most_triangles, with_error };
        overlaps(input, (intersections, contours), contained, &settings, scratch, found);
        *known = found.whole && (!found.list.is_empty() || found.of_contour.is_empty());
        real.clear();
        real.extend(found.list.iter().map(|overlap| overlap.name as usize >= contours.loops.len()));
        for (contour, &name) in contours.loops.iter().zip(&found.of_contour) {
            if !contour.is_virtual()
                && let Ok(at) = found.list.binary_search_by_key(&name, |overlap| overlap.name)
            {
                real[at] = true;
            }
        }
    }

    /// The overlaps of which others than virtual faces are a border; `None` where their volumes are not known.
    pub fn list(&self) -> Option<impl Iterator<Item = &Overlap> + Clone> {
        let all = self.found.list.iter().zip(&self.real);
        self.known.then(|| all.filter(|(_, real)| **real).map(|(overlap, _)| overlap))
    }

    /// The overlap that a contour bounds, where volumes are known.
    pub fn of_contour(&self, contour: u32) -> Option<u32> {
        self.found.of_contour.get(contour as usize).copied().filter(|_| self.known)
    }

    /// Calls `visit` with the triangles of one side that bound overlaps, where volumes are known; see [`OverlapScratch::triangles`].
    pub fn triangles(&self, side: Side, visit: impl FnMut(u32, u32)) {
        if self.known {
            self.scratch.triangles(side, visit);
        }
    }

    /// Calls `visit` with the polygons of A's surface inside B; see [`OverlapScratch::facets`].
    pub fn facets(
        &self,
        input: &Surfaces<'_>,
        intersections: &Intersections,
        scratch: &mut FacetScratch,
        visit: impl FnMut(&InsideFacet),
    ) {
        self.scratch.facets(input, intersections, scratch, visit);
    }

    /// The vertices inside, where volumes are known.
    pub fn inside(&self) -> &[InsideVertex] {
        &self.found.inside
    }
}
