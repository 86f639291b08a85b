//! The shells of a level set, as they are stored.

use std::collections::BTreeMap;

/// Several shells pass a block.
pub(super) const SEVERAL: u32 = u32::MAX;
/// No shell does.
pub(super) const NONE: u32 = u32::MAX - 1;

/// The shells.
#[derive(Clone, Debug, Default)]
pub(super) struct ShellList {
    /// Of each, one vertex.
    pub vertices: Vec<u32>,
    /// Of each, one triangle.
    pub triangles: Vec<u32>,
    /// Of every block of level 0 the shell that passes it; empty where there is one in all.
    pub blocks: Vec<u32>,
    /// In blocks that several pass: of each tetrahedron its shell.
    pub mixed: BTreeMap<u32, u32>,
}

impl ShellList {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let lists = self.vertices.capacity() + self.triangles.capacity() + self.blocks.capacity();
        lists * size_of::<u32>() + self.mixed.len() * 2 * size_of::<u32>()
    }
}
