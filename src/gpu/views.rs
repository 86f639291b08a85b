//! Views on the GPU: what last step's views foresee is sent with the step, and taken where a pair then makes
//! just that view.

use impinge_gpu_narrow::{CommonTicket, Engine, StreamTicket, TileTicket};
use impinge_midphase::{CandidateBatch, PairJob};
use impinge_narrow::{NarrowScratch, NarrowSettings, TileColumn, TileSeen, Tiles};

use super::present::Gpu;
use crate::pair_memory::PairMemory;
use crate::pipeline::pair_jobs;

/// What was asked of the device for the jobs of a batch.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    /// One for each job that was pushed.
    pub(super) jobs: Vec<Option<StreamTicket>>,
    tiles: Tiles,
    /// One for each view of `tiles`.
    views: Vec<Option<TileTicket>>,
    /// One for each job whose common volume was asked for.
    pub(super) common: Vec<Option<CommonTicket>>,
}

impl Tickets {
    /// The views that the pairs of a batch make if nothing much has moved.
    pub fn foresee(
        batch: &CandidateBatch<'_>,
        memories: &[Box<PairMemory>],
        settings: &NarrowSettings,
    ) -> Tickets {
        let mut tickets = Tickets::default();
        for (index, job) in pair_jobs(batch).enumerate() {
            let memory = &memories[job.pair as usize];
            if !memory.answer.sensor {
                tickets.tiles.add(index as u32, job, settings, memory.known(job.part_indices));
            }
        }
        tickets
    }

    /// Hands the views to the device. Gives how many there were that 32 bits have no room for.
    pub(super) fn push(&mut self, engine: &mut Engine, batch: &CandidateBatch<'_>) -> u64 {
        let Tickets { tiles, views, .. } = self;
        let mut jobs = pair_jobs(batch).enumerate().peekable();
        for tile in &tiles.list {
            // Views are in the order of their jobs.
            while jobs.next_if(|(index, _)| (*index as u32) < tile.job).is_some() {}
            let surfaces = jobs.peek().map(|(_, job)| job.parts.map(|part| part.surface.as_ref()));
            views.push(match surfaces {
                Some(surfaces) => engine.push_tile(tiles, tile, surfaces).ok(),
                None => None,
            });
        }
        tiles.over_range
    }
}

impl Gpu {
    /// Offers what the device saw for job number `index` of a batch. Gives how many of its views were asked
    /// for in vain.
    pub fn offer(
        &self,
        tickets: &Tickets,
        index: usize,
        job: &PairJob<'_>,
        scratch: &mut NarrowScratch,
    ) -> u64 {
        let Some(engine) = self.engine() else { return 0 };
        let list = &tickets.tiles.list;
        let from = list.partition_point(|tile| (tile.job as usize) < index);
        let own = list[from..].iter().take_while(|tile| tile.job as usize == index);
        let mut columns: Vec<TileColumn> = Vec::new();
        let mut vain = 0;
        for (tile, ticket) in own.zip(&tickets.views[from.min(tickets.views.len())..]) {
            let seen = ticket.as_ref().and_then(|ticket| engine.tile_columns(ticket, &mut columns));
            let taken = seen.is_some_and(|totals| {
                let (fragments, odd, length) = (totals.fragments, totals.odd, totals.length);
                let seen = TileSeen { columns: &columns, fragments, odd, length };
                scratch.offer(job, &tickets.tiles, tile, &seen)
            });
            vain += u64::from(!taken);
        }
        vain
    }
}
