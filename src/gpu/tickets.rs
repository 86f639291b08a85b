//! What was asked of the device for the jobs of a batch.

use impinge_geometry::Faces;
use impinge_gpu_narrow::{IntersectTicket, ManifoldTicket, ViewWish, VolumeTicket};
use impinge_image_space::View;
use impinge_midphase::{PairJob, PairKind};
use impinge_pair::Redo;

/// What of a job's contacts a device is asked for.
#[derive(Debug)]
pub(super) enum Wish {
    /// Of two surfaces: its patches, or its views, which are to be laid like this.
    Surfaces(ViewWish),
    /// Of a mesh and a primitive that touch: these views.
    Solid(Vec<View>),
}

/// What was asked of the device for the jobs of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// One for each job that was pushed.
    pub(super) jobs: Vec<Option<IntersectTicket>>,
    /// One for each job whose intersection volume was asked for.
    pub(super) volumes: Vec<Option<VolumeTicket>>,
    /// What of each job is to be sampled, where its contacts are asked for.
    pub(super) wishes: Vec<Option<Wish>>,
    /// One for each of these.
    pub(super) manifolds: Vec<Option<Result<ManifoldTicket, Redo>>>,
}

/// The job and its leaf pairs, where it is one between surfaces that a device can hold.
pub(super) fn surfaces<'b, 's>(
    job: &'b PairJob<'s>,
    contacts: bool,
) -> Option<(&'b PairJob<'s>, std::ops::Range<usize>)> {
    match &job.kind {
        PairKind::Surfaces(_) if !job.candidates.is_empty() && can_be_held(job, contacts) => {
            Some((job, job.candidates.start as usize..job.candidates.end as usize))
        }
        PairKind::Surfaces(_) | PairKind::Convex | PairKind::MeshSolid { .. } => None,
    }
}

/// Why the contacts of two surfaces that are not on the device are the CPU's; `None` where they have no candidates.
pub(super) fn surfaces_left<T>(job: &PairJob<'_>, contacts: bool) -> Option<Result<T, Redo>> {
    match () {
        () if job.candidates.is_empty() => None,
        () if !can_be_held(job, contacts) => Some(Err(Redo::Shape)),
        () => Some(Err(Redo::Capacity)),
    }
}

/// Whether a device can hold the triangles of both sides: meshes, and where it makes contacts the part of a height field or a level set
/// near the other body. Without contacts that part is not worth making: it is as much work as to test it.
fn can_be_held(job: &PairJob<'_>, contacts: bool) -> bool {
    job.parts.iter().all(|part| match part.surface.as_ref().map(|surface| &surface.faces) {
        None | Some(Faces::Mesh(_)) => true,
        Some(Faces::Field(_) | Faces::Levels(_)) => contacts,
    })
}
