//! Intersection volumes on the GPU.

use impinge_geometry::Side;
use impinge_midphase::{CandidateBatch, Job};
use impinge_pair::CommonVolume;

use super::Tickets;
use super::present::Gpu;

impl Gpu {
    /// Asks for the intersection volume of every job of a batch that was pushed, by views of `side` pixels.
    pub fn push_volumes(&mut self, batch: &CandidateBatch<'_>, tickets: &mut Tickets, side: u32) {
        let Some(engine) = self.engine_mut() else { return };
        tickets.volumes.extend(batch.jobs.iter().zip(&tickets.jobs).map(|(job, ticket)| {
            let (Job::Pair(job), Some(ticket)) = (job, ticket) else { return None };
            engine.push_volume(job, ticket, side).ok().flatten()
        }));
    }

    /// What the device found of job number `index` of a batch (pair frame); `None` where it is the CPU's.
    pub fn volume(&self, tickets: &Tickets, index: usize, job: &Job<'_>) -> Option<CommonVolume> {
        let (Job::Pair(job), Some(Some(ticket))) = (job, tickets.volumes.get(index)) else { return None };
        let found = self.engine()?.volume(ticket)?;
        Some(CommonVolume {
            volume: found.volume,
            gradient: job.frame.rotation[Side::A.index()] * found.gradient,
            centroid: job.frame.place_f64(Side::A, &found.centroid),
            thickness: found.thickness,
        })
    }
}
