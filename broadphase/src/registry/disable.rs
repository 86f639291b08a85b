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

/// How a collider is parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parking {
    /// Short-term: it keeps its place in the lists, and its box may still be moved there. Parking and
    /// coming back cost a look at its neighbours; until then it costs what any collider costs.
    InPlace,
    /// Long-term: it is taken out and costs nothing but the memory of its box and filter. Coming back
    /// costs what an insertion costs.
    Out,
}

/// What is kept of a parked collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parked {
    pub how: Parking,
    /// The box of one that is out (m).
    pub aabb: Aabb,
    pub filter: Filter,
}

/// The filter of a proxy that is parked in place: nothing is allowed.
pub(crate) const NOTHING: Filter = Filter { groups: 0, mask: 0, part: None, is_static: false };

impl BroadPhase {
    /// Parks colliders: with the next update their pairs end, and they have none and are found by no
    /// query until they come back. They keep their slots, and their boxes and filters can be read and
    /// set. Parked and back between two updates leaves no trace.
    ///
    /// # Errors
    /// A slot that is not in use, is parked already, or is named twice. Nothing has changed then.
    pub fn park(&mut self, slots: &[u32], how: Parking) -> Result<(), BroadPhaseError> {
        for &slot in slots {
            if self.parked.contains_key(&slot) {
                return Err(BroadPhaseError::Parked { slot });
            }
            self.proxy_of(slot)?;
        }
        crate::registry::insert_remove::distinct(slots.iter().copied())?;
        for &slot in slots {
            let id = self.slots[slot as usize].proxy;
            let filter = self.filters[id as usize];
            let aabb = self.proxies[id as usize].new.aabb(self.grid().axes);
            self.parked.insert(slot, Parked { how, aabb, filter });
            match how {
                Parking::InPlace => {
                    let id = self.renew(id);
                    self.filters[id as usize] = NOTHING;
                }
                Parking::Out => {
                    self.slots[slot as usize].proxy = NO_PROXY;
                    self.leave(id);
                }
            }
        }
        Ok(())
    }

    /// Brings parked colliders back, where their boxes are now.
    ///
    /// # Errors
    /// A slot that is not parked, or is named twice. Nothing has changed then.
    pub fn unpark(&mut self, slots: &[u32]) -> Result<(), BroadPhaseError> {
        if let Some(&slot) = slots.iter().find(|slot| !self.parked.contains_key(slot)) {
            return Err(BroadPhaseError::NotParked { slot });
        }
        crate::registry::insert_remove::distinct(slots.iter().copied())?;
        for &slot in slots {
            let Some(parked) = self.parked.remove(&slot) else { continue };
            match parked.how {
                Parking::InPlace => {
                    let id = self.renew(self.slots[slot as usize].proxy);
                    self.filters[id as usize] = parked.filter;
                }
                Parking::Out => {
                    let new = Extent::new(&parked.aabb, self.grid().axes);
                    self.enter(slot, new, parked.filter);
                }
            }
        }
        Ok(())
    }

    /// How a collider is parked; `None` for one that is not.
    ///
    /// # Errors
    /// A slot that is not in use.
    pub fn parking(&self, slot: u32) -> Result<Option<Parking>, BroadPhaseError> {
        match self.parked.get(&slot) {
            Some(parked) => Ok(Some(parked.how)),
            None => self.proxy_of(slot).map(|_| None),
        }
    }

    /// Sets the box of a collider that is out; whether it was one.
    pub(crate) fn set_parked_box(&mut self, slot: u32, aabb: &Aabb) -> bool {
        let margin = self.settings.margin;
        match self.parked.get_mut(&slot) {
            Some(parked) if parked.how == Parking::Out => {
                let grown = |margin: Margin| margin.first(aabb, slot);
                parked.aabb = margin.filter(|_| !parked.filter.is_static).map_or(*aabb, grown);
                true
            }
            _ => false,
        }
    }
}

/// Parked colliders of one kind, to be taken into use when they are needed: trees near a vehicle,
/// shells of a gun. The lowest slot comes first, so that the choice does not depend on the past.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Filter, Parking, Pool};
/// use impinge_geometry::Aabb;
///
/// let cube = |x: f32| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
/// let mut broad_phase = BroadPhase::default();
/// broad_phase.insert(&[(0, cube(0.0), Filter::default()), (1, cube(9.0), Filter::default())])?;
/// let mut trees = Pool::default();
/// trees.give(&mut broad_phase, 1, Parking::Out)?;
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

    /// Parks a collider and puts it into the pool.
    ///
    /// # Errors
    /// As [`BroadPhase::park`].
    pub fn give(
        &mut self,
        broad_phase: &mut BroadPhase,
        slot: u32,
        how: Parking,
    ) -> Result<(), BroadPhaseError> {
        broad_phase.park(&[slot], how)?;
        self.slots.insert(slot);
        Ok(())
    }

    /// Takes a collider out of the pool and brings it back with a box (m); `None` if none is left.
    ///
    /// # Errors
    /// A box with NaN or a minimum above its maximum, or a collider that was brought back or removed
    /// behind the pool's back. The pool is as it was then.
    pub fn take(&mut self, broad_phase: &mut BroadPhase, aabb: Aabb) -> Result<Option<u32>, BroadPhaseError> {
        let Some(&slot) = self.slots.first() else { return Ok(None) };
        if broad_phase.parking(slot)?.is_none() {
            return Err(BroadPhaseError::NotParked { slot });
        }
        broad_phase.set_aabb(slot, aabb)?;
        broad_phase.unpark(&[slot])?;
        self.slots.remove(&slot);
        Ok(Some(slot))
    }
}
