//! A tree over a mesh of which a few vertices move or a few triangles are taken out.
//!
//! Boxes above many triangles grow by what has moved, and never shrink: a tree that this leaves loose is built again
//! ([`ObbTree::wants_rebuild`]). Boxes above few triangles are fitted.

use impinge_geometry::{FacesRef, TriMesh};

use super::covariance::dot;
use super::fit::{around, fit};
use super::node::{Below, OrientedBox, Summary};
use super::refit::{areas, leaf_ranges, leaves_below};
use super::tree_vertices::TreeVertices;
use super::{GONE, ObbTree, Violation};

/// Boxes above no more triangles than this are fitted to them.
const FEW: usize = 64;

impl ObbTree {
    /// Brings the boxes above some triangles, whose vertices have moved, up to date. `mesh` has the triangles that the tree was built over, with
    /// the same ids.
    ///
    /// # Errors
    /// [`Violation::TriangleCount`] if the mesh has another number of triangles; the tree is then as it was.
    pub fn refit_some(&mut self, mesh: &TriMesh, moved: &[u32]) -> Result<(), Violation> {
        let (tree, count) =
            (self.triangle_count(), mesh.triangles().len() - mesh.removed_triangles() as usize);
        if tree != count {
            return Err(Violation::TriangleCount { tree, mesh: count });
        }
        self.know_places(mesh);
        if self.areas.is_none() {
            self.areas = Some(areas(&self.nodes));
        }
        let mut leaves: Vec<(u32, u32)> =
            moved.iter().map(|&triangle| (self.leaf_of(triangle), triangle)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        self.refit_below(0, mesh, &leaves);
        for leaf in leaves.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0) {
            let [start, end] = self.leaf_places[leaf as usize].map(|place| place as usize);
            self.leaves.fill_one(mesh, leaf, &self.triangles[start..end], start);
        }
        self.reach = super::build::reach(mesh);
        Ok(())
    }

    /// Fits what stands in and below a node to triangles that have moved, each with its leaf, sorted by leaf.
    fn refit_below(&mut self, node: u32, mesh: &TriMesh, mut moved: &[(u32, u32)]) {
        for lane in 0..self.nodes[node as usize].len() {
            let child = self.nodes[node as usize].child[lane];
            let leaves = leaves_below(child, &self.ranges);
            let own;
            (own, moved) = moved.split_at(moved.partition_point(|(leaf, _)| *leaf < leaves[1]));
            if own.is_empty() {
                continue;
            }
            let held = &self.triangles[self.range_of(leaves)];
            let is = self.nodes[node as usize].get(lane);
            let fitted = if held.len() > FEW {
                grown(mesh, &is, own)
            } else if self.gaps > 0 {
                let left: Vec<u32> = held.iter().copied().filter(|&triangle| triangle != GONE).collect();
                fit(mesh, &left, is.axes)
            } else {
                fit(mesh, held, is.axes)
            };
            self.nodes[node as usize].set(lane, &fitted);
            if let Some(areas) = self.areas.as_mut().filter(|_| node > 0) {
                *areas += fitted.area() - is.area();
            }
            if let Below::Node(below) = child.below() {
                self.refit_below(below, mesh, own);
            }
        }
        self.summaries[node as usize] = Summary::new(&self.nodes[node as usize]);
    }

    /// Finds where each triangle stands, and the leaves of every node.
    fn know_places(&mut self, mesh: &TriMesh) {
        if self.ranges.is_empty() {
            self.ranges = leaf_ranges(&self.nodes);
        }
        if self.places.is_empty() {
            self.places = vec![0; mesh.triangles().len()];
            for (place, &triangle) in (0..).zip(&self.triangles).filter(|(_, triangle)| **triangle != GONE) {
                self.places[triangle as usize] = place;
            }
        }
    }

    /// The leaf that a triangle is in.
    fn leaf_of(&self, triangle: u32) -> u32 {
        let place = self.places[triangle as usize];
        self.leaf_places.partition_point(|[start, _]| *start <= place) as u32 - 1
    }

    /// Takes triangles out that were taken out of the mesh that the tree was built over; those that it does not have are passed over. Boxes stay as
    /// they are; leaves may be left empty.
    pub fn take_out(&mut self, mesh: &TriMesh, triangles: &[u32]) {
        self.know_places(mesh);
        for &triangle in triangles {
            let leaf = self.leaf_of(triangle);
            let [start, end] = self.leaf_places[leaf as usize].map(|place| place as usize);
            let Some(at) = self.triangles[start..end].iter().position(|&own| own == triangle) else {
                continue;
            };
            self.triangles[start + at..end].rotate_left(1);
            self.triangles[end - 1] = GONE;
            for (place, &left) in (start..end - 1).zip(&self.triangles[start..]) {
                self.places[left as usize] = place as u32;
            }
            self.leaf_places[leaf as usize][1] -= 1;
            self.gaps += 1;
            self.leaves.fill_one(mesh, leaf, &self.triangles[start..end - 1], start);
        }
        // A refit finds them again.
        self.vertices = TreeVertices::default();
    }

    /// Takes all triangles out that were taken out of the mesh that the tree was built over.
    pub fn remove_missing(&mut self, mesh: &TriMesh) {
        let faces = FacesRef::from(mesh);
        let gone = |triangle: &u32| *triangle != GONE && !faces.has_triangle(*triangle);
        let missing: Vec<u32> = self.triangles.iter().copied().filter(gone).collect();
        self.take_out(mesh, &missing);
    }

    /// Has the triangles of each leaf stand right behind those of the leaf before, and their rows, too.
    pub(super) fn close_gaps(&mut self) {
        if self.gaps == 0 {
            return;
        }
        let mut kept = 0;
        for range in &mut self.leaf_places {
            let [start, end] = range.map(|place| place as usize);
            self.triangles.copy_within(start..end, kept);
            self.leaves.shift(start..end, kept);
            *range = [kept as u32, (kept + end - start) as u32];
            kept += end - start;
        }
        self.triangles.truncate(kept);
        self.leaves.truncate(kept);
        self.gaps = 0;
        self.places.clear();
    }
}

/// A box grown to hold the corners of triangles where they are now.
fn grown(mesh: &TriMesh, own: &OrientedBox, triangles: &[(u32, u32)]) -> OrientedBox {
    let axes = own.axes.map(|axis| axis.map(f64::from));
    let center = own.center.map(f64::from);
    let (mut low, mut high): ([f64; 3], [f64; 3]) = Default::default();
    for i in 0..3 {
        let middle = dot(axes[i], center);
        (low[i], high[i]) = (middle - f64::from(own.half[i]), middle + f64::from(own.half[i]));
    }
    let mut holds = true;
    for &(_, triangle) in triangles {
        for corner in mesh.corners(triangle) {
            let x = [f64::from(corner.x), f64::from(corner.y), f64::from(corner.z)];
            for i in 0..3 {
                let at = dot(axes[i], x);
                let from_center = dot(axes[i], std::array::from_fn(|k| x[k] - center[k])).abs();
                holds &= from_center <= f64::from(own.half[i]);
                (low[i], high[i]) = (low[i].min(at), high[i].max(at));
            }
        }
    }
    if holds { *own } else { around(own.axes, low, high) }
}
