//! Surfaces that move: as rigid bodies do, or every vertex on a line of its own.

use impinge_geometry::{FacesRef, PairFrame, Side, TriMesh};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::{DeformingTree, MovingTree};
use nalgebra::Point3;

/// A surface whose vertices move on lines, from time 0 to 1. The frame that it is given in must not turn.
#[derive(Clone, Copy, Debug)]
pub struct DeformingSurface<'s> {
    /// Its triangles; where the mesh has its vertices does not matter.
    pub mesh: &'s TriMesh,
    /// Where the vertices begin (m).
    pub from: &'s [Point3<f32>],
    /// Where they end (m).
    pub to: &'s [Point3<f32>],
    /// The tree over both ([`DeformingTree::fit`]).
    pub tree: &'s DeformingTree,
}

impl DeformingSurface<'_> {
    /// Where a vertex is at a time (m).
    pub fn vertex(&self, vertex: u32, time: f64) -> Point3<f64> {
        let [from, to] = [self.from, self.to].map(|at| at[vertex as usize].cast::<f64>());
        // At its ends a line has the points it is given by.
        if time >= 1.0 { to } else { from + (to - from) * time }
    }
}

/// A surface that moves.
#[derive(Clone, Copy, Debug)]
pub enum MovingSurface<'s> {
    /// It keeps its form.
    Rigid(&'s Surface),
    /// Its vertices move on lines.
    Deforming(DeformingSurface<'s>),
}

impl<'s> MovingSurface<'s> {
    /// Its triangles.
    pub fn faces(&self) -> FacesRef<'s> {
        match self {
            MovingSurface::Rigid(surface) => surface.faces(),
            MovingSurface::Deforming(surface) => surface.mesh.into(),
        }
    }

    /// The tree over them.
    pub fn tree(&self) -> MovingTree<'s> {
        match self {
            MovingSurface::Rigid(surface) => MovingTree::Rigid(&surface.tree),
            MovingSurface::Deforming(surface) => MovingTree::Deforming(surface.tree),
        }
    }

    /// The corners of a triangle at a time (m, pair frame); `frame` is the path's then.
    pub fn corners(&self, triangle: u32, side: Side, frame: &PairFrame, time: f64) -> [Point3<f64>; 3] {
        match self {
            MovingSurface::Rigid(surface) => surface.faces().corners(triangle).map(|p| frame.place(side, &p)),
            MovingSurface::Deforming(surface) => {
                let vertices = surface.mesh.triangles()[triangle as usize];
                vertices.map(|v| frame.place_f64(side, &surface.vertex(v, time)))
            }
        }
    }
}
