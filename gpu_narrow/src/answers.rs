//! What came back of a step: taken in, and asked for job by job.

use crate::GpuFault;
use crate::engine::Engine;
use crate::layout::{StreamUnit, ViewPair};
use crate::readback::Pending;
use crate::stream::{self, StreamAnswer, StreamTicket};
use crate::tiles::take_in;

impl Engine {
    /// Takes the answers in and sees that they are this step's.
    pub(crate) fn receive(&mut self, pending: &Pending, bytes: [u64; 4]) -> Result<(), GpuFault> {
        let Engine { buffers, step, clock, .. } = self;
        let (answers, tiles, common, counts) =
            (&mut step.answers, &mut step.tiles, &mut step.common, &mut step.counts);
        buffers.ring.read(pending, |view| {
            let mut rest = view;
            let [own, of_tiles, pairs, records] = bytes.map(|bytes| {
                let (part, more) = rest.split_at(bytes as usize);
                rest = more;
                part
            });
            let stamps = rest;
            for (words, to) in
                [(own, answers), (of_tiles, &mut tiles.answers), (records, &mut common.answers)]
            {
                to.clear();
                to.extend(words.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
            }
            common.seen.clear();
            common.seen.extend(
                pairs.chunks_exact(size_of::<ViewPair>()).map(bytemuck::pod_read_unaligned::<ViewPair>),
            );
            counts.bytes_back = view.len() as u64;
            counts.pass_times = clock.as_ref().map_or_else(Default::default, |clock| clock.read(stamps));
            counts.gpu_time = counts.pass_times.iter().sum();
        })?;
        let stale = || GpuFault::NoAnswer { reason: "what came is the answer of another step".to_owned() };
        if !take_in(&step.tiles, step.sequence, &mut step.counts) {
            return Err(stale());
        }
        for unit in &step.units {
            let own = stream::record(unit, &step.answers).filter(|(r, _)| r.sequence == step.sequence);
            let (record, _) = own.ok_or_else(stale)?;
            step.counts.hits += u64::from(record.hits);
            step.counts.uncertain += u64::from(record.uncertain);
            step.counts.triangle_tests += u64::from(record.tests);
        }
        Ok(())
    }

    /// What the stream found for a job of the step that was finished last; `None` for a ticket of
    /// another step.
    pub fn answer(&self, ticket: &StreamTicket) -> Option<StreamAnswer> {
        let mut answer = StreamAnswer::none();
        for unit in self.units_of(ticket)? {
            answer.add(unit, &stream::record(unit, &self.step.answers)?.0);
        }
        Some(answer)
    }

    /// Calls `visit` for every leaf pair of a job in which something may meet, in their order: its index
    /// in the job's list, and a bit `4 i + j` for triangle `i` of A's leaf and triangle `j` of B's.
    /// `None` for a ticket of another step.
    pub fn survivors(&self, ticket: &StreamTicket, mut visit: impl FnMut(usize, u16)) -> Option<()> {
        let mut base = 0;
        for unit in self.units_of(ticket)? {
            let (_, masks) = stream::record(unit, &self.step.answers)?;
            for index in 0..unit.count as usize {
                let mask = stream::mask(masks, index);
                if mask != 0 {
                    visit(base + index, mask);
                }
            }
            base += unit.count as usize;
        }
        Some(())
    }

    fn units_of(&self, ticket: &StreamTicket) -> Option<&[StreamUnit]> {
        let range = ticket.units.start as usize..ticket.units.end as usize;
        self.step.units.get(range).filter(|_| ticket.sequence == self.step.sequence)
    }
}
