//! A crowd of fast bodies: each goes as far as it may while all others go as far as they may.
//!
//! Ways are shortened to where they first meet something, all at once, and swept again, because what stops early is in the
//! way of what goes on; until nothing meets on ways that all are gone together. So the bodies come from where they stand
//! to where they are placed by motions of which every pair was swept, though not at the same time of the step.

use impinge::{ColliderId, ColliderImpact, World};

use super::{Traveller, impacts, leeway, place};
use crate::SimulatorError;
use crate::body_set::BodySet;

/// How often ways are swept, at most.
const ROUNDS: u32 = 12;

/// From this round on what still meets something stays where it stands.
const STAYING: u32 = 4;

/// Parts of ways are the same within this.
const SAME: f64 = 1e-9;

/// Two bodies that meet when each has gone so much of its way.
pub(super) struct Meeting {
    pub impact: ColliderImpact,
    pub slots: [Option<usize>; 2],
    pub parts: [f64; 2],
}

impl Meeting {
    /// Whether two bodies are on the same ways against each other as up to this meeting: there they are known to be free.
    fn covers(&self, slots: [Option<usize>; 2], parts: [f64; 2]) -> bool {
        let is_shorter = parts[0] <= self.parts[0] * (1.0 + SAME) && parts[1] <= self.parts[1] * (1.0 + SAME);
        let skew = parts[0] * self.parts[1] - parts[1] * self.parts[0];
        let is_straight = skew.abs() <= SAME * self.parts[0] * self.parts[1];
        let [a, b] = self.slots.map(|slot| slot.is_some());
        self.slots == slots && is_shorter && (is_straight || !a || !b)
    }
}

/// Places bodies at the ends of the ways that they may go together, and gives the impacts that they have come to. `first`: those on
/// their whole ways, as the last sweep found them.
pub(super) fn settle(
    world: &mut World,
    body_set: &mut BodySet,
    travellers: &[Traveller],
    first: Vec<ColliderImpact>,
) -> Result<Vec<ColliderImpact>, SimulatorError> {
    let mut moving: Vec<Traveller> = travellers.to_vec();
    let mut first = Some(first);
    // What was swept before among ways that have stayed the same need not be swept again.
    let mut changed: Option<Vec<ColliderId>> = None;
    let mut meetings: Vec<Meeting> = Vec::new();
    let slots = travellers.iter().map(|traveller| traveller.slot + 1).max().unwrap_or(0);
    // The part of its way that each body goes, by slot; 1 of what stands.
    let mut parts = vec![1.0f64; slots];
    for round in 0..ROUNDS {
        let is_last = round + 1 == ROUNDS;
        let found = match first.take() {
            Some(first) => first,
            None => impacts(world, body_set, &moving, changed.as_deref().filter(|_| !is_last))?,
        };
        let slots_of = |impact: &ColliderImpact| {
            let slots = impact.colliders.map(|id| body_set.of_collider(id));
            slots.map(|slot| slot.filter(|slot| travellers.iter().any(|traveller| traveller.slot == *slot)))
        };
        let parts_of =
            |parts: &[f64], slots: [Option<usize>; 2]| slots.map(|slot| slot.map_or(1.0, |slot| parts[slot]));
        let fresh: Vec<(ColliderImpact, [Option<usize>; 2])> = found
            .into_iter()
            .map(|impact| (impact, slots_of(&impact)))
            .filter(|(_, slots)| {
                let now = parts_of(&parts, *slots);
                !meetings.iter().any(|meeting| meeting.covers(*slots, now))
            })
            .collect();
        if fresh.is_empty() {
            break;
        }
        let mut own = vec![1.0f64; slots];
        for (impact, met) in &fresh {
            met.iter().flatten().for_each(|&slot| own[slot] = own[slot].min(impact.impact.time));
        }
        for (impact, met) in &fresh {
            let parts = parts_of(&parts, *met).map(|part| part * impact.impact.time);
            meetings.push(Meeting { impact: *impact, slots: *met, parts });
        }
        let mut shortened = Vec::new();
        for traveller in &mut moving {
            let part = &mut parts[traveller.slot];
            let meets = own[traveller.slot] < 1.0;
            let reached = body_set.at(traveller.slot).map_or(1.0, |body| world.reached(body.collider));
            // In the end all that may still meet stay.
            let was = *part;
            *part = match (round >= STAYING && meets) || (is_last && reached < 1.0) {
                true => 0.0,
                false => *part * own[traveller.slot],
            };
            if *part != was {
                shortened.extend(body_set.at(traveller.slot).map(|body| body.collider));
            }
        }
        changed = Some(shortened);
        shorten(&mut moving, travellers, &parts);
    }
    let is_reached = |meeting: &&Meeting| {
        let now = meeting.slots.map(|slot| slot.map_or(1.0, |slot| parts[slot]));
        (0..2).all(|k| meeting.slots[k].is_none() || (now[k] - meeting.parts[k]).abs() <= SAME * now[k])
    };
    let reached = meetings.iter().filter(is_reached).map(|meeting| meeting.impact).collect();
    leeway::grant(world, body_set, travellers, &meetings, &mut parts)?;
    for traveller in travellers {
        place(world, body_set, traveller, parts[traveller.slot])?;
    }
    Ok(reached)
}

/// Takes of every way the part that is gone.
fn shorten(moving: &mut [Traveller], travellers: &[Traveller], parts: &[f64]) {
    for (now, whole) in moving.iter_mut().zip(travellers) {
        now.motion = whole.motion.part(0.0, parts[whole.slot]);
    }
}
