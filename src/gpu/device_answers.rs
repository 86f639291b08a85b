//! What a device has answered, as workers read it.

use std::sync::Arc;

use impinge_gpu_narrow::{IntersectTicket, Received};
use impinge_midphase::{CandidateBatch, PairJob, PairKind};
use impinge_pair::{Redo, SampledPatch, ViewIntervals};

use super::Tickets;
use super::tickets::Wish;

/// What came back of a part of a step, for the workers that finish its pairs; nothing where a fault has taken it.
#[derive(Clone, Debug)]
pub(crate) struct DeviceAnswers(Option<Arc<Received>>);

impl DeviceAnswers {
    pub fn of(part: Arc<Received>) -> DeviceAnswers {
        DeviceAnswers(Some(part))
    }

    pub fn none() -> DeviceAnswers {
        DeviceAnswers(None)
    }

    /// Takes the leaf pairs in which nothing meets out of a batch. Those of jobs without an answer stay,
    /// and are the CPU's.
    pub fn cull(&self, batch: &mut CandidateBatch<'_>, tickets: &Tickets) {
        let Some(part) = &self.0 else { return };
        cull(batch, tickets, |ticket, visit| part.survivors(ticket, |index, _| visit(index)));
    }

    /// What the device has sampled of job number `index` of a batch; `None` where it was not asked for the contacts.
    pub fn sampled(
        &self,
        tickets: &Tickets,
        index: usize,
        job: &PairJob<'_>,
    ) -> Option<Result<Vec<SampledPatch>, Redo>> {
        let wish = tickets.wishes.get(index)?.as_ref()?;
        Some(match (tickets.manifolds.get(index), &self.0) {
            // Without candidates the device is not asked: only what is inside the other touches.
            (Some(None), _) => Err(Redo::Uncertain),
            (Some(Some(Err(reason))), _) => Err(*reason),
            (Some(Some(Ok(ticket))), Some(part)) => match wish {
                Wish::Surfaces(_) => part.manifold(ticket, job),
                // Its views say it.
                Wish::Solid(_) => Err(Redo::Solid),
            },
            (Some(Some(Ok(_))), None) | (None, _) => Err(Redo::Fault),
        })
    }

    /// All that the lines of the views of that job say.
    pub fn view_intervals(&self, tickets: &Tickets, index: usize, job: &PairJob<'_>) -> Vec<ViewIntervals> {
        match (&self.0, tickets.manifolds.get(index)) {
            (Some(part), Some(Some(Ok(ticket)))) => part.view_intervals_of(ticket, job),
            _ => Vec::new(),
        }
    }
}

/// Keeps of each job of surfaces the leaf pairs that `survivors` visits, by their numbers among the job's own.
pub(super) fn cull(
    batch: &mut CandidateBatch<'_>,
    tickets: &Tickets,
    survivors: impl Fn(&IntersectTicket, &mut dyn FnMut(usize)) -> Option<()>,
) {
    let CandidateBatch { jobs, leaf_pairs, .. } = batch;
    let all = std::mem::take(leaf_pairs);
    for (job, ticket) in jobs.iter_mut().zip(&tickets.jobs) {
        if !matches!(job.kind, PairKind::Surfaces(_)) {
            continue;
        }
        let own = &all[job.candidates.start as usize..job.candidates.end as usize];
        let start = leaf_pairs.len();
        let answered =
            ticket.as_ref().and_then(|ticket| survivors(ticket, &mut |index| leaf_pairs.push(own[index])));
        if answered.is_none() {
            leaf_pairs.truncate(start);
            leaf_pairs.extend_from_slice(own);
        }
        job.candidates = start as u32..leaf_pairs.len() as u32;
    }
}
