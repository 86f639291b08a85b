//! Buffers of one worker.

use crate::mesh_mesh::{MeshMeshScratch, OwnScratch};
use crate::mesh_solid::MeshSolidScratch;
use crate::patches::Join;
use crate::sampler::Samplers;
use crate::spare_points::SparePoints;
use impinge_exact::touch::TouchScratch;

/// Buffers of one worker: nothing is allocated for views once they are warm.
#[derive(Debug, Default)]
pub struct NarrowScratch {
    pub(crate) touch: TouchScratch,
    pub(crate) mesh_mesh: MeshMeshScratch,
    pub(crate) mesh_solid: MeshSolidScratch,
    pub(crate) samplers: Samplers,
    pub(crate) join: Join,
    pub(crate) own: OwnScratch,
    pub(crate) spare_points: SparePoints,
}
