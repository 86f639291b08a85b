//! The table of pair materials: coefficients of a contact that do not follow from its two materials.

use crate::{CombineRules, Material, MaterialError, PairMaterial};

/// How two materials act together: an entry for the pair of their kinds where there is one, else the
/// rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialTable {
    rules: CombineRules,
    /// Sorted by kinds, the lesser first.
    entries: Vec<([u32; 2], PairMaterial)>,
}

impl MaterialTable {
    /// A table without entries.
    pub fn new(rules: CombineRules) -> MaterialTable {
        MaterialTable { rules, entries: Vec::new() }
    }

    /// The rules for pairs that have no entry.
    pub fn rules(&self) -> &CombineRules {
        &self.rules
    }

    /// Sets what a contact of kinds `a` and `b` ([`Material::kind`]; the order does not matter, and they
    /// may be the same) is like, whatever their own coefficients say. The entry that was there before is
    /// given back.
    ///
    /// # Errors
    /// [`MaterialError`] for a coefficient that is negative or not finite, or kind 0, which names nothing.
    pub fn set(
        &mut self,
        a: u32,
        b: u32,
        material: PairMaterial,
    ) -> Result<Option<PairMaterial>, MaterialError> {
        if a == 0 || b == 0 {
            return Err(MaterialError::NoKind);
        }
        let material = material.checked()?;
        Ok(match self.find(a, b) {
            Ok(at) => Some(std::mem::replace(&mut self.entries[at].1, material)),
            Err(at) => {
                self.entries.insert(at, (sorted(a, b), material));
                None
            }
        })
    }

    /// Removes the entry of kinds `a` and `b` and gives it back.
    pub fn remove(&mut self, a: u32, b: u32) -> Option<PairMaterial> {
        self.find(a, b).ok().map(|at| self.entries.remove(at).1)
    }

    /// The entry of kinds `a` and `b`.
    pub fn get(&self, a: u32, b: u32) -> Option<&PairMaterial> {
        self.find(a, b).ok().map(|at| &self.entries[at].1)
    }

    /// The coefficients of a contact between `a` and `b`; the order does not matter.
    pub fn combine(&self, a: &Material, b: &Material) -> PairMaterial {
        let entry = if self.entries.is_empty() { None } else { self.get(a.kind, b.kind) };
        entry.copied().unwrap_or_else(|| self.rules.combine(a, b))
    }

    fn find(&self, a: u32, b: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&sorted(a, b), |(kinds, _)| *kinds)
    }
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
