//! Materials of pairs: how two kinds act together.

use impinge_contacts::{MaterialTable, PairMaterial};

use crate::{World, WorldError};

impl World {
    /// Sets what a contact between materials of kinds `a` and `b`
    /// ([`Material::kind`](crate::Material::kind); the order does not matter, and they may be the same) is
    /// like, whatever their own coefficients say; the rules
    /// ([`combine_rules`](crate::WorldBuilder::combine_rules)) go on to decide all other pairs. The entry
    /// that was there before is given back. It acts from the next [`World::solve`] on.
    ///
    /// # Errors
    /// [`WorldError::Material`] for a coefficient that is negative or not finite, or a kind 0.
    pub fn set_pair_material(
        &mut self,
        a: u32,
        b: u32,
        material: PairMaterial,
    ) -> Result<Option<PairMaterial>, WorldError> {
        Ok(self.materials.set(a, b, material)?)
    }

    /// Removes the entry of materials of kinds `a` and `b`, and gives it back.
    pub fn remove_pair_material(&mut self, a: u32, b: u32) -> Option<PairMaterial> {
        self.materials.remove(a, b)
    }

    /// How two materials act together in this world.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }
}
