//! Colliders that take part in nothing for a while, and pools of them.

use std::collections::BTreeSet;

use impinge_broadphase::{BroadPhaseError, Disabling as Parking};
use impinge_geometry::ColliderId;
use nalgebra::Isometry3;

use crate::{World, WorldError};

impl World {
    /// Parks colliders: with the next step their pairs and contacts end, and until they come back they
    /// have none and no question finds them. They keep their names, and may be moved meanwhile.
    /// [`Parking::InPlace`] is cheap both ways and costs what a collider costs; [`Parking::Removed`] costs an
    /// insertion to end and nothing while it lasts.
    ///
    /// # Errors
    /// A collider that is not in this world, is parked already, or is named twice. Nothing has changed
    /// then.
    pub fn park(&mut self, ids: &[ColliderId], how: Parking) -> Result<(), WorldError> {
        let slots = self.slots_of(ids)?;
        self.broadphase.disable(&slots, how).map_err(|error| parking_error(error, ids))
    }

    /// Brings parked colliders back, where they stand now.
    ///
    /// # Errors
    /// A collider that is not in this world, is not parked, or is named twice. Nothing has changed then.
    pub fn unpark(&mut self, ids: &[ColliderId]) -> Result<(), WorldError> {
        let slots = self.slots_of(ids)?;
        self.broadphase.enable(&slots).map_err(|error| parking_error(error, ids))
    }

    /// How a collider is parked; `None` for one that is not.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn parking(&self, id: ColliderId) -> Result<Option<Parking>, WorldError> {
        let slots = self.slots_of(&[id])?;
        self.broadphase.disabling(slots[0]).map_err(|_| WorldError::UnknownCollider { id })
    }

    fn slots_of(&self, ids: &[ColliderId]) -> Result<Vec<u32>, WorldError> {
        let known = |id: &ColliderId| self.colliders.get(id.index, id.generation).map(|_| id.index);
        ids.iter().map(|id| known(id).ok_or(WorldError::UnknownCollider { id: *id })).collect()
    }
}

fn parking_error(error: BroadPhaseError, ids: &[ColliderId]) -> WorldError {
    let named = |slot: u32| {
        let id = ids.iter().find(|id| id.index == slot);
        id.copied().unwrap_or(ColliderId { index: slot, generation: 0 })
    };
    match error {
        BroadPhaseError::Disabled { slot } => WorldError::Parked { id: named(slot) },
        BroadPhaseError::NotDisabled { slot } => WorldError::NotParked { id: named(slot) },
        BroadPhaseError::DuplicateSlot { slot } => WorldError::NamedTwice { id: named(slot) },
        other => WorldError::Boxes(other),
    }
}

/// Parked colliders of one kind, to be taken into use where they are needed: trees near a vehicle,
/// shells of a gun. The lowest name comes first, so that the choice does not depend on the past.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::{ColliderPool, Parking};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().backend(Backend::Cpu).build()?;
/// let trunk = world.add_shape(Shape::cuboid([0.3, 0.3, 4.0])?)?;
/// let mut trees = ColliderPool::default();
/// for _ in 0..20 {
///     let tree = world.add_collider(Collider::new(trunk).fixed(true))?;
///     trees.give(&mut world, tree, Parking::Removed)?;
/// }
/// let car = world.add_shape(Shape::cuboid([2.0, 1.0, 1.0])?)?;
/// world.add_collider(Collider::new(car))?;
/// assert_eq!(world.step()?.counts.pairs, 0);
///
/// let tree = trees.take(&mut world, &Isometry3::translation(1.1, 0.0, 0.0))?.ok_or("no tree left")?;
/// assert_eq!(world.step()?.counts.touching, 1);
/// trees.give(&mut world, tree, Parking::Removed)?;
/// assert_eq!(world.step()?.counts.touching, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ColliderPool {
    ids: BTreeSet<ColliderId>,
}

impl ColliderPool {
    /// Colliders in the pool.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Parks a collider and puts it into the pool.
    ///
    /// # Errors
    /// As [`World::park`].
    pub fn give(&mut self, world: &mut World, id: ColliderId, how: Parking) -> Result<(), WorldError> {
        world.park(&[id], how)?;
        self.ids.insert(id);
        Ok(())
    }

    /// Takes a collider out of the pool and brings it back at a pose (m); `None` if none is left.
    ///
    /// # Errors
    /// A pose that cannot be used, or a collider that was removed or brought back behind the pool's back.
    /// The pool is as it was then.
    pub fn take(
        &mut self,
        world: &mut World,
        pose: &Isometry3<f64>,
    ) -> Result<Option<ColliderId>, WorldError> {
        let Some(&id) = self.ids.first() else { return Ok(None) };
        if world.parking(id)?.is_none() {
            return Err(WorldError::NotParked { id });
        }
        world.set_pose(id, *pose)?;
        world.unpark(&[id])?;
        self.ids.remove(&id);
        Ok(Some(id))
    }
}
