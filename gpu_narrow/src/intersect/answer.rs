//! What was found for each job, and which leaf pairs are left to the CPU.

use super::layout::IntersectUnit;
use super::{IntersectAnswer, IntersectTicket};
use crate::engine::Engine;
use crate::received::Received;

impl Engine {
    /// What was found for a job of a part that has come; `None` for a ticket of another step.
    pub fn answer(&self, ticket: &IntersectTicket) -> Option<IntersectAnswer> {
        self.step.received(ticket.part, ticket.sequence)?.answer(ticket)
    }

    /// As [`Received::survivors`], of any part that has come.
    pub fn survivors(&self, ticket: &IntersectTicket, visit: impl FnMut(usize, u16)) -> Option<()> {
        self.step.received(ticket.part, ticket.sequence)?.survivors(ticket, visit)
    }
}

impl Received {
    /// What was found for a job; `None` for a ticket of another part.
    pub fn answer(&self, ticket: &IntersectTicket) -> Option<IntersectAnswer> {
        let mut answer = IntersectAnswer::none();
        for unit in self.units_of(ticket)? {
            answer.add(unit, &super::record(unit, &self.answers)?.0);
        }
        Some(answer)
    }

    /// Calls `visit` for every leaf pair of a job in which something may meet, in their order: its index
    /// in the job's list, and a bit `4 i + j` for triangle `i` of A's leaf and triangle `j` of B's.
    /// `None` for a ticket of another part.
    pub fn survivors(&self, ticket: &IntersectTicket, mut visit: impl FnMut(usize, u16)) -> Option<()> {
        let mut base = 0;
        for unit in self.units_of(ticket)? {
            let (_, masks) = super::record(unit, &self.answers)?;
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
        let [start, end] = [ticket.units.start, ticket.units.end].map(|unit| unit as usize);
        let own = start.checked_sub(self.from.units)?..end.checked_sub(self.from.units)?;
        self.units.get(own).filter(|_| ticket.sequence == self.sequence)
    }
}
