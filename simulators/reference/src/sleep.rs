//! Bodies at rest sleep.
//!
//! A body falls asleep when it and all that it touches have been slow for a while. It then bears what
//! leans on it as the ground does. It wakes when something that touches it moves, or when something
//! that it leant on is gone. (Whole islands of touching bodies, as many engines put to sleep, do not serve
//! here: a heap is one island, and its least settled body would keep all of it awake.)

use impinge::{ColliderId, Manifold};

use crate::body::Body;
use crate::body_set::BodySet;
use crate::settings::SimulatorSettings;

/// A sleeper wakes when something that touches it moves faster than this many times the speed under
/// which bodies fall asleep.
pub(crate) const WAKE: f64 = 2.0;

/// Which moving bodies touch each other, by slot.
#[derive(Debug, Default)]
pub(crate) struct ContactGraph {
    /// Sorted, each once, and whether the bodies lean on each other: those that barely touch may part in
    /// one step and meet in the next without anything to wake for.
    pairs: Vec<([usize; 2], bool)>,
    /// Sorted: those that lie on a surface that moves by itself or have one, and those that lie on them.
    driven: Vec<usize>,
    /// The step before.
    last: Vec<([usize; 2], bool)>,
    /// Slots that are about to be changed.
    changing: Vec<usize>,
    /// Of every slot, whether its body has been slow for long enough, and whether it falls asleep.
    slow: Vec<[bool; 2]>,
}

impl ContactGraph {
    /// Finds who touches whom, after contacts were detected.
    fn find(&mut self, body_set: &BodySet, manifolds: &[Manifold], drives: impl Fn(ColliderId) -> bool) {
        let moving = |manifold: &Manifold| {
            let [a, b] = manifold.colliders.map(|id| body_set.of_collider(id));
            let pair = [a?, b?];
            let leans = manifold.points.iter().any(|point| point.impulse.normal > 0.0);
            pair.iter().all(|&i| body_set.at(i).is_some_and(|body| !body.is_fixed())).then_some((pair, leans))
        };
        std::mem::swap(&mut self.pairs, &mut self.last);
        self.pairs.clear();
        self.pairs.extend(manifolds.iter().filter_map(moving));
        self.pairs.sort_unstable();
        self.pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 |= same && next.1;
            same
        });
        // A surface drives what lies on it, and a body with tracks itself.
        let on_driving = manifolds.iter().filter(|m| m.colliders.iter().any(|&id| drives(id)));
        let of_body = |id| body_set.of_collider(id);
        self.driven.clear();
        self.driven.extend(on_driving.flat_map(|m| m.colliders).filter_map(of_body));
        self.driven.sort_unstable();
        self.driven.dedup();
        while self.drive_on() {}
    }

    /// Counts what touches a driven body as driven, too. Whether that was any.
    fn drive_on(&mut self) -> bool {
        if self.driven.is_empty() {
            return false;
        }
        let ContactGraph { pairs, driven, changing, .. } = self;
        let is_driven = |index: &usize| driven.binary_search(index).is_ok();
        let one = |pair: &[usize; 2]| is_driven(&pair[0]) != is_driven(&pair[1]);
        let ends = pairs.iter().map(|known| known.0).filter(one).flatten();
        changing.clear();
        changing.extend(ends.filter(|index| !is_driven(index)));
        driven.extend_from_slice(changing);
        driven.sort_unstable();
        driven.dedup();
        !changing.is_empty()
    }

    /// Takes in the contacts of a detection, and wakes every sleeper that touches a body that moves, has lost a
    /// body that it leant on, or touches with a surface that moves by itself: of a collider that `drives`.
    pub fn update(
        &mut self,
        body_set: &mut BodySet,
        manifolds: &[Manifold],
        drives: impl Fn(ColliderId) -> bool,
        settings: &SimulatorSettings,
    ) {
        let limit = WAKE * settings.sleep_speed;
        self.find(body_set, manifolds, drives);
        let ContactGraph { pairs, last, driven, changing: woken, .. } = self;
        woken.clear();
        woken.extend_from_slice(driven);
        let gone = |pair: &[usize; 2]| pairs.binary_search_by_key(pair, |known| known.0).is_err();
        for (pair, leans) in &*last {
            if *leans && gone(pair) {
                woken.extend_from_slice(pair);
            }
        }
        for &([a, b], _) in &*pairs {
            for (sleeper, other) in [(a, b), (b, a)] {
                let moves = |body: &Body| !body.asleep() && body.top_speed() > limit;
                if body_set.at(sleeper).is_some_and(Body::asleep) && body_set.at(other).is_some_and(moves) {
                    woken.push(sleeper);
                }
            }
        }
        for &index in &*woken {
            if body_set.at(index).is_some_and(Body::asleep) {
                wake(body_set, index);
            }
        }
    }

    /// Counts for how long each body has been slow, and puts to sleep those that have been for long
    /// enough and touch nothing that has not.
    pub fn rest(&mut self, body_set: &mut BodySet, settings: &SimulatorSettings, dt: f64) {
        for body in body_set.slots_mut().flatten() {
            body.count_slow(settings.sleep_speed, settings.sleep_time, dt);
        }
        for &index in &self.driven {
            if let Some(dynamics) = body_set.at_mut(index).and_then(|body| body.dynamics.as_mut()) {
                dynamics.slow_time = 0.0;
            }
        }
        let rests =
            |body: &Body| body.dynamics.is_some_and(|d| d.asleep || d.slow_time >= settings.sleep_time);
        self.slow.clear();
        self.slow.extend(body_set.slots().map(|body| [body.is_some_and(rests); 2]));
        for &([a, b], _) in &self.pairs {
            let ([slow_a, _], [slow_b, _]) = (self.slow[a], self.slow[b]);
            self.slow[a][1] &= slow_b;
            self.slow[b][1] &= slow_a;
        }
        for (body, [_, sleeps]) in body_set.slots_mut().zip(&self.slow) {
            if let Some(body) = body
                && *sleeps
                && let Some(dynamics) = &mut body.dynamics
            {
                (dynamics.asleep, dynamics.recent_speed) = (true, 0.0);
                (body.linear_velocity, body.angular_velocity) = Default::default();
            }
        }
    }
}

/// Wakes the sleepers beside a shape of which a part has changed.
pub(crate) fn wake_edited(body_set: &mut BodySet, pairs: &[[ColliderId; 2]]) {
    for index in pairs.iter().flatten().filter_map(|&id| body_set.of_collider(id)).collect::<Vec<_>>() {
        if body_set.at(index).is_some_and(Body::asleep) {
            wake(body_set, index);
        }
    }
}

/// Wakes one body.
pub(crate) fn wake(body_set: &mut BodySet, index: usize) {
    if let Some(dynamics) = body_set.at_mut(index).and_then(|body| body.dynamics.as_mut()) {
        dynamics.asleep = false;
        (dynamics.slow_time, dynamics.recent_speed) = (0.0, 0.0);
    }
}
