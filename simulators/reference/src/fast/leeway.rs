//! How far a body goes that a crowd would hold where it stands.
//!
//! What stands still while the contacts' solver has it move is run into by all that it should give way to, in step after step. So
//! every body goes at least a part of what pairs may move unswept ([`Collider::sweep_beyond`](impinge::Collider::sweep_beyond)); what it overlaps then, contacts push
//! out. Towards what has no thickness it goes no farther than it was swept.

use impinge::{ColliderId, World};

use super::Traveller;
use super::crowd::Meeting;
use crate::SimulatorError;
use crate::body_set::BodySet;

/// The part of what a pair may move unswept that each of the two goes: a quarter, so that both together leave half.
const SHARE: f64 = 0.25;

/// Has bodies of which but a small part of the way is left go a little farther. `parts`: of every way, by slot.
pub(super) fn grant(
    world: &World,
    body_set: &BodySet,
    travellers: &[Traveller],
    meetings: &[Meeting],
    parts: &mut [f64],
) -> Result<(), SimulatorError> {
    let unswept = |id: ColliderId| world.collider(id).map(|view| view.sweep_beyond);
    for Traveller { slot, motion } in travellers {
        let Some(body) = body_set.at(*slot) else { continue };
        let Some(dynamics) = body.dynamics else { continue };
        let travel = motion.way().norm() + motion.rotation_vector().norm() * dynamics.size.radius;
        let share = |unswept: f64| SHARE * unswept / travel;
        let mut least = share(unswept(body.collider)?).min(1.0);
        for meeting in meetings {
            let Some(k) = meeting.slots.iter().position(|met| *met == Some(*slot)) else { continue };
            let [a, b] = meeting.impact.colliders.map(unswept);
            least = least.min(share(a?.min(b?)).max(meeting.parts[k]));
        }
        parts[*slot] = parts[*slot].max(least);
    }
    Ok(())
}
