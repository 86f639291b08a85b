//! Contacts on the GPU.

use impinge_gpu_narrow::ViewWish;
use impinge_midphase::{CandidateBatch, PairJob, PairKind};
use impinge_pair::{
    NarrowMethod, NarrowScratch, NarrowSettings, Redo, SampledPatch, ViewIntervals, view_axes,
};

use super::Tickets;
use super::present::Gpu;
use super::tickets::Wish;
use crate::pair_memory::PairMemory;

impl Tickets {
    /// Those of a batch whose contacts are asked for.
    pub fn of_contacts(
        batch: &CandidateBatch<'_>,
        memories: &[Box<PairMemory>],
        settings: &NarrowSettings,
        scratch: &mut NarrowScratch,
    ) -> Tickets {
        let side = settings.coarse();
        let wish = |job: &PairJob<'_>| {
            let memory = &memories[job.pair as usize];
            match job.kind {
                _ if memory.answer.sensor => None,
                PairKind::Convex => None,
                PairKind::MeshSolid { .. } => {
                    impinge_pair::solid_views(job, batch, settings, scratch).map(Wish::Solid)
                }
                PairKind::Surfaces(_) => Some(Wish::Surfaces(ViewWish {
                    side,
                    axes: view_axes(job),
                    kept: memory.kept_views(job.part_indices, &job.frame, side),
                    // A height map is made of all lines of a view.
                    listed: memory.method == NarrowMethod::HeightMap || memory.needs_views(job.part_indices),
                })),
            }
        };
        Tickets { wishes: batch.jobs.iter().map(wish).collect(), ..Tickets::default() }
    }
}

impl Gpu {
    /// What the device has sampled of job number `index` of a batch; `None` where it was not asked for the contacts.
    pub fn sampled(
        &self,
        tickets: &Tickets,
        index: usize,
        job: &PairJob<'_>,
    ) -> Option<Result<Vec<SampledPatch>, Redo>> {
        let wish = tickets.wishes.get(index)?.as_ref()?;
        let (Some(engine), Some(ticket)) = (self.engine(), tickets.manifolds.get(index)) else {
            return Some(Err(Redo::Fault));
        };
        // Without candidates the device is not asked: only what is inside the other touches.
        let Some(ticket) = ticket else { return Some(Err(Redo::Uncertain)) };
        Some(ticket.and_then(|ticket| match wish {
            Wish::Surfaces(_) => engine.manifold(&ticket, job),
            // Its views say it.
            Wish::Solid(_) => Err(Redo::Solid),
        }))
    }

    /// All that the lines of the views of that job say.
    pub fn view_intervals(&self, tickets: &Tickets, index: usize, job: &PairJob<'_>) -> Vec<ViewIntervals> {
        match (self.engine(), tickets.manifolds.get(index)) {
            (Some(engine), Some(Some(Ok(ticket)))) => engine.view_intervals_of(ticket, job),
            _ => Vec::new(),
        }
    }
}
