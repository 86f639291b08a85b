//! The manifolds of the last step, all of them, by collider and by pair.

use std::sync::OnceLock;

use impinge_contacts::Manifold;
use impinge_geometry::ColliderId;

use crate::{World, WorldError};

/// The indices of all manifolds by their second collider, then index; sorted when first asked for. (By their
/// first collider manifolds are sorted already.)
#[derive(Debug, Default)]
pub(crate) struct SecondSides(OnceLock<Vec<u32>>);

impl SecondSides {
    fn of(&self, manifolds: &[Manifold], id: ColliderId) -> &[u32] {
        let second = |index: &u32| manifolds[*index as usize].colliders[1];
        let sorted = self.0.get_or_init(|| {
            let mut indices: Vec<u32> = (0..manifolds.len() as u32).collect();
            indices.sort_by_key(second);
            indices
        });
        let from = sorted.partition_point(|index| second(index) < id);
        let to = sorted.partition_point(|index| second(index) <= id);
        &sorted[from..to]
    }
}

impl World {
    /// The contacts that the last step found, in the order of the colliders' slots.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.state.manifolds
    }

    /// The pairs of which a part of one shape was edited within the reach of the other ([`World::edit_levels`], [`World::set_heights`]) before the last step,
    /// and which were therefore asked again, and all pairs of meshes whose vertices were set ([`World::set_vertices`]) where boxes overlap; those, too, whose boxes
    /// overlapped until such a change parted them. In the order of the colliders' slots. A simulator wakes the bodies among them that sleep.
    pub fn edited_pairs(&self) -> &[[ColliderId; 2]] {
        &self.state.edited_pairs
    }

    /// The contacts of one collider, in the order of [`World::manifolds`].
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn manifolds_of(&self, id: ColliderId) -> Result<impl Iterator<Item = &Manifold>, WorldError> {
        let state = &*self.state;
        state.collider(id)?;
        let all = &state.manifolds;
        // Where it is the second of a pair, the first has a lower slot.
        let second = state.second_sides.of(all, id).iter().map(|&index| &all[index as usize]);
        let from = all.partition_point(|m| m.colliders[0] < id);
        let to = all.partition_point(|m| m.colliders[0] <= id);
        Ok(second.chain(&all[from..to]))
    }

    /// The contacts between two colliders, given in either order; none where they do not touch.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn manifolds_between(&self, a: ColliderId, b: ColliderId) -> Result<&[Manifold], WorldError> {
        let state = &*self.state;
        state.collider(a)?;
        state.collider(b)?;
        let pair = if a.index < b.index { [a, b] } else { [b, a] };
        let all = &state.manifolds;
        let from = all.partition_point(|m| m.colliders < pair);
        let to = all.partition_point(|m| m.colliders <= pair);
        Ok(&all[from..to])
    }
}
