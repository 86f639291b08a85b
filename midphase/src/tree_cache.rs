//! One tree for every mesh, however many shapes are made of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use impinge_geometry::{SimdLevel, TriMesh};

use crate::ObbTree;

/// Remembers the trees of meshes for as long as something else holds both mesh and tree.
#[derive(Debug, Default)]
pub struct TreeCache {
    /// By the mesh's address. It cannot be taken by another mesh while the entry's `Weak` lives.
    trees: BTreeMap<usize, (Weak<TriMesh>, Weak<ObbTree>)>,
    /// How many entries there may be before the dead ones are dropped.
    sweep_at: usize,
    simd: SimdLevel,
}

impl TreeCache {
    /// A cache whose trees are searched with these instructions, see [`ObbTree::simd`].
    pub fn with_simd(simd: SimdLevel) -> TreeCache {
        TreeCache { simd, ..TreeCache::default() }
    }

    /// The instructions of [`TreeCache::with_simd`].
    pub(crate) fn simd(&self) -> SimdLevel {
        self.simd
    }

    /// The tree over `mesh`, built if no shape has it yet.
    pub fn tree(&mut self, mesh: &Arc<TriMesh>) -> Arc<ObbTree> {
        let address = Arc::as_ptr(mesh) as usize;
        if let Some(tree) = self.trees.get(&address).and_then(|(_, tree)| tree.upgrade()) {
            return tree;
        }
        let mut tree = ObbTree::build(mesh);
        tree.set_simd(self.simd);
        let tree = Arc::new(tree);
        self.trees.insert(address, (Arc::downgrade(mesh), Arc::downgrade(&tree)));
        if self.trees.len() > self.sweep_at {
            self.trees.retain(|_, (_, tree)| tree.strong_count() > 0);
            self.sweep_at = 2 * self.trees.len().max(32);
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn triangle() -> Arc<TriMesh> {
        let p = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
        Arc::new(TriMesh::new(p.to_vec(), vec![[0, 1, 2]]).expect("one triangle"))
    }

    #[test]
    fn shapes_of_one_mesh_share_one_tree_and_no_tree_outlives_them() {
        let (mesh, twin) = (triangle(), triangle());
        let mut cache = TreeCache::default();
        let first = cache.tree(&mesh);
        assert!(Arc::ptr_eq(&first, &cache.tree(&mesh)));
        assert!(!Arc::ptr_eq(&first, &cache.tree(&twin)));
        let held = Arc::downgrade(&first);
        drop(first);
        assert!(held.upgrade().is_none());
    }
}
