//! What was asked of the device for the jobs of a batch.

use impinge_gpu_narrow::{IntersectTicket, ManifoldTicket, ViewWish, VolumeTicket};
use impinge_pair::Redo;

/// What was asked of the device for the jobs of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// One for each job that was pushed.
    pub(super) jobs: Vec<Option<IntersectTicket>>,
    /// One for each job whose intersection volume was asked for.
    pub(super) volumes: Vec<Option<VolumeTicket>>,
    /// How the views of each job are to be laid, where its contacts are asked for.
    pub(super) wishes: Vec<Option<ViewWish>>,
    /// One for each of these.
    pub(super) manifolds: Vec<Option<Result<ManifoldTicket, Redo>>>,
}
