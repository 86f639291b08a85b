//! Contacts that begin, persist and end, told through channels.
//!
//! Each step's contacts are compared with the last step's, both sorted by colliders, and the differences
//! are sent in that order: it depends on the colliders alone, not on threads. Nothing is compared, kept or
//! sent while nobody listens.

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use impinge_geometry::ColliderId;

/// Most events that a bounded channel holds.
const MOST_WAITING: usize = 1 << 20;

/// What has become of a contact.
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
    /// Whether one of them, or both, is a sensor.
    pub sensor: bool,
}

/// What is told of a pair of colliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactEvent {
    /// The number of the step in which it was found.
    pub step: u64,
    /// What happened.
    pub phase: ContactPhase,
    /// To whom.
    pub contact: Contact,
}

/// What a listener wants to hear, and how much of it may wait to be read.
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

    /// Whether [`ContactPhase::Persist`] is told (default: yes). It is one event for every contact in every
    /// step.
    pub fn persist(mut self, persist: bool) -> Subscription {
        self.persist = persist;
        self
    }

    /// At most this many events wait to be read, 1 to 2²⁰ (values outside are clamped). What finds no room
    /// is dropped and counted, and the step's status says so. A bounded channel allocates once, an unbounded
    /// one as it fills.
    pub fn capacity(mut self, events: usize) -> Subscription {
        self.capacity = Some(events.clamp(1, MOST_WAITING));
        self
    }
}

/// What became of a step's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Events sent, each counted once for every listener.
    pub sent: u64,
    /// Events that a listener's channel had no room for.
    pub dropped: u64,
}

/// Somebody who listens.
#[derive(Debug)]
struct Listener {
    sender: Sender<ContactEvent>,
    persist: bool,
    /// Has heard of no step yet: to it every contact begins.
    fresh: bool,
}

/// Compares the contacts of each step with the last one's and tells the listeners.
#[derive(Debug, Default)]
pub struct ContactEvents {
    listeners: Vec<Listener>,
    last: Vec<Contact>,
    now: Vec<Contact>,
}

impl ContactEvents {
    /// A new listener. The first step that it hears of begins every contact there is, so that what it is
    /// told adds up to the contacts there are. It stops listening by dropping the receiver.
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        let (sender, receiver) = subscription.capacity.map_or_else(unbounded, bounded);
        self.listeners.push(Listener { sender, persist: subscription.persist, fresh: true });
        receiver
    }

    /// Whether nobody listens.
    pub fn is_idle(&self) -> bool {
        self.listeners.is_empty()
    }

    /// Tells what has changed. `contacts` are those of step number `step`, sorted by colliders, each pair
    /// once; they are not asked for while nobody listens.
    pub fn tell(&mut self, step: u64, contacts: impl Iterator<Item = Contact>) -> EventCounts {
        let mut counts = EventCounts::default();
        self.now.clear();
        if !self.is_idle() {
            self.now.extend(contacts);
            let ContactEvents { listeners, last, now } = self;
            listeners.retain_mut(|listener| listener.hear(step, last, now, &mut counts));
        }
        std::mem::swap(&mut self.last, &mut self.now);
        counts
    }
}

impl Listener {
    /// Sends the differences of two sorted lists. `false` where nobody holds the receiver any more.
    fn hear(&mut self, step: u64, last: &[Contact], now: &[Contact], counts: &mut EventCounts) -> bool {
        let last = if std::mem::take(&mut self.fresh) { &[] } else { last };
        let mut old = last.iter().peekable();
        for contact in now {
            while let Some(ended) = old.next_if(|o| o.colliders < contact.colliders) {
                if !self.send(step, ContactPhase::End, ended, counts) {
                    return false;
                }
            }
            let persists = old.next_if(|o| o.colliders == contact.colliders).is_some();
            let phase = if persists { ContactPhase::Persist } else { ContactPhase::Begin };
            if !(persists && !self.persist || self.send(step, phase, contact, counts)) {
                return false;
            }
        }
        old.all(|ended| self.send(step, ContactPhase::End, ended, counts))
    }

    /// `false` where nobody holds the receiver any more.
    fn send(&self, step: u64, phase: ContactPhase, contact: &Contact, counts: &mut EventCounts) -> bool {
        match self.sender.try_send(ContactEvent { step, phase, contact: *contact }) {
            Ok(()) => counts.sent += 1,
            Err(TrySendError::Full(_)) => counts.dropped += 1,
            Err(TrySendError::Disconnected(_)) => return false,
        }
        true
    }
}
