//! Who touches whom, and what becomes of it.

use impinge_contacts::{Contact, ContactEvent, Subscription};
use impinge_geometry::ColliderId;

use crate::report::StepCounts;
use crate::slots::Slots;
use crate::world::HeldCollider;
use crate::{Receiver, World};

impl World {
    /// A channel on which every step tells which contacts between colliders have begun, persist and have
    /// ended, sensors' too, in the order of the colliders' slots: the same for any number of threads. The
    /// first step that a listener hears of begins every contact there is. When a collider is removed, its
    /// contacts end with the next step. Dropping the receiver ends the subscription; without any, nothing
    /// is compared or sent.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let door = world.add_collider(Collider::new(ball).sensor(true))?;
    /// let guest = world.add_collider(Collider::new(ball).position([0.7, 0.0, 0.0]))?;
    ///
    /// let events = world.subscribe(Subscription::new().persist(false));
    /// world.step()?;
    /// let begun = events.try_recv()?;
    /// assert_eq!((begun.phase, begun.contact.colliders), (ContactPhase::Begin, [door, guest]));
    /// assert!(begun.contact.sensor && world.manifolds().is_empty());
    ///
    /// world.set_pose(guest, Isometry3::translation(1.1, 0.0, 0.0))?;
    /// world.step()?;
    /// assert_eq!(events.try_recv()?.phase, ContactPhase::End);
    /// # Ok(())
    /// # }
    /// ```
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        self.events.subscribe(subscription)
    }

    /// The pairs of colliders that touched in the last step (by more than their tolerances), sensors too,
    /// in the order of their slots; less those of colliders removed since.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        contacts(&self.colliders, &self.memories)
    }

    /// How many steps there have been; the number of the last step's events.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Tells whoever listens what has changed since the last step.
    pub(crate) fn tell(&mut self, counts: &mut StepCounts) {
        let told = self.events.tell(self.steps, contacts(&self.colliders, &self.memories));
        (counts.events, counts.dropped_events) = (told.sent, told.dropped);
    }
}

fn contacts(
    colliders: &Slots<HeldCollider>,
    memories: &crate::pair_memory::PairMemories,
) -> impl Iterator<Item = Contact> {
    memories.iter().filter(|memory| memory.in_contact()).filter_map(|memory| {
        let held = |id: ColliderId| colliders.get(id.index, id.generation).map(|held| &held.collider);
        let [a, b] = memory.colliders.map(held);
        let (a, b) = (a?, b?);
        Some(Contact {
            colliders: memory.colliders,
            user_data: [a.user_data, b.user_data],
            sensor: memory.answer.sensor,
        })
    })
}
