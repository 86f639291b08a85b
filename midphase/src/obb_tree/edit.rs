//! A tree over a mesh of which a few vertices move or a few triangles are taken out.
//!
//! Boxes above many triangles grow by what has moved, and never shrink: a tree that this leaves loose is built again
//! ([`ObbTree::wants_rebuild`]). Boxes above few triangles are fitted.

use impinge_geometry::{FacesRef, TriMesh};

use super::covariance::dot;
use super::fit::{around, fit};
use super::node::{Below, OrientedBox, Summary};
use super::refit::{leaf_ranges, leaves_below};
use super::tree_vertices::TreeVertices;
use super::{ObbTree, Violation};

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
            (self.triangles.len(), mesh.triangles().len() - mesh.removed_triangles() as usize);
        if tree != count {
            return Err(Violation::TriangleCount { tree, mesh: count });
        }
        if self.ranges.is_empty() {
            self.ranges = leaf_ranges(&self.nodes);
            self.vertices =
                TreeVertices::new(mesh, &self.nodes, &self.ranges, &self.triangles, &self.leaf_starts);
        }
        if self.places.is_empty() {
            self.places = vec![0; mesh.triangles().len()];
            for (place, &triangle) in (0..).zip(&self.triangles) {
                self.places[triangle as usize] = place;
            }
        }
        let mut leaves: Vec<(u32, u32)> = moved
            .iter()
            .map(|&triangle| {
                let place = self.places[triangle as usize];
                (self.leaf_starts.partition_point(|&start| start <= place) as u32 - 1, triangle)
            })
            .collect();
        leaves.sort_unstable();
        leaves.dedup();
        self.refit_below(0, mesh, &leaves);
        for leaf in leaves.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk[0].0) {
            let [start, end] = [0, 1].map(|k| self.leaf_starts[leaf as usize + k] as usize);
            self.leaves.fill_one(mesh, leaf, &self.triangles[start..end], start);
        }
        self.reach = super::build::reach(mesh);
        Ok(())
    }

    /// Fits what stands in and below a node to triangles that have moved, each with its leaf, sorted by leaf.
    fn refit_below(&mut self, node: u32, mesh: &TriMesh, mut moved: &[(u32, u32)]) {
        for lane in 0..self.nodes[node as usize].len() {
            let child = self.nodes[node as usize].child[lane];
            let [first, end] = leaves_below(child, &self.ranges);
            let own;
            (own, moved) = moved.split_at(moved.partition_point(|(leaf, _)| *leaf < end));
            if own.is_empty() {
                continue;
            }
            let held = &self.triangles
                [self.leaf_starts[first as usize] as usize..self.leaf_starts[end as usize] as usize];
            let is = self.nodes[node as usize].get(lane);
            let fitted = if held.len() <= FEW { fit(mesh, held, is.axes) } else { grown(mesh, &is, own) };
            self.nodes[node as usize].set(lane, &fitted);
            if let Below::Node(below) = child.below() {
                self.refit_below(below, mesh, own);
            }
        }
        self.summaries[node as usize] = Summary::new(&self.nodes[node as usize]);
    }

    /// Drops the triangles that were taken out of the mesh that the tree was built over. Boxes stay as they are; leaves may
    /// be left empty.
    pub fn remove_missing(&mut self, mesh: &TriMesh) {
        let faces = FacesRef::from(mesh);
        let (mut kept, mut start) = (0, 0);
        for leaf in 0..self.leaf_starts.len() - 1 {
            let end = self.leaf_starts[leaf + 1] as usize;
            let first = kept;
            for place in start..end {
                let triangle = self.triangles[place];
                if faces.has_triangle(triangle) {
                    self.triangles[kept] = triangle;
                    kept += 1;
                }
            }
            self.leaf_starts[leaf] = first as u32;
            if kept - first < end - start {
                self.leaves.fill_one(mesh, leaf as u32, &self.triangles[first..kept], first);
            } else if first < start {
                self.leaves.shift(start..end, first);
            }
            start = end;
        }
        if let Some(last) = self.leaf_starts.last_mut() {
            *last = kept as u32;
        }
        self.triangles.truncate(kept);
        self.leaves.truncate(kept);
        self.places.clear();
        // A refit finds them again.
        (self.ranges, self.vertices) = Default::default();
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
