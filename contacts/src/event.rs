//! Contacts that begin, persist and end: as a slice of the step, and through channels.
//!
//! Each step's contacts are compared with the last step's, both sorted by colliders, and the differences
//! are reported in that order: it depends on the colliders alone, not on threads. The impulses of a step are
//! known when it is solved; then the contacts get them, and listeners for impulses are told.

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};

use crate::contact::ManifoldWalk;
use crate::{Contact, ContactEvent, ContactPhase, Manifold, Subscription, TouchSummary};

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
    /// Of one that hears of solved contacts only: the impulse (N·s) that they must exceed.
    impulses_above: Option<f64>,
    /// Has received no step yet: for it every contact begins.
    fresh: bool,
}

/// Compares the contacts of each step with the last one's, keeps the differences and sends them to the
/// listeners.
#[derive(Debug, Default)]
pub struct ContactEvents {
    listeners: Vec<Listener>,
    /// The contacts of the last update.
    contacts: Vec<Contact>,
    /// The contacts of the update before.
    before: Vec<Contact>,
    changes: Vec<ContactEvent>,
    /// The number of the last update's step.
    step: u64,
    /// What was sent since the last update.
    since: EventCounts,
}

impl ContactEvents {
    /// A new channel. In the first step that it receives every contact begins, so that its events always add
    /// up to the contacts there are. Once the receiver is dropped, the subscription ends with the next event that it
    /// would have got.
    pub fn subscribe(&mut self, subscription: Subscription) -> Receiver<ContactEvent> {
        let Subscription { persist, capacity, impulses_above } = subscription;
        let (sender, receiver) = capacity.map_or_else(unbounded, bounded);
        self.listeners.push(Listener { sender, persist, impulses_above, fresh: true });
        receiver
    }

    /// Whether no channel hears of steps: there is none, or only those that hear of solved contacts.
    pub fn is_idle(&self) -> bool {
        self.listeners.iter().all(|listener| listener.impulses_above.is_some())
    }

    /// The contacts that began and ended with the last update, in the order of their colliders.
    pub fn changes(&self) -> &[ContactEvent] {
        &self.changes
    }

    /// The contacts of the last update, in the order of their colliders.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Takes in the contacts of step number `step`, sorted by colliders, each pair once, and sums them up from the
    /// step's `manifolds`, which are in the same order. (Whatever summary a contact has is replaced.)
    pub fn update(
        &mut self,
        step: u64,
        contacts: impl Iterator<Item = Contact>,
        manifolds: &[Manifold],
    ) -> EventCounts {
        self.step = step;
        let mut counts = std::mem::take(&mut self.since);
        std::mem::swap(&mut self.contacts, &mut self.before);
        let ContactEvents { listeners, contacts: now, before: last, changes, .. } = self;
        now.clear();
        now.extend(contacts);
        summarise(last, now, manifolds);
        changes.clear();
        compare(last, now, |phase, contact| {
            if phase != ContactPhase::Persist {
                changes.push(ContactEvent { step, phase, contact: *contact });
            }
            true
        });
        listeners.retain_mut(|listener| listener.receive(step, last, now, &mut counts));
        counts
    }

    /// As [`ContactEvents::update`] where it is known that the contacts are those of the last update and
    /// [no channel hears of steps](ContactEvents::is_idle): nothing has changed.
    pub fn update_unchanged(&mut self, step: u64) -> EventCounts {
        self.step = step;
        self.changes.clear();
        std::mem::take(&mut self.since)
    }

    /// Takes in the impulses that a solver gave the `manifolds` of the last update, and tells listeners for
    /// impulses. `totals`: the normal impulse of each row (N·s), where it is not that of its point. What is sent counts
    /// with the next update.
    pub fn solved(&mut self, manifolds: &[Manifold], totals: Option<&[f64]>) {
        let mut walk = ManifoldWalk::new(manifolds);
        let mut begun = self.changes.iter_mut().filter(|event| event.phase == ContactPhase::Begin).peekable();
        for contact in &mut self.contacts {
            let (own, rows) = walk.with_rows(&contact.colliders);
            if let Some(touch) = contact.touch.as_mut().filter(|_| !own.is_empty()) {
                touch.impulse = match totals.and_then(|totals| totals.get(rows)) {
                    Some(totals) => totals.iter().sum(),
                    None => own.iter().map(Manifold::impulse).sum(),
                };
            }
            if let Some(event) = begun.next_if(|event| event.contact.colliders == contact.colliders) {
                event.contact.touch = contact.touch;
            }
        }
        let ContactEvents { listeners, contacts, changes, since, step, .. } = self;
        listeners.retain(|listener| listener.receive_solved(*step, contacts, changes, since));
    }
}

/// Sums up each contact's manifolds. Contacts that were there before keep the impulse of the last solve.
fn summarise(last: &[Contact], now: &mut [Contact], manifolds: &[Manifold]) {
    let mut walk = ManifoldWalk::new(manifolds);
    let mut old = last.iter().peekable();
    for contact in now {
        while old.next_if(|o| o.colliders < contact.colliders).is_some() {}
        let same = old.next_if(|o| o.colliders == contact.colliders);
        let impulse = same.and_then(|o| o.touch).map_or(0.0, |touch| touch.impulse);
        contact.touch = TouchSummary::of(walk.of(&contact.colliders), impulse);
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
        if self.impulses_above.is_some() {
            return true;
        }
        let last = if std::mem::take(&mut self.fresh) { &[] } else { last };
        compare(last, now, |phase, contact| self.send(step, phase, contact, counts))
    }

    /// Sends the contacts that a solver gave great impulses. `false` once the receiver has been dropped.
    fn receive_solved(
        &self,
        step: u64,
        contacts: &[Contact],
        changes: &[ContactEvent],
        counts: &mut EventCounts,
    ) -> bool {
        let Some(limit) = self.impulses_above else { return true };
        let mut begun = changes.iter().filter(|event| event.phase == ContactPhase::Begin).peekable();
        contacts.iter().all(|contact| {
            let begins = begun.next_if(|event| event.contact.colliders == contact.colliders).is_some();
            let phase = if begins { ContactPhase::Begin } else { ContactPhase::Persist };
            let strong = contact.touch.is_some_and(|touch| touch.impulse > limit);
            !strong || self.send(step, phase, contact, counts)
        })
    }

    /// `false` once the receiver has been dropped.
    fn send(&self, step: u64, phase: ContactPhase, contact: &Contact, counts: &mut EventCounts) -> bool {
        if phase == ContactPhase::Persist && !self.persist {
            return true;
        }
        match self.sender.try_send(ContactEvent { step, phase, contact: *contact }) {
            Ok(()) => counts.sent += 1,
            Err(TrySendError::Full(_)) => counts.dropped += 1,
            Err(TrySendError::Disconnected(_)) => return false,
        }
        true
    }
}
