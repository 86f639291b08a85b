//! Intersection volumes on the GPU.

use impinge_geometry::Side;
use impinge_midphase::{CandidateBatch, PairJob};
use impinge_pair::IntersectionVolume;

use super::Tickets;
use super::present::Gpu;

impl Gpu {
    /// Asks for the intersection volume of every job of a batch that was pushed, by views of `side` pixels.
    pub fn push_volumes(&mut self, batch: &CandidateBatch<'_>, tickets: &mut Tickets, side: u32) {
        let Some(engine) = self.engine_mut() else { return };
        tickets.volumes.extend(
            batch
                .jobs
                .iter()
                .zip(&tickets.jobs)
                .map(|(job, ticket)| engine.push_volume(job, ticket.as_ref()?, side).ok().flatten()),
        );
    }

    /// What the device found of job number `index` of a batch (pair frame); `None` where it is the CPU's.
    pub fn volume(&self, tickets: &Tickets, index: usize, job: &PairJob<'_>) -> Option<IntersectionVolume> {
        let ticket = tickets.volumes.get(index)?.as_ref()?;
        let found = self.engine()?.volume(ticket)?;
        Some(IntersectionVolume {
            volume: found.volume,
            // Lines measured it, and say nothing of what is between them.
            error: f64::INFINITY,
            gradient: job.frame.rotation[Side::A.index()] * found.gradient,
            // One view does not see the walls that run along it.
            torque: None,
            centroid: job.frame.place_f64(Side::A, &found.centroid),
            thickness: found.thickness,
        })
    }
}
