//! What a listener wants to hear.

use crate::tunables::MAX_WAITING_EVENTS;

/// Which events a channel carries, and how many of them may wait to be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subscription {
    pub(crate) persist: bool,
    pub(crate) capacity: Option<usize>,
    /// Impulse (N·s) above which a solved contact is sent, and nothing else.
    pub(crate) impulses_above: Option<f64>,
}

impl Default for Subscription {
    fn default() -> Subscription {
        Subscription { persist: true, capacity: None, impulses_above: None }
    }
}

impl Subscription {
    /// Everything that steps find, without a bound: what is not read waits, and nothing is ever lost.
    pub fn new() -> Subscription {
        Subscription::default()
    }

    /// Only contacts that bear or hit hard, sent by every `World::solve`: those whose
    /// [`TouchSummary::impulse`](crate::TouchSummary::impulse) it found to be greater than `impulse` (N·s; negative or
    /// NaN counts as 0). Their phase is that of the step: [`ContactPhase::Begin`](crate::ContactPhase::Begin) where the
    /// colliders have just met. A load at rest has an impulse, too, its weight times the time step: with
    /// [`persist(false)`](Subscription::persist) only hits are sent.
    pub fn impulses_above(impulse: f64) -> Subscription {
        Subscription { impulses_above: Some(impulse.max(0.0)), ..Subscription::default() }
    }

    /// Whether [`ContactPhase::Persist`](crate::ContactPhase::Persist) is sent (default: yes). It is one event for
    /// every contact in every step.
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
