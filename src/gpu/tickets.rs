//! What was asked of the device for the jobs of a batch.

use impinge_gpu_narrow::{IntersectTicket, VolumeTicket};

/// What was asked of the device for the jobs of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// One for each job that was pushed.
    pub(super) jobs: Vec<Option<IntersectTicket>>,
    /// One for each job whose intersection volume was asked for.
    pub(super) volumes: Vec<Option<VolumeTicket>>,
}
