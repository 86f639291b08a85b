//! What was asked of the device for the jobs of a batch.

use impinge_gpu_narrow::{CommonTicket, StreamTicket};

/// What was asked of the device for the jobs of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// One for each job that was pushed.
    pub(super) jobs: Vec<Option<StreamTicket>>,
    /// One for each job whose common volume was asked for.
    pub(super) common: Vec<Option<CommonTicket>>,
}
