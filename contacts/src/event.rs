//! Contacts that begin, persist and end: as a slice of the step, and through channels.
//!
//! Each step's contacts are compared with the last step's, both sorted by colliders, and the differences
//! are reported in that order: it depends on the colliders alone, not on threads.

use crate::tunables::MAX_WAITING_EVENTS;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use impinge_geometry::ColliderId;

/// How a contact compares with the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactPhase {
    /// The colliders touch and did not in the last step.
    Begin,
    /// They touch as they did in the last step.
    Persist,
    /// They touched in the last step and do not any more, or one of them was removed.
    End,
}

/// Two colliders that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The colliders; the first has the lower index.
    pub colliders: [ColliderId; 2],
    /// The caller's own numbers of the two.
    pub user_data: [u64; 2],
    /// Whether only touching is known of it: one of them is a sensor, or a hook asked for no more.
    pub sensor: bool,
}

/// A contact that has begun, persists or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEvent {
    /// The number of the step in which it was found.
    pub step: u64,
    /// What happened.
    pub phase: ContactPhase,
    /// The contact; of one that ended, as it was in the last step.
    pub contact: Contact,
}

/// Which events a channel carries, and how many of them may wait to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription {
    persist: bool,
    capacity: Option<usize>,
}

impl Default for Subscription {
    fn default() -> Subscription {
        Subscription { persist: true, capacity: None }
    }
}

impl Subscription {
    /// Everything, without a bound: what is not read waits, and nothing is ever lost.
    pub fn new() -> Subscription {
        Subscription::default()
    }

    /// Whether [`ContactPhase::Persist`] is sent (default: yes). It is one event for every contact in every
    /// step.
    pub fn persist(mut self, persist: bool) -> Subscription {
        self.persist = persist;
        self
    }

    /// At most this many events wait to be read, 1 to 2²⁰ (values outside are clamped). What finds no room
    /// is dropped and counted, and the step's status says so. A bounded channel allocates once, an unbounded
    /// one as it fills.
    pub fn capacity(mut self, events: usize) -> Subscription {
        self.capacity = Some(events.clamp(1, MAX_WAITING_EVENTS));
        self
    }
}

/// Counts of a step's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventCounts {
    /// Events sent, each counted once for every listener.
    pub sent: u64,
    /// Events that a listener's channel had no room for.
    pub dropped: u64,
}

/// The sending end of a subscription.
#[derive(Debug)]
struct Listener {
    sender: Sender<ContactEvent>,
    persist: bool,
    /// Has received no step yet: for it every contact begins.
    fresh: bool,
}

/// Compares the contacts of each step with the last one's, keeps the differences and sends them to the
/// listeners.
#[derive(Debug, Default)]
pub struct ContactEvents {
    listeners: Vec<Listener>,
    last: Vec<Contact>,
    now: Vec<Contact>,
    changes: Vec<ContactEvent>,
}

impl ContactEvents {
    /// A new channel. In the first step that it receives every contact begins, so that its events always add
    /// up to the contacts there are. Dropping the receiver ends the subscription.
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        let (sender, receiver) = subscription.capacity.map_or_else(unbounded, bounded);
        self.listeners.push(Listener { sender, persist: subscription.persist, fresh: true });
        receiver
    }

    /// Whether there is no channel.
    pub fn is_idle(&self) -> bool {
        self.listeners.is_empty()
    }

    /// The contacts that began and ended with the last update, in the order of their colliders.
    pub fn changes(&self) -> &[ContactEvent] {
        &self.changes
    }

    /// Takes in the contacts of step number `step`, sorted by colliders, each pair once.
    pub fn update(&mut self, step: u64, contacts: impl Iterator<Item = Contact>) -> EventCounts {
        let mut counts = EventCounts::default();
        let ContactEvents { listeners, last, now, changes } = self;
        now.clear();
        now.extend(contacts);
        changes.clear();
        compare(last, now, |phase, contact| {
            if phase != ContactPhase::Persist {
                changes.push(ContactEvent { step, phase, contact: *contact });
            }
            true
        });
        listeners.retain_mut(|listener| listener.receive(step, last, now, &mut counts));
        std::mem::swap(last, now);
        counts
    }

    /// As [`ContactEvents::update`] where it is known that the contacts are those of the last update and
    /// there is no channel: nothing has changed.
    pub fn update_unchanged(&mut self) {
        self.changes.clear();
    }
}

/// Visits the differences of two sorted lists in their order, until `visit` says no. Returns whether it
/// never did.
fn compare(last: &[Contact], now: &[Contact], mut visit: impl FnMut(ContactPhase, &Contact) -> bool) -> bool {
    let mut old = last.iter().peekable();
    for contact in now {
        while let Some(ended) = old.next_if(|o| o.colliders < contact.colliders) {
            if !visit(ContactPhase::End, ended) {
                return false;
            }
        }
        let persists = old.next_if(|o| o.colliders == contact.colliders).is_some();
        let phase = if persists { ContactPhase::Persist } else { ContactPhase::Begin };
        if !visit(phase, contact) {
            return false;
        }
    }
    old.all(|ended| visit(ContactPhase::End, ended))
}

impl Listener {
    /// Sends the differences of two sorted lists. `false` once the receiver has been dropped.
    fn receive(&mut self, step: u64, last: &[Contact], now: &[Contact], counts: &mut EventCounts) -> bool {
        let last = if std::mem::take(&mut self.fresh) { &[] } else { last };
        let persist = self.persist;
        compare(last, now, |phase, contact| {
            phase == ContactPhase::Persist && !persist || self.send(step, phase, contact, counts)
        })
    }

    /// `false` once the receiver has been dropped.
    fn send(&self, step: u64, phase: ContactPhase, contact: &Contact, counts: &mut EventCounts) -> bool {
        match self.sender.try_send(ContactEvent { step, phase, contact: *contact }) {
            Ok(()) => counts.sent += 1,
            Err(TrySendError::Full(_)) => counts.dropped += 1,
            Err(TrySendError::Disconnected(_)) => return false,
        }
        true
    }
}
