//! Hooks: the caller filters pairs and changes manifolds.

use std::fmt;

use impinge_contacts::Manifold;
use impinge_geometry::ColliderId;

use crate::neighbours::Neighbours;
use crate::pair_memory::PairMemories;
use crate::slots::Slots;
use crate::world::HeldCollider;
use crate::{ColliderView, World};

/// How a pair whose boxes overlap is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PairResponse {
    /// Contacts, as without a hook.
    #[default]
    Contacts,
    /// Only whether it touches, as with sensors: it has events and no manifolds.
    Touching,
    /// Not at all: it has neither events nor manifolds.
    Ignore,
}

/// The two colliders of a pair, as a hook sees them; the first has the lower slot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookedPair {
    /// The colliders A and B.
    pub colliders: [ColliderView; 2],
}

/// The caller's part in every step ([`World::set_hooks`]): filters pairs and changes manifolds.
///
/// Both are called on the thread that takes the step, one pair after the other in the order of the colliders'
/// slots, for any number of workers: a hook may keep a state of its own and the answer is still the same.
/// They are called in every step, also for pairs of which nothing moved, whose manifolds come as the narrow
/// phase found them and not as they were changed last. With hooks a world at rest costs a call for each pair.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::{ContactHooks, HookedPair, PairResponse};
///
/// /// Bodies of user data 7 are ghosts, and all contacts are as slippery as ice.
/// struct Rules;
///
/// impl ContactHooks for Rules {
///     fn filter_pair(&mut self, pair: &HookedPair) -> PairResponse {
///         let ghost = pair.colliders.iter().any(|c| c.user_data == 7);
///         if ghost { PairResponse::Ignore } else { PairResponse::Contacts }
///     }
///
///     fn modify_manifold(&mut self, _: &HookedPair, manifold: &mut Manifold) -> bool {
///         let ice = PairMaterial { friction: 0.02, restitution: 0.0, stiffness: None, damping: None };
///         manifold.material = Some(ice);
///         true
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().build()?;
/// let ball = world.add_shape(Shape::sphere(0.5)?)?;
/// for (x, name) in [(0.0, 1), (0.9, 2), (0.45, 7)] {
///     world.add_collider(Collider::new(ball).position([x, 0.0, 0.0]).user_data(name))?;
/// }
/// world.set_hooks(Some(Box::new(Rules)));
/// let report = world.step();
/// assert_eq!((report.counts.pairs, report.counts.ignored_pairs, report.counts.manifolds), (3, 2, 1));
/// assert!(world.manifolds()[0].material.is_some_and(|material| material.friction == 0.02));
/// # Ok(())
/// # }
/// ```
pub trait ContactHooks: Send + Sync {
    /// Chooses the treatment of a pair whose boxes overlap and whose filters allow it. (A sensor touches only,
    /// whatever is said.)
    fn filter_pair(&mut self, pair: &HookedPair) -> PairResponse {
        let _ = pair;
        PairResponse::Contacts
    }

    /// Changes a manifold before it is published; `false` drops it. Normals must stay unit, numbers finite,
    /// and keys as they are; the colliders and subshapes cannot be changed. A manifold left without points is
    /// dropped. What was dropped still counts as touching, in [`World::contacts`] and for events.
    fn modify_manifold(&mut self, pair: &HookedPair, manifold: &mut Manifold) -> bool {
        let _ = (pair, manifold);
        true
    }
}

impl World {
    /// Sets the hooks, from the next step on, or takes them away; the former ones are given back.
    pub fn set_hooks(&mut self, hooks: Option<Box<dyn ContactHooks>>) -> Option<Box<dyn ContactHooks>> {
        self.state.still = None;
        self.state.hooks.set(hooks)
    }
}

/// The hooks of a world.
#[derive(Default)]
pub(crate) struct Hooks {
    hooks: Option<Box<dyn ContactHooks>>,
    /// Whether some pair may have a response other than the usual.
    filtered: bool,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.are_set() { "Hooks(set)" } else { "Hooks(none)" })
    }
}

impl Hooks {
    /// Whether there are any.
    pub fn are_set(&self) -> bool {
        self.hooks.is_some()
    }

    fn set(&mut self, hooks: Option<Box<dyn ContactHooks>>) -> Option<Box<dyn ContactHooks>> {
        std::mem::replace(&mut self.hooks, hooks)
    }

    /// Asks what to do about every pair; members of parts that are neighbours do not meet, and no hook is asked. Pairs with vertices `on_device` are
    /// the device's. An answer under another response than the last is found again. Gives how many pairs are ignored.
    pub fn filter(
        &mut self,
        memories: &mut PairMemories,
        colliders: &Slots<HeldCollider>,
        neighbours: &Neighbours,
        on_device: bool,
    ) -> u64 {
        let any = self.are_set() || !neighbours.is_empty() || on_device;
        if !any && !std::mem::take(&mut self.filtered) {
            return 0;
        }
        self.filtered = any;
        let mut ignored = 0;
        for memory in memories.slots() {
            let pair = hooked(memory.colliders, colliders);
            let ask = |hooks: &mut Box<dyn ContactHooks>| Some(hooks.filter_pair(&pair?));
            let response = match neighbours.named(colliders, memory.colliders) {
                true => PairResponse::Ignore,
                false => self.hooks.as_mut().and_then(ask).unwrap_or_default(),
            };
            ignored += u64::from(response == PairResponse::Ignore);
            let held = memory.colliders.map(|id| colliders.get(id.index, id.generation));
            let lives_there = held.iter().flatten().any(|held| held.on_device.is_some());
            memory.on_device = lives_there && response != PairResponse::Ignore;
            let response = if lives_there { PairResponse::Ignore } else { response };
            if memory.response != response {
                memory.response = response;
                memory.answered = false;
            }
        }
        ignored
    }

    /// Has every manifold changed.
    pub fn modify(&mut self, manifolds: &mut Vec<Manifold>, colliders: &Slots<HeldCollider>) {
        let Some(hooks) = &mut self.hooks else { return };
        manifolds.retain_mut(|manifold| {
            let (names, subshapes) = (manifold.colliders, manifold.subshapes);
            let Some(pair) = hooked(names, colliders) else { return true };
            let keep = hooks.modify_manifold(&pair, manifold);
            (manifold.colliders, manifold.subshapes) = (names, subshapes);
            keep && !manifold.points.is_empty()
        });
    }
}

fn hooked(names: [ColliderId; 2], colliders: &Slots<HeldCollider>) -> Option<HookedPair> {
    let view = |id: ColliderId| colliders.get(id.index, id.generation).map(|held| held.view(id));
    Some(HookedPair { colliders: [view(names[0])?, view(names[1])?] })
}
