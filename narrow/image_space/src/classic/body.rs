//! Bodies on the lattice of a view.

use std::sync::OnceLock;

use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

use super::error::ClassicError;
use crate::coverage::{Corners, Slope};
use crate::ldi::snap;
use crate::view::View;

/// A mesh where it stands.
#[derive(Clone, Copy, Debug)]
pub struct ClassicBody<'a> {
    /// Its surface.
    pub mesh: &'a TriMesh,
    /// Where it stands (world).
    pub pose: &'a Isometry3<f64>,
}

impl<'a> ClassicBody<'a> {
    /// A mesh at a pose.
    pub fn new(mesh: &'a TriMesh, pose: &'a Isometry3<f64>) -> ClassicBody<'a> {
        ClassicBody { mesh, pose }
    }

    /// Refuses an open surface.
    pub(super) fn closed(&self, what: &'static str, body: usize) -> Result<(), ClassicError> {
        if self.mesh.is_closed() { Ok(()) } else { Err(ClassicError::NotClosed { what, body }) }
    }
}

/// A sample of an edge: the pixel that it lies in and how deep it is at that pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticePoint {
    /// Pixel, row after row.
    pub pixel: u32,
    /// Depth (steps of the view).
    pub depth: u32,
}

/// Triangles and points in whole numbers of a view's lattice, as rasters of any kind read them.
#[derive(Debug, Default)]
pub struct LatticeBody {
    /// Sub-pixels to the right and up from the centre of the first pixel, and steps of depth.
    pub vertices: Vec<[i32; 3]>,
    /// Triangles; corners of front faces go clockwise as they are seen.
    pub triangles: Vec<[u32; 3]>,
    /// Points, drawn as a pixel each.
    pub points: Vec<LatticePoint>,
    sub_bits: u32,
    slopes: OnceLock<Vec<Slope>>,
}

impl LatticeBody {
    /// A body as a view sees it.
    ///
    /// # Errors
    /// [`ClassicError::View`] for a pose that is not finite, or a vertex too far from the view.
    pub fn new(body: &ClassicBody<'_>, view: &View) -> Result<LatticeBody, ClassicError> {
        let mut vertices = Vec::new();
        snap(body.mesh, body.pose, view, &mut vertices)?;
        Ok(LatticeBody::of(vertices, body.mesh.triangles().to_vec(), view))
    }

    /// Of vertices that are on the lattice already, below 2³⁰ in size.
    pub fn of(vertices: Vec<[i32; 3]>, triangles: Vec<[u32; 3]>, view: &View) -> LatticeBody {
        LatticeBody { vertices, triangles, sub_bits: view.sub_bits, ..LatticeBody::default() }
    }

    /// Points alone.
    pub fn of_points(points: Vec<LatticePoint>) -> LatticeBody {
        LatticeBody { points, ..LatticeBody::default() }
    }

    /// Some triangles of it, with their own vertices alone.
    pub(super) fn part(&self, triangles: &[[u32; 3]]) -> LatticeBody {
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: u32| used.binary_search(&v).unwrap_or_default() as u32;
        LatticeBody {
            vertices: used.iter().map(|&v| self.vertices[v as usize]).collect(),
            triangles: triangles.iter().map(|t| t.map(place)).collect(),
            sub_bits: self.sub_bits,
            ..LatticeBody::default()
        }
    }

    /// The corners of a triangle.
    pub(super) fn corners(&self, triangle: usize) -> Corners {
        let c = self.triangles[triangle].map(|v| self.vertices[v as usize].map(i64::from));
        let of = |k: usize| [c[0][k], c[1][k], c[2][k]];
        Corners { x: of(0), y: of(1), z: of(2) }
    }

    /// How every triangle rises: worked out when first asked for.
    pub(super) fn slopes(&self) -> &[Slope] {
        let of = |t: usize| Slope::new(&self.corners(t), self.sub_bits);
        self.slopes.get_or_init(|| (0..self.triangles.len()).map(of).collect())
    }

    /// As words for a device: for each triangle what a sub-pixel to the right and up changes its depth (1/256 steps), and
    /// how far the depth within a pixel may be from that at its centre (steps).
    pub fn slope_words(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        self.slopes().iter().map(|s| [s.rise[0], s.rise[1], s.slack])
    }
}
