//! Meshes on the device: uploaded once, and again only what has changed.
//!
//! All stand in one buffer of words. A mesh is the boxes of its triangles and its vertices (three floats each) and, apart from them,
//! how its triangles hang together: where each leaf of its tree starts, three vertices for every triangle, leaf
//! after leaf, where in this order each triangle is, and the lists of its boxes. A new revision of a deforming mesh shares the second
//! and brings the first alone. Patches of height fields and level sets stand there for one step each; their places are given to those of the next.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use impinge_geometry::TriMesh;
use impinge_midphase::{ObbTree, Surface};

use crate::mesh_boxes;
use crate::surface_patch::SurfacePatch;

/// Where a mesh stands in the buffer (words). Before its vertices are its boxes, after the slots the boxes' lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeshPlace {
    pub vertices: u32,
    pub starts: u32,
    pub corners: u32,
    pub slots: u32,
}

/// How triangles hang together.
#[derive(Debug)]
struct Layout {
    at: u32,
    /// Words of the starts; the corners follow, and then the slots.
    starts: u32,
    corners: u32,
    words: Vec<u32>,
}

/// A mesh that was uploaded. The weak handles keep the addresses from being given to others.
#[derive(Debug)]
struct Entry {
    mesh: Weak<TriMesh>,
    tree: Weak<ObbTree>,
    place: MeshPlace,
    layout: usize,
    /// Words of its boxes and vertices, and of the boxes alone.
    own: usize,
    boxes: usize,
}

/// The meshes on the device, and what is yet to be written.
#[derive(Debug, Default)]
pub(crate) struct MeshStore {
    entries: BTreeMap<(usize, usize), Entry>,
    layouts: Vec<Layout>,
    /// Words in use.
    words: u32,
    /// Words that belong to meshes that are gone.
    dead: u32,
    /// Words to write, and where each piece of them goes: word of the buffer, range of `fresh`.
    fresh: Vec<u32>,
    writes: Vec<(u32, std::ops::Range<usize>)>,
    /// Words of the patches of this step, and places that are free, each as its first word and one past its last.
    patches: Vec<[u32; 2]>,
    free: Vec<[u32; 2]>,
}

/// Fewer dead words than this are not worth a new start.
const WASTE: u32 = 1 << 20;

impl MeshStore {
    /// Begins a step: where most of the buffer belongs to meshes that are gone, all is restarted.
    pub fn begin(&mut self) {
        if self.dead > WASTE && self.dead > self.words / 2 {
            *self = MeshStore::default();
        }
        self.free.append(&mut self.patches);
        self.free.sort_unstable();
        self.free.dedup_by(|next, own| {
            let joined = own[1] == next[0];
            if joined {
                own[1] = next[1];
            }
            joined
        });
        if let Some(last) = self.free.pop_if(|last| last[1] == self.words) {
            self.words = last[0];
        }
    }

    /// Words in use, those yet to be written among them.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// What is yet to be written: word of the buffer, and the words.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.writes.iter().map(|(at, range)| (*at, &self.fresh[range.clone()]))
    }

    /// All that was pending is written.
    pub fn written(&mut self) {
        self.fresh.clear();
        self.writes.clear();
    }

    /// Where a surface stands; it is made ready to be written if it is new. `None` where the buffer
    /// would hold more than `most` words, or the surface is no mesh.
    pub fn place(&mut self, surface: &Surface, most: u32) -> Option<MeshPlace> {
        let mesh = surface.mesh()?;
        let key = (Arc::as_ptr(mesh) as usize, Arc::as_ptr(&surface.tree) as usize);
        if let Some(entry) = self.entries.get(&key) {
            return Some(entry.place);
        }
        let order = leaf_order(&surface.tree);
        let boxes = mesh_boxes::words(order.len());
        let own = boxes + 3 * mesh.vertices().len();
        let words = layout_words(mesh.triangles(), &leaf_starts(&surface.tree), &order);
        let starts = surface.tree.leaf_count() + 1;
        let known = self.layouts.iter().position(|l| l.words == words);
        let need = own + if known.is_some() { 0 } else { words.len() };
        let revision = known.and_then(|layout| self.superseded(layout, own));
        let at = match revision {
            Some(at) => at,
            None if u64::from(self.words) + need as u64 > u64::from(most) => return None,
            None => {
                let at = self.words;
                self.words += own as u32;
                at
            }
        };
        let layout = known.unwrap_or_else(|| {
            let at = self.words;
            self.words += words.len() as u32;
            self.write(at, words.iter().copied());
            let corners = 3 * surface.tree.triangle_count() as u32;
            self.layouts.push(Layout { at, starts: starts as u32, corners, words });
            self.layouts.len() - 1
        });
        let vertices = mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z].map(f32::to_bits));
        let of_boxes = mesh_boxes::boxes(mesh.vertices(), mesh.triangles(), &order);
        self.write(at, of_boxes.into_iter().chain(vertices));
        let Layout { at: from, starts, corners, .. } = self.layouts[layout];
        let (vertices, slots) = (at + boxes as u32, from + starts + corners);
        let place = MeshPlace { vertices, starts: from, corners: from + starts, slots };
        let (mesh, tree) = (Arc::downgrade(mesh), Arc::downgrade(&surface.tree));
        self.entries.insert(key, Entry { mesh, tree, place, layout, own, boxes });
        Some(place)
    }

    /// Where a patch stands in this step; `None` where the buffer would hold more than `most` words.
    pub fn place_patch(&mut self, patch: &SurfacePatch, most: u32) -> Option<MeshPlace> {
        let order: Vec<u32> = (0..patch.triangles.len() as u32).collect();
        let mut words = mesh_boxes::boxes(&patch.vertices, &patch.triangles, &order);
        let vertices = words.len() as u32;
        words.extend(patch.vertices.iter().flat_map(|v| [v.x, v.y, v.z].map(f32::to_bits)));
        let starts = words.len() as u32;
        words.extend(layout_words(&patch.triangles, &patch.starts, &order));
        let need = u32::try_from(words.len()).ok()?;
        let at = match self.free.iter().position(|[from, to]| to - from >= need) {
            Some(place) => {
                let at = self.free[place][0];
                self.free[place][0] += need;
                self.free.retain(|[from, to]| from < to);
                at
            }
            None if u64::from(self.words) + u64::from(need) > u64::from(most) => return None,
            None => {
                self.words += need;
                self.words - need
            }
        };
        self.patches.push([at, at + need]);
        self.write(at, words.into_iter());
        let (vertices, starts) = (at + vertices, at + starts);
        let corners = starts + patch.starts.len() as u32;
        Some(MeshPlace { vertices, starts, corners, slots: corners + 3 * order.len() as u32 })
    }

    /// The place of the boxes and vertices of a mesh of this layout that is gone: the next revision takes it.
    fn superseded(&mut self, layout: usize, own: usize) -> Option<u32> {
        let gone = |e: &Entry| e.mesh.strong_count() == 0 || e.tree.strong_count() == 0;
        let key = self
            .entries
            .iter()
            .find(|(_, e)| e.layout == layout && e.own == own && gone(e))
            .map(|(key, _)| *key)?;
        self.entries.remove(&key).map(|entry| entry.place.vertices - entry.boxes as u32)
    }

    /// Counts what belongs to meshes that are gone.
    pub fn count_dead(&mut self) {
        let gone = self.entries.values().filter(|e| e.mesh.strong_count() == 0);
        self.dead = gone.map(|e| e.own as u32).sum();
        for (index, layout) in self.layouts.iter().enumerate() {
            let alive = self.entries.values().any(|e| e.layout == index && e.mesh.strong_count() > 0);
            self.dead += if alive { 0 } else { layout.words.len() as u32 };
        }
    }

    fn write(&mut self, at: u32, words: impl Iterator<Item = u32>) {
        let from = self.fresh.len();
        self.fresh.extend(words);
        self.writes.push((at, from..self.fresh.len()));
    }
}

/// The triangles, leaf after leaf.
fn leaf_order(tree: &ObbTree) -> Vec<u32> {
    (0..tree.leaf_count() as u32).flat_map(|leaf| tree.leaf_triangles(leaf)).collect()
}

/// Where the triangles of each leaf begin in that order, and one more.
fn leaf_starts(tree: &ObbTree) -> Vec<u32> {
    let ends = (0..tree.leaf_count() as u32).scan(0, |end, leaf| {
        *end += tree.leaf_triangles(leaf).len() as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The starts of the leaves and one more, counted in triangles; three vertices for each triangle, leaf after
/// leaf; for each triangle of the mesh its place in this order; and the lists of boxes.
fn layout_words(triangles: &[[u32; 3]], starts: &[u32], order: &[u32]) -> Vec<u32> {
    let mut words = Vec::with_capacity(starts.len() + 7 * order.len() + triangles.len());
    words.extend_from_slice(starts);
    words.extend(order.iter().flat_map(|triangle| triangles[*triangle as usize]));
    let slots = words.len();
    words.resize(slots + triangles.len(), 0);
    for (slot, triangle) in order.iter().enumerate() {
        words[slots + *triangle as usize] = slot as u32;
    }
    mesh_boxes::push_lists(triangles, order, &mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    const WORDS: u32 = 12 + 12 + (2 + 12 + 4) + (4 + 4 + 2 + 4);

    fn surface(height: f32) -> Surface {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, height]];
        let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let mesh = TriMesh::new(corners.map(Point3::from).to_vec(), faces).unwrap();
        let tree = ObbTree::build(&mesh);
        Surface::of_mesh(Arc::new(mesh), Arc::new(tree))
    }

    #[test]
    fn a_mesh_is_written_once_and_a_new_revision_writes_its_vertices_alone() {
        let mut store = MeshStore::default();
        let first = surface(1.0);
        let place = store.place(&first, 1000).unwrap();
        // One wide box, one box and four vertices; one leaf of four triangles: two starts, twelve corners and four slots; four names and packed
        // corners, two starts of lists and four vertices in them.
        assert_eq!(store.words(), WORDS);
        assert_eq!(store.pending().map(|(_, words)| words.len()).sum::<usize>(), WORDS as usize);
        store.written();
        assert_eq!(store.place(&first, 1000), Some(place));
        assert_eq!(store.pending().count(), 0);

        let mesh = first.mesh().unwrap();
        let moved: Vec<_> = mesh.vertices().iter().map(|v| v * 2.0).collect();
        let moved = Arc::new(mesh.with_vertices(moved).unwrap());
        let second = Surface::of_mesh(moved, Arc::clone(&first.tree));
        drop(first);
        assert_eq!(store.place(&second, 1000), Some(place));
        let written: Vec<_> = store.pending().map(|(at, words)| (at, words.len())).collect();
        assert_eq!(written, [(place.vertices - 12, 12 + 12)]);
        assert_eq!(store.words(), WORDS);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut store = MeshStore::default();
        assert_eq!(store.place(&surface(1.0), WORDS - 1), None);
        assert_eq!((store.words(), store.pending().count()), (0, 0));
    }

    #[test]
    fn a_buffer_full_of_meshes_that_are_gone_is_begun_anew() {
        let mut store = MeshStore { dead: WASTE + 1, words: WASTE + 2, ..MeshStore::default() };
        store.begin();
        assert_eq!(store.words(), 0);
        store.place(&surface(1.0), 1000);
        store.count_dead();
        assert_eq!(store.dead, WORDS);
    }
}
