//! What was found for each job, and which leaf pairs are left to the CPU.

use super::layout::IntersectUnit;
use super::{IntersectAnswer, IntersectTicket};
use crate::engine::Engine;

impl Engine {
    /// What was found for a job of the step that was finished last; `None` for a ticket of
    /// another step.
    pub fn answer(&self, ticket: &IntersectTicket) -> Option<IntersectAnswer> {
        let mut answer = IntersectAnswer::none();
        for unit in self.units_of(ticket)? {
            answer.add(unit, &super::record(unit, &self.step.answers)?.0);
        }
        Some(answer)
    }

    /// Calls `visit` for every leaf pair of a job in which something may meet, in their order: its index
    /// in the job's list, and a bit `4 i + j` for triangle `i` of A's leaf and triangle `j` of B's.
    /// `None` for a ticket of another step.
    pub fn survivors(&self, ticket: &IntersectTicket, mut visit: impl FnMut(usize, u16)) -> Option<()> {
        let mut base = 0;
        for unit in self.units_of(ticket)? {
            let (_, masks) = super::record(unit, &self.step.answers)?;
            for index in 0..unit.count as usize {
                let mask = super::mask(masks, index);
                if mask != 0 {
                    visit(base + index, mask);
                }
            }
            base += unit.count as usize;
        }
        Some(())
    }

    fn units_of(&self, ticket: &IntersectTicket) -> Option<&[IntersectUnit]> {
        let range = ticket.units.start as usize..ticket.units.end as usize;
        self.step.units.get(range).filter(|_| ticket.sequence == self.step.sequence)
    }
}
