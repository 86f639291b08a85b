//! Contacts between colliders, and what has changed about them.

use impinge_contacts::{Contact, ContactEvent, Subscription};
use impinge_geometry::ColliderId;

use crate::pair_memory::PairMemories;
use crate::slots::Slots;
use crate::world::{HeldCollider, StepState};
use crate::{Receiver, World, WorldError};

impl World {
    /// The contacts that began and ended with the last step, sensors' too, in the order of the colliders'
    /// slots: the same for any number of threads. Those that persist are among [`World::contacts`]. When a
    /// collider is removed, its contacts end with the next step. [`World::solve`] enters the impulses of those
    /// that began, which are 0 until then.
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
    /// Once the receiver is dropped, the subscription ends with the next event that it would have got. A subscription to
    /// [`impulses_above`](Subscription::impulses_above) a limit hears of hits instead, from [`World::solve`].
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
    ///
    /// A listener for hits of more than 5 N·s, to make noises of them:
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # struct Stop;
    /// # impl Solver for Stop {
    /// #     type Error = std::convert::Infallible;
    /// #     fn solve(&mut self, rows: &[ContactRow], out: &mut [Impulse], _: f64) -> Result<(), Self::Error> {
    /// #         rows.iter().zip(out).for_each(|(row, out)| out.normal = 600.0 * row.depth);
    /// #         Ok(())
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (mut solver, dt) = (Stop, 0.01);
    /// let mut world = World::builder().build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// world.add_collider(Collider::new(ball))?;
    /// world.add_collider(Collider::new(ball).position([0.98, 0.0, 0.0]))?;
    ///
    /// let hits = world.subscribe(Subscription::impulses_above(5.0).persist(false));
    /// world.step();
    /// assert!(hits.is_empty());
    /// world.solve(&mut solver, dt)?;
    /// let hit = hits.try_recv()?.contact.touch.ok_or("of a sensor")?;
    /// assert!((hit.impulse - 12.0).abs() < 1e-3 && (hit.point.x - 0.49).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        self.state.events.subscribe(subscription)
    }

    /// The pairs of colliders that touched in the last step (by more than their tolerances), sensors too,
    /// in the order of their slots; less those of colliders removed since. Their impulses are those of the last
    /// [`World::solve`].
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # struct Stop;
    /// # impl Solver for Stop {
    /// #     type Error = std::convert::Infallible;
    /// #     fn solve(&mut self, _: &[ContactRow], out: &mut [Impulse], dt: f64) -> Result<(), Self::Error> {
    /// #         out[0].normal = 9.81 * dt;
    /// #         Ok(())
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut solver = Stop;
    /// let mut world = World::builder().build()?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// let floor = world.add_shape(Shape::half_space())?;
    /// world.add_collider(Collider::new(floor).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([0.0, 0.0, 0.48]))?;
    /// world.step();
    /// world.solve(&mut solver, 0.01)?; // holds 1 kg against its weight
    /// for contact in world.contacts() {
    ///     let Some(touch) = contact.touch else { continue }; // of a sensor
    ///     assert!((touch.depth - 0.02).abs() < 1e-6 && (touch.normal.z - 1.0).abs() < 1e-6);
    ///     assert!((touch.point.z + 0.01).abs() < 1e-6);
    ///     assert_eq!(touch.impulse, 0.0981); // N·s
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let state = &*self.state;
        state.events.contacts().iter().filter_map(|contact| state.as_it_is_named(contact))
    }

    /// The contact between two colliders, given in either order, as among [`World::contacts`]; `None` where they do
    /// not touch.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn contact_between(&self, a: ColliderId, b: ColliderId) -> Result<Option<Contact>, WorldError> {
        let state = &*self.state;
        state.collider(a)?;
        state.collider(b)?;
        let pair = if a.index < b.index { [a, b] } else { [b, a] };
        let all = state.events.contacts();
        let found = all.binary_search_by_key(&pair, |contact| contact.colliders).ok();
        Ok(found.and_then(|index| state.as_it_is_named(&all[index])))
    }

    /// How many steps there have been: [`ContactEvent::step`] of the last step's events.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }
}

impl StepState {
    /// A contact with the callers' numbers as they are now; `None` where a collider was removed.
    fn as_it_is_named(&self, contact: &Contact) -> Option<Contact> {
        let user_data = |id: ColliderId| self.collider(id).ok().map(|held| held.collider.user_data);
        let [a, b] = contact.colliders.map(user_data);
        Some(Contact { user_data: [a?, b?], ..*contact })
    }
}

/// The pairs that touch, in the order of their slots, not summed up yet.
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
            touch: None,
        })
    })
}
