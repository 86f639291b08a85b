//! Contacts between colliders, and what has changed about them.

use impinge_contacts::{Contact, ContactEvent, Subscription};
use impinge_geometry::ColliderId;

use crate::pair_memory::PairMemories;
use crate::slots::Slots;
use crate::world::HeldCollider;
use crate::{Receiver, World};

impl World {
    /// The contacts that began and ended with the last step, sensors' too, in the order of the colliders'
    /// slots: the same for any number of threads. Those that persist are among [`World::contacts`]. When a
    /// collider is removed, its contacts end with the next step.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let a = world.add_collider(Collider::new(ball))?;
    /// let b = world.add_collider(Collider::new(ball).position([0.9, 0.0, 0.0]))?;
    /// world.step();
    /// let [begun] = world.events() else { return Err("one contact".into()) };
    /// assert_eq!((begun.phase, begun.contact.colliders), (ContactPhase::Begin, [a, b]));
    /// world.step();
    /// assert!(world.events().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self) -> &[ContactEvent] {
        self.state.events.changes()
    }

    /// A channel on which every step sends the contacts between colliders that have begun, persist and have
    /// ended, sensors' too, in the order of [`World::events`]: for listeners on other threads, or that look
    /// less often than in every step. In the first step that a channel receives every contact begins.
    /// Dropping the receiver ends the subscription.
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
    /// world.step();
    /// let begun = events.try_recv()?;
    /// assert_eq!((begun.phase, begun.contact.colliders), (ContactPhase::Begin, [door, guest]));
    /// assert!(begun.contact.sensor && world.manifolds().is_empty());
    ///
    /// world.set_pose(guest, Isometry3::translation(1.1, 0.0, 0.0))?;
    /// world.step();
    /// assert_eq!(events.try_recv()?.phase, ContactPhase::End);
    /// # Ok(())
    /// # }
    /// ```
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        self.state.events.subscribe(subscription)
    }

    /// The pairs of colliders that touched in the last step (by more than their tolerances), sensors too,
    /// in the order of their slots; less those of colliders removed since.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        contacts(&self.state.colliders, &self.state.memories)
    }

    /// How many steps there have been: [`ContactEvent::step`] of the last step's events.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }
}

/// The pairs that touch, in the order of their slots.
pub(crate) fn contacts(
    colliders: &Slots<HeldCollider>,
    memories: &PairMemories,
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
