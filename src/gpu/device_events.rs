//! Which pairs of bodies on the device have begun to cross, and which do so no longer.

use std::collections::BTreeSet;

use impinge_contacts::ContactPhase;
use impinge_geometry::ColliderId;
use impinge_gpu_narrow::surfaces::MeetingState;

use super::bodies::DeviceContact;
use crate::World;

/// Two parts of bodies, of which the vertices of one at least live on the GPU, that have begun to cross, or do so no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceContactEvent {
    /// The colliders; A has the lower index.
    pub colliders: [ColliderId; 2],
    /// The children of their shapes; 0 of a shape that is no composite.
    pub subshapes: [u32; 2],
    /// Which of both: [`ContactPhase::Begin`] or [`ContactPhase::End`].
    pub phase: ContactPhase,
}

/// A pair of parts: slots and generations of the colliders, and the parts.
type Key = ([u32; 2], [u32; 2], [u32; 2]);

/// The pairs that cross, and what became of them in the last step.
#[derive(Debug, Default)]
pub(super) struct DeviceEvents {
    crossing: BTreeSet<Key>,
    events: Vec<DeviceContactEvent>,
}

impl DeviceEvents {
    /// Compares the contacts of a step with what was known before.
    pub fn compare(&mut self, contacts: &[DeviceContact]) {
        let DeviceEvents { crossing, events } = self;
        events.clear();
        if contacts.is_empty() && crossing.is_empty() {
            return;
        }
        let mut now = BTreeSet::new();
        for contact in contacts {
            let DeviceContact { colliders, subshapes, state, .. } = contact;
            let key = (colliders.map(|id| id.index), colliders.map(|id| id.generation), *subshapes);
            let crosses = match state {
                MeetingState::Crossing => true,
                MeetingState::Apart => false,
                // Nothing is known: it stays as it was.
                _ => crossing.contains(&key),
            };
            if crosses {
                now.insert(key);
            }
        }
        let event = |phase| {
            move |&(slots, generations, subshapes): &Key| DeviceContactEvent {
                colliders: [0, 1].map(|k| ColliderId { index: slots[k], generation: generations[k] }),
                subshapes,
                phase,
            }
        };
        events.extend(crossing.difference(&now).map(event(ContactPhase::End)));
        events.extend(now.difference(crossing).map(event(ContactPhase::Begin)));
        *crossing = now;
    }
}

impl World {
    /// The pairs of [`World::device_contacts`] that have begun to cross with the last step, or ceased to: first those that ceased, each in the order
    /// of the colliders' slots. A pair begins when it is certain to cross, and ends when it is certain to be apart, or its boxes are, or one of it was
    /// removed; where nothing is certain, or it was not evaluated, it stays what it was.
    pub fn device_events(&self) -> &[DeviceContactEvent] {
        &self.state.device_bodies.events.events
    }
}
