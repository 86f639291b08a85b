//! What contacts are asked of the GPU.

use impinge_gpu_narrow::ViewWish;
use impinge_midphase::{CandidateBatch, PairJob, PairKind};
use impinge_pair::{NarrowMethod, NarrowScratch, NarrowSettings, view_axes};

use super::Tickets;
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
