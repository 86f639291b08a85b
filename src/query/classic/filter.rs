//! A potentially colliding set as a filter of pairs.

use crate::{ColliderView, ContactHooks, HookedPair, PairResponse};

/// Ignores the pairs of a world that a potentially colliding set rules out:
/// [`ColliderSet::filter`](super::ColliderSet::filter) makes it, for
/// [`World::set_hooks`](crate::World::set_hooks), for a crowd whose bodies deform and for which no tree is up to date.
///
/// It acts on pairs of colliders that both stand where they stood and place the shapes that they placed, so one that is
/// too old costs time and no contacts: make a new one before each step. Pairs with a sphere, a capsule, a cylinder or a
/// half-space are left alone. Pairs that do not touch but have contacts within a margin are ruled out, too.
#[derive(Clone, Debug, Default)]
pub struct CullideFilter {
    /// By slot: colliders as they stood, and whether they are in the set.
    stood: Vec<Option<(ColliderView, bool)>>,
    ignored: u64,
}

impl CullideFilter {
    pub(super) fn new(colliders: impl IntoIterator<Item = (ColliderView, bool)>) -> CullideFilter {
        let mut stood = Vec::new();
        for (view, is_in_set) in colliders {
            let slot = view.id.index as usize;
            if stood.len() <= slot {
                stood.resize(slot + 1, None);
            }
            stood[slot] = Some((view, is_in_set));
        }
        CullideFilter { stood, ignored: 0 }
    }

    /// Pairs ignored so far.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Whether a collider is in the set; `None` where it is not as it was.
    fn is_in_set(&self, now: &ColliderView) -> Option<bool> {
        let (then, is_in_set) = self.stood.get(now.id.index as usize)?.as_ref()?;
        ((then.id, then.shape, then.pose) == (now.id, now.shape, now.pose)).then_some(*is_in_set)
    }
}

impl ContactHooks for CullideFilter {
    fn filter_pair(&mut self, pair: &HookedPair) -> PairResponse {
        match pair.colliders.each_ref().map(|collider| self.is_in_set(collider)) {
            [Some(a), Some(b)] if !(a && b) => {
                self.ignored += 1;
                PairResponse::Ignore
            }
            _ => PairResponse::Contacts,
        }
    }
}
