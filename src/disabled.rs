//! Colliders that take part in nothing for a while, and pools of them.

use std::collections::BTreeSet;

use impinge_broadphase::{BroadPhaseError, Disabling};
use impinge_geometry::ColliderId;
use nalgebra::Isometry3;

use crate::{World, WorldError};

impl World {
    /// Disables colliders: with the next step their pairs and contacts end, and until they are enabled they
    /// have none and no question finds them. They keep their names, and may be moved and changed meanwhile.
    ///
    /// # Errors
    /// A collider that is not in this world, is disabled already, or is named twice. Nothing has changed
    /// then.
    pub fn disable(&mut self, ids: &[ColliderId], how: Disabling) -> Result<(), WorldError> {
        let slots = self.slots_of(ids)?;
        self.state.broadphase.disable(&slots, how).map_err(|error| named(error, ids))
    }

    /// Enables disabled colliders, where they stand now.
    ///
    /// # Errors
    /// A collider that is not in this world, is not disabled, or is named twice. Nothing has changed then.
    pub fn enable(&mut self, ids: &[ColliderId]) -> Result<(), WorldError> {
        let slots = self.slots_of(ids)?;
        self.state.broadphase.enable(&slots).map_err(|error| named(error, ids))
    }

    /// How a collider is disabled; `None` for one that is not.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn disabling(&self, id: ColliderId) -> Result<Option<Disabling>, WorldError> {
        self.state.collider(id)?;
        self.state.broadphase.disabling(id.index).map_err(|_| WorldError::UnknownCollider { id })
    }

    fn slots_of(&self, ids: &[ColliderId]) -> Result<Vec<u32>, WorldError> {
        ids.iter().map(|id| self.state.collider(*id).map(|_| id.index)).collect()
    }
}

/// The error of the broad phase, in the names of the world.
fn named(error: BroadPhaseError, ids: &[ColliderId]) -> WorldError {
    let id_of = |slot: u32| {
        let id = ids.iter().find(|id| id.index == slot);
        id.copied().unwrap_or(ColliderId { index: slot, generation: 0 })
    };
    match error {
        BroadPhaseError::Disabled { slot } => WorldError::Disabled { id: id_of(slot) },
        BroadPhaseError::NotDisabled { slot } => WorldError::NotDisabled { id: id_of(slot) },
        BroadPhaseError::DuplicateSlot { slot } => WorldError::NamedTwice { id: id_of(slot) },
        other => WorldError::Boxes(other),
    }
}

/// Disabled colliders of one kind, to be taken into use where they are needed: trees near a vehicle, shells
/// of a gun. The lowest name comes first, so that the choice does not depend on the past.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::{ColliderPool, Disabling};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().backend(Backend::Cpu).build()?;
/// let trunk = world.add_shape(Shape::cuboid([0.3, 0.3, 4.0])?)?;
/// let mut trees = ColliderPool::default();
/// for _ in 0..20 {
///     let tree = world.add_collider(Collider::new(trunk).fixed(true))?;
///     trees.give(&mut world, tree, Disabling::Removed)?;
/// }
/// let car = world.add_shape(Shape::cuboid([2.0, 1.0, 1.0])?)?;
/// world.add_collider(Collider::new(car))?;
/// assert_eq!(world.step().counts.pairs, 0);
///
/// let tree = trees.take(&mut world, &Isometry3::translation(1.1, 0.0, 0.0))?.ok_or("no tree left")?;
/// assert_eq!(world.step().counts.touching, 1);
/// trees.give(&mut world, tree, Disabling::Removed)?;
/// assert_eq!(world.step().counts.touching, 0);
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

    /// Disables a collider and puts it into the pool.
    ///
    /// # Errors
    /// As [`World::disable`].
    pub fn give(&mut self, world: &mut World, id: ColliderId, how: Disabling) -> Result<(), WorldError> {
        world.disable(&[id], how)?;
        self.ids.insert(id);
        Ok(())
    }

    /// Takes a collider out of the pool and enables it at a pose (m); `None` if none is left.
    ///
    /// # Errors
    /// A pose that cannot be used, or a collider that was removed or enabled behind the pool's back.
    /// The pool is as it was then.
    pub fn take(
        &mut self,
        world: &mut World,
        pose: &Isometry3<f64>,
    ) -> Result<Option<ColliderId>, WorldError> {
        let Some(&id) = self.ids.first() else { return Ok(None) };
        if world.disabling(id)?.is_none() {
            return Err(WorldError::NotDisabled { id });
        }
        world.set_pose(id, *pose)?;
        world.enable(&[id])?;
        self.ids.remove(&id);
        Ok(Some(id))
    }
}
