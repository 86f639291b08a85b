//! Events against a model that knows nothing of merging: two sets and their differences.

use std::collections::{BTreeMap, BTreeSet};

use impinge_contacts::{Contact, ContactEvent, ContactEvents, ContactPhase, Subscription};
use impinge_geometry::ColliderId;
use proptest::prelude::*;

type Pair = [ColliderId; 2];

fn id(index: u32, generation: u32) -> ColliderId {
    ColliderId { index, generation }
}

fn contact(colliders: Pair) -> Contact {
    Contact {
        colliders,
        user_data: colliders.map(|c| u64::from(c.index) * 10 + u64::from(c.generation)),
        sensor: colliders[0].index == 3,
        touch: None,
    }
}

/// What the model expects of a step.
fn expected(step: u64, last: &BTreeSet<Pair>, now: &BTreeSet<Pair>) -> Vec<ContactEvent> {
    last.union(now)
        .map(|pair| {
            let phase = match (last.contains(pair), now.contains(pair)) {
                (false, _) => ContactPhase::Begin,
                (true, true) => ContactPhase::Persist,
                (true, false) => ContactPhase::End,
            };
            ContactEvent { step, phase, contact: contact(*pair) }
        })
        .collect()
}

fn tell(events: &mut ContactEvents, step: u64, now: &BTreeSet<Pair>) -> impinge_contacts::EventCounts {
    events.update(step, now.iter().map(|pair| contact(*pair)), &[])
}

fn pairs() -> impl Strategy<Value = BTreeSet<Pair>> {
    let pair = (0u32..5, 0u32..2, 5u32..9, 0u32..2).prop_map(|(a, g, b, h)| [id(a, g), id(b, h)]);
    prop::collection::btree_set(pair, 0..12)
}

proptest! {
    /// Every event of a random history, in order; a second listener that joins midway and wants no
    /// persisting ones hears a history that begins with all there is.
    #[test]
    fn what_is_told_is_the_difference(history in prop::collection::vec(pairs(), 1..12), joins in 0usize..12) {
        let mut events = ContactEvents::default();
        let first = events.subscribe(Subscription::new());
        let mut second = None;
        let (mut last, mut heard) = (BTreeSet::new(), BTreeSet::new());
        for (step, now) in history.iter().enumerate() {
            if step == joins {
                second = Some(events.subscribe(Subscription::new().persist(false)));
            }
            let counts = tell(&mut events, step as u64, now);
            let told: Vec<ContactEvent> = first.try_iter().collect();
            prop_assert_eq!(&told, &expected(step as u64, &last, now));
            let mut changes = told.clone();
            changes.retain(|e| e.phase != ContactPhase::Persist);
            prop_assert_eq!(events.changes(), &changes);
            let mut sent = told.len();
            if let Some(second) = &second {
                let told: Vec<ContactEvent> = second.try_iter().collect();
                let mut model = expected(step as u64, &heard, now);
                model.retain(|e| e.phase != ContactPhase::Persist);
                prop_assert_eq!(&told, &model);
                sent += told.len();
                heard.clone_from(now);
            }
            prop_assert_eq!((counts.sent, counts.dropped), (sent as u64, 0));
            last.clone_from(now);
        }
    }

    /// A bounded channel that is read now and then: what is read and what is counted as dropped add up to
    /// what there was to tell, and what is read is in order.
    #[test]
    fn what_finds_no_room_is_counted(history in prop::collection::vec(pairs(), 1..12), capacity in 0usize..20) {
        let mut events = ContactEvents::default();
        let listener = events.subscribe(Subscription::new().capacity(capacity));
        let (mut last, mut read, mut dropped) = (BTreeSet::new(), 0, 0);
        let mut model = Vec::new();
        let mut told = Vec::new();
        for (step, now) in history.iter().enumerate() {
            dropped += tell(&mut events, step as u64, now).dropped;
            model.extend(expected(step as u64, &last, now));
            last.clone_from(now);
            if step % 3 == 2 {
                told.extend(listener.try_iter());
            }
        }
        told.extend(listener.try_iter());
        read += told.len() as u64;
        prop_assert_eq!(read + dropped, model.len() as u64);
        let mut rest = model.iter();
        prop_assert!(told.iter().all(|event| rest.any(|other| other == event)));
    }
}

#[test]
fn changes_need_no_listener_and_dropping_the_receiver_ends_a_subscription() {
    let mut events = ContactEvents::default();
    let pair = BTreeSet::from([[id(0, 0), id(4, 0)]]);
    assert_eq!(tell(&mut events, 0, &pair), impinge_contacts::EventCounts::default());
    assert_eq!(events.changes(), expected(0, &BTreeSet::new(), &pair));
    events.update_unchanged(1);
    assert!(events.changes().is_empty());
    tell(&mut events, 0, &BTreeSet::new());
    assert_eq!(events.changes(), expected(0, &pair, &BTreeSet::new()));
    let listener = events.subscribe(Subscription::new());
    let all = BTreeSet::from([[id(0, 0), id(1, 0)]]);
    assert_eq!(tell(&mut events, 1, &all).sent, 1);
    assert!(!events.is_idle());
    drop(listener);
    assert_eq!(tell(&mut events, 2, &all).sent, 0);
    assert!(events.is_idle());
    // Whoever comes after hears of the present, not of what happened meanwhile.
    tell(&mut events, 3, &BTreeSet::new());
    let late = events.subscribe(Subscription::new());
    tell(&mut events, 4, &all);
    let phases: BTreeMap<u64, ContactPhase> = late.try_iter().map(|e| (e.step, e.phase)).collect();
    assert_eq!(phases, BTreeMap::from([(4, ContactPhase::Begin)]));
}
