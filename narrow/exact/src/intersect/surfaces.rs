//! Two surfaces of triangles where they stand.

use impinge_geometry::{FacesRef, PairFrame};
use impinge_midphase::{ObbTree, PairJob, PairKind, Surface};

/// Two surfaces with their trees, and where they stand.
#[derive(Clone, Copy, Debug)]
pub struct Surfaces<'a> {
    /// The meshes of A and B.
    pub meshes: [FacesRef<'a>; 2],
    /// Their trees.
    pub trees: [&'a ObbTree; 2],
    /// Where they stand.
    pub frame: &'a PairFrame,
}

impl<'a> Surfaces<'a> {
    /// Two surfaces where they stand.
    pub fn new([a, b]: [&'a Surface; 2], frame: &'a PairFrame) -> Surfaces<'a> {
        Surfaces { meshes: [a.faces(), b.faces()], trees: [&a.tree, &b.tree], frame }
    }

    /// The surfaces of a job; `None` where it is not one between surfaces.
    pub fn of_job(job: &'a PairJob<'_>) -> Option<Surfaces<'a>> {
        match job.kind {
            PairKind::Surfaces(both) => Some(Surfaces::new(both, &job.frame)),
            PairKind::Convex | PairKind::MeshSolid { .. } => None,
        }
    }
}
