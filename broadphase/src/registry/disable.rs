//! Colliders that take part in nothing for a while.
//!
//! After the two ways of parking in the collision notes of the Vortex engine (CM Labs): in place,
//! cheap to end, and out of the structure, free while it lasts.

use std::collections::BTreeSet;

use impinge_geometry::Aabb;

use crate::broad_phase::{BroadPhase, NO_PROXY};
use crate::error::BroadPhaseError;
use crate::pairs::pair::Filter;
use crate::registry::margin::Margin;
use crate::registry::proxy::Extent;

/// How a collider is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disabling {
    /// Short-term: it keeps its place in the lists, and its box may still be moved there. Disabling and
    /// enabling cost a test against its neighbours; until then it costs what any collider costs.
    InPlace,
    /// Long-term: it is removed from the grid and costs nothing but the memory of its box and filter.
    /// Enabling it costs what an insertion costs.
    Removed,
}

/// What is kept of a disabled collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disabled {
    pub how: Disabling,
    /// The box of one that is removed (m).
    pub aabb: Aabb,
    pub filter: Filter,
}

/// The filter of a proxy that is disabled in place: nothing is allowed.
pub(crate) const NOTHING: Filter = Filter { groups: 0, mask: 0, part: None, is_static: false };

impl BroadPhase {
    /// Disables colliders: with the next update their pairs end, and they have none and are found by no
    /// query until they are enabled. They keep their slots, and their boxes and filters can be read and
    /// set. Disabling and enabling them between two updates has no effect.
    ///
    /// # Errors
    /// A slot that is not in use, is disabled already, or is named twice. Nothing has changed then.
    pub fn disable(&mut self, slots: &[u32], how: Disabling) -> Result<(), BroadPhaseError> {
        for &slot in slots {
            if self.disabled.contains_key(&slot) {
                return Err(BroadPhaseError::Disabled { slot });
            }
            self.proxy_of(slot)?;
        }
        crate::registry::insert_remove::distinct(slots.iter().copied())?;
        for &slot in slots {
            let id = self.slots[slot as usize].proxy;
            let filter = self.filters[id as usize];
            let aabb = self.proxies[id as usize].new.aabb(self.grid().axes);
            self.disabled.insert(slot, Disabled { how, aabb, filter });
            match how {
                Disabling::InPlace => {
                    let id = self.renew(id);
                    self.filters[id as usize] = NOTHING;
                }
                Disabling::Removed => {
                    self.slots[slot as usize].proxy = NO_PROXY;
                    self.leave(id);
                }
            }
        }
        Ok(())
    }

    /// Enables disabled colliders, where their boxes are now.
    ///
    /// # Errors
    /// A slot that is not disabled, or is named twice. Nothing has changed then.
    pub fn enable(&mut self, slots: &[u32]) -> Result<(), BroadPhaseError> {
        if let Some(&slot) = slots.iter().find(|slot| !self.disabled.contains_key(slot)) {
            return Err(BroadPhaseError::NotDisabled { slot });
        }
        crate::registry::insert_remove::distinct(slots.iter().copied())?;
        for &slot in slots {
            let Some(disabled) = self.disabled.remove(&slot) else { continue };
            match disabled.how {
                Disabling::InPlace => {
                    let id = self.renew(self.slots[slot as usize].proxy);
                    self.filters[id as usize] = disabled.filter;
                }
                Disabling::Removed => {
                    let new = Extent::new(&disabled.aabb, self.grid().axes);
                    self.enter(slot, new, disabled.filter);
                }
            }
        }
        Ok(())
    }

    /// How a collider is disabled; `None` for one that is not.
    ///
    /// # Errors
    /// A slot that is not in use.
    pub fn disabling(&self, slot: u32) -> Result<Option<Disabling>, BroadPhaseError> {
        match self.disabled.get(&slot) {
            Some(disabled) => Ok(Some(disabled.how)),
            None => self.proxy_of(slot).map(|_| None),
        }
    }

    /// Sets the box of a collider that is removed; returns whether it was one.
    pub(crate) fn set_disabled_box(&mut self, slot: u32, aabb: &Aabb) -> bool {
        let margin = self.settings.margin;
        match self.disabled.get_mut(&slot) {
            Some(disabled) if disabled.how == Disabling::Removed => {
                let grown = |margin: Margin| margin.first(aabb, slot);
                disabled.aabb = margin.filter(|_| !disabled.filter.is_static).map_or(*aabb, grown);
                true
            }
            _ => false,
        }
    }
}

/// Disabled colliders of one kind, to be taken into use when they are needed: trees near a vehicle,
/// shells of a gun. The lowest slot comes first, so that the choice does not depend on the past.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Filter, Disabling, Pool};
/// use impinge_geometry::Aabb;
///
/// let cube = |x: f32| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
/// let mut broad_phase = BroadPhase::default();
/// broad_phase.insert(&[(0, cube(0.0), Filter::default()), (1, cube(9.0), Filter::default())])?;
/// let mut trees = Pool::default();
/// trees.give(&mut broad_phase, 1, Disabling::Removed)?;
/// let tree = trees.take(&mut broad_phase, cube(0.5))?;
/// broad_phase.update();
/// assert_eq!((tree, broad_phase.begun().len()), (Some(1), 1));
/// # Ok::<(), impinge_broadphase::BroadPhaseError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pool {
    slots: BTreeSet<u32>,
}

impl Pool {
    /// Colliders in the pool.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Disables a collider and puts it into the pool.
    ///
    /// # Errors
    /// As [`BroadPhase::disable`].
    pub fn give(
        &mut self,
        broad_phase: &mut BroadPhase,
        slot: u32,
        how: Disabling,
    ) -> Result<(), BroadPhaseError> {
        broad_phase.disable(&[slot], how)?;
        self.slots.insert(slot);
        Ok(())
    }

    /// Takes a collider out of the pool and enables it with a box (m); `None` if none is left.
    ///
    /// # Errors
    /// A box with NaN or a minimum above its maximum, or a collider that was enabled or removed
    /// by others. The pool is as it was then.
    pub fn take(&mut self, broad_phase: &mut BroadPhase, aabb: Aabb) -> Result<Option<u32>, BroadPhaseError> {
        let Some(&slot) = self.slots.first() else { return Ok(None) };
        if broad_phase.disabling(slot)?.is_none() {
            return Err(BroadPhaseError::NotDisabled { slot });
        }
        broad_phase.set_aabb(slot, aabb)?;
        broad_phase.enable(&[slot])?;
        self.slots.remove(&slot);
        Ok(Some(slot))
    }
}
