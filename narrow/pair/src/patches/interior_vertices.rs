//! The exact overlaps of two surfaces as patches use them: which contours belong together, what volume they bound, and
//! the vertices inside.
//!
//! Contours that one overlap joins (the two rims of a ring that lies on a plane, both ends of a rod through a
//! plate) belong together, however thin it is. Vertices inside are the contact points where no lattice is
//! fine enough.

use nalgebra::{Point3, Vector3};

use crate::tunables;
use impinge_exact::contour::Contours;
use impinge_exact::intersect::{Intersections, Surfaces};
use impinge_exact::overlap::{Overlap, OverlapScratch, OverlapSettings, Overlaps, overlaps};
use impinge_geometry::{Containment, Side};

/// A vertex inside the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InteriorVertex {
    pub side: Side,
    pub vertex: u32,
    /// A contour whose overlap it belongs to.
    pub contour: u32,
}

impl InteriorVertex {
    /// Names a contact point at this vertex.
    pub fn key(&self) -> u64 {
        0xfffe << 48 | (self.side.index() as u64) << 32 | u64::from(self.vertex)
    }
}

/// A volume (m³), its centroid (m, pair frame), and the bound of the volume's error (m³).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ExactVolume {
    pub volume: f64,
    pub centroid: Point3<f64>,
    pub error: f64,
}

impl ExactVolume {
    /// That of some overlaps together.
    pub fn of<'o>(overlaps: impl Iterator<Item = &'o Overlap>) -> ExactVolume {
        let (mut volume, mut error, mut moment) = (0.0, 0.0, Vector3::zeros());
        let mut middle = Point3::origin();
        for overlap in overlaps {
            volume += overlap.volume;
            error += overlap.error + f64::EPSILON * volume;
            moment += overlap.centroid.coords * overlap.volume;
            middle = overlap.centroid;
        }
        let centroid = if volume > 0.0 { Point3::from(moment / volume) } else { middle };
        ExactVolume { volume, centroid, error }
    }
}

/// The overlaps of one pair.
#[derive(Debug, Default)]
pub(crate) struct InteriorVertices {
    /// Vertices inside, the first [`tunables::INTERIOR_VERTICES`] of them.
    pub inside: Vec<InteriorVertex>,
    found: Overlaps,
    /// Of each overlap in the list, whether it has a contour of other than virtual faces, or none at all.
    real: Vec<bool>,
    scratch: OverlapScratch,
    closed: bool,
}

impl InteriorVertices {
    /// Finds the overlaps; `with_error`: with bounds of their volumes' errors, and however large they are.
    pub fn run(
        &mut self,
        input: &Surfaces<'_>,
        (intersections, contours): (&Intersections, &Contours),
        contained: Containment,
        with_error: bool,
    ) {
        let InteriorVertices { inside, found, real, scratch, closed } = self;
        *closed = input.meshes.iter().all(|mesh| mesh.is_closed());
        let most_triangles = match (with_error, *closed) {
            (true, _) => usize::MAX,
            (false, true) => tunables::INTERIOR_TRIANGLES,
            (false, false) => 2 * tunables::INTERIOR_VERTICES,
        };
        let settings = OverlapSettings { most_triangles, with_error };
        overlaps(input, (intersections, contours), contained, &settings, scratch, found);
        inside.clear();
        inside.extend(found.inside.iter().take(tunables::INTERIOR_VERTICES).map(|known| InteriorVertex {
            side: known.side,
            vertex: known.vertex,
            contour: known.overlap,
        }));
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

    /// The first contour of the overlap that a contour belongs to.
    pub fn of(&self, contour: u32) -> u32 {
        self.found.of_contour[contour as usize]
    }

    /// Whether every vertex inside is among those listed.
    pub fn is_whole(&self) -> bool {
        self.found.whole && self.found.inside.len() <= tunables::INTERIOR_VERTICES
    }

    /// Whether the overlaps' volumes are known.
    pub fn has_volumes(&self) -> bool {
        self.closed && self.found.whole && (!self.found.list.is_empty() || self.found.of_contour.is_empty())
    }

    /// An overlap by its first contour, where volumes are known.
    pub fn overlap(&self, name: u32) -> Option<&Overlap> {
        self.found.named(name)
    }

    /// The overlaps of which others than virtual faces are a border, where volumes are known.
    pub fn overlaps(&self) -> impl Iterator<Item = &Overlap> + Clone {
        self.found.list.iter().zip(&self.real).filter(|(_, real)| **real).map(|(overlap, _)| overlap)
    }

    /// Those of them that no contour passes: one body inside the other.
    pub fn contained(&self) -> impl Iterator<Item = &Overlap> + Clone {
        self.overlaps().filter(|overlap| overlap.name as usize >= self.found.of_contour.len())
    }

    /// The vertices inside, all of them (m, pair frame).
    pub fn places(&self) -> impl Iterator<Item = &Point3<f64>> {
        self.found.inside.iter().map(|known| &known.at)
    }
}
