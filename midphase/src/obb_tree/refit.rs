//! Boxes brought up to date with vertices that moved, and how much worse they have become.

use impinge_geometry::simd;
use impinge_geometry::{SimdLevel, TriMesh};
use rayon::prelude::*;

use super::fit::fit;
use super::leaf::{LeafRows, Leaves};
use super::leaf_fit::{FitLeaves, LeafFits};
use super::node::{Below, Child, Node, Summary, WIDTH};
use super::tree_vertices::TreeVertices;
use super::{ObbTree, Violation};

/// The degradation from which on a tree asks to be rebuilt.
pub const REBUILD_AT: f64 = 1.5;

/// The degradation from which on refits give boxes new axes, and how many refits it takes until all boxes have had a chance of them.
const TURN_AT: f64 = 1.1;
const TURNS: u32 = 8;

/// With this degradation a tree is rebuilt at once.
const AT_ONCE: f64 = 3.0;

impl ObbTree {
    /// Fits every box to the vertices where they are now. `mesh` has the triangles that the tree was built over, with the same ids.
    /// Boxes keep their axes and all else; but once refits have left the tree a tenth more costly to search than it was when it was built,
    /// each gives an eighth of the boxes new axes, where these make them smaller. What a new tree would gain a mesh that bends is mostly that, and
    /// its cost is spread over eight refits.
    ///
    /// Gives the tree's degradation ([`ObbTree::degradation`]). Much cheaper than a build. The first refit of a tree finds which vertices each
    /// box has; those after it allocate nothing. The result is the same for any number of threads and any instructions.
    ///
    /// # Errors
    /// [`Violation::TriangleCount`] if the mesh has another number of triangles (a deformation may
    /// have left some without area); the tree is then as it was, and has to be rebuilt.
    pub fn refit(&mut self, mesh: &TriMesh) -> Result<f64, Violation> {
        let (tree, count) =
            (self.triangle_count(), mesh.triangles().len() - mesh.removed_triangles() as usize);
        if tree != count {
            return Err(Violation::TriangleCount { tree, mesh: count });
        }
        self.close_gaps();
        if self.ranges.is_empty() {
            self.ranges = leaf_ranges(&self.nodes);
        }
        if self.vertices.is_empty() {
            self.vertices =
                TreeVertices::new(mesh, &self.nodes, &self.ranges, &self.triangles, &self.leaf_places);
        }
        self.vertices.place(mesh);
        self.leaves.fill(self.simd, mesh, &self.triangles, &self.leaf_places);
        let turn = (self.worn > 0).then_some((self.worn % TURNS) as usize);
        let ObbTree { nodes, summaries, triangles, leaf_places, leaves, ranges, vertices, simd, .. } = self;
        let refit = Refit { mesh, triangles, leaf_places, leaves, ranges, vertices, simd: *simd };
        let all = nodes.par_iter_mut().zip(summaries).enumerate();
        all.with_min_len(64).for_each(|(index, (node, summary))| {
            let turns = turn == Some(index % TURNS as usize);
            refit.fit(index, node, u32::from(summary.leaves), turns);
            *summary = Summary::new(node);
        });
        self.areas = None;
        self.reach = super::build::reach(mesh);
        let degradation = self.degradation();
        self.worn = if degradation >= TURN_AT { self.worn + 1 } else { 0 };
        Ok(degradation)
    }

    /// Whether a tree with this degradation after a refit is to be rebuilt now: where it [asks for it](ObbTree::wants_rebuild) even though all
    /// boxes have had new axes, or is so much worse that searches should not wait for them.
    pub fn is_worn_out(&self, degradation: f64) -> bool {
        degradation >= AT_ONCE || degradation >= REBUILD_AT && self.worn > TURNS
    }

    /// What a query is expected to cost, relative to what it cost when the tree was built: 1 after a
    /// build, growing as refits leave the boxes looser or more entangled.
    pub fn degradation(&self) -> f64 {
        let cost = match self.areas {
            Some(areas) => relative(areas, &self.nodes),
            None => cost(&self.nodes),
        };
        if self.built_cost > 0.0 { cost / self.built_cost } else { 1.0 }
    }

    /// Whether refits have left the tree so much worse than a build that a new one pays within a few
    /// queries: from a degradation of [`REBUILD_AT`] on.
    pub fn wants_rebuild(&self) -> bool {
        self.degradation() >= REBUILD_AT
    }
}

/// What boxes are fitted to.
struct Refit<'t> {
    mesh: &'t TriMesh,
    triangles: &'t [u32],
    leaf_places: &'t [[u32; 2]],
    leaves: &'t Leaves,
    ranges: &'t [[u32; 2]],
    vertices: &'t TreeVertices,
    simd: SimdLevel,
}

impl Refit<'_> {
    /// Fits the boxes of a node, of which those in a mask are of leaves. Where it `turns`, each gets new axes if these make it smaller. Boxes
    /// all of whose triangles were taken out stay as they are: nothing is found below them.
    fn fit(&self, index: usize, node: &mut Node, mut of_leaves: u32, turns: bool) {
        let mut rows = [None; WIDTH];
        for lane in 0..node.len() {
            let held = leaves_below(node.child[lane], self.ranges);
            let range = [self.leaf_places[held[0] as usize][0], self.leaf_places[held[1] as usize - 1][1]];
            if range[0] == range[1] {
                of_leaves &= !(1 << lane);
            } else if of_leaves >> lane & 1 == 1 && self.vertices.is_near() {
                rows[lane] = self.leaves.rows(held[0] as usize, range);
            } else {
                self.fit_lane(WIDTH * index + lane, node, held, range, turns);
            }
        }
        if of_leaves == 0 || !self.vertices.is_near() {
            return;
        }
        self.put(node, of_leaves, &node.axes.clone(), &rows, false);
        if turns {
            let mut axes = node.axes;
            for lane in (0..node.len()).filter(|lane| of_leaves >> lane & 1 == 1) {
                let held = leaves_below(node.child[lane], self.ranges);
                let Some(found) = self.vertices.axes(WIDTH * index + lane, held) else { continue };
                for (i, k) in (0..3).flat_map(|i| (0..3).map(move |k| (i, k))) {
                    axes[i][k][lane] = found[i][k];
                }
            }
            self.put(node, of_leaves, &axes, &rows, true);
        }
    }

    /// Fits the box in a lane (node · 8 + lane), over a range of leaves and one of triangles.
    fn fit_lane(&self, place: usize, node: &mut Node, held: [u32; 2], range: [u32; 2], turns: bool) {
        let Refit { mesh, vertices, simd, .. } = *self;
        let axes = node.get(place).axes;
        let own = || &self.triangles[range[0] as usize..range[1] as usize];
        let fitted = vertices.fit(simd, place, held, axes).unwrap_or_else(|| fit(mesh, own(), axes));
        let turned = turns
            .then(|| vertices.fit(simd, place, held, vertices.axes(place, held)?))
            .flatten()
            .filter(|turned| turned.area() < fitted.area());
        node.set(place % WIDTH, &turned.unwrap_or(fitted));
    }

    /// Puts boxes of given axes around the leaves in a mask; where asked so, only those that are smaller than what they had.
    fn put(
        &self,
        node: &mut Node,
        of_leaves: u32,
        axes: &[[[f32; WIDTH]; 3]; 3],
        rows: &[Option<LeafRows<'_>>; WIDTH],
        smaller: bool,
    ) {
        let LeafFits { center, half } = simd::run(self.simd, FitLeaves { axes, leaves: rows });
        if !smaller && of_leaves == (1 << WIDTH) - 1 {
            (node.center, node.half) = (center, half);
            return;
        }
        let found = Node { center, half, axes: *axes, child: node.child };
        for lane in (0..WIDTH).filter(|lane| of_leaves >> lane & 1 == 1) {
            let fitted = found.get(lane);
            if !smaller || fitted.area() < node.get(lane).area() {
                node.set(lane, &fitted);
            }
        }
    }
}

/// First leaf of every node, and the one after its last.
pub(super) fn leaf_ranges(nodes: &[Node]) -> Vec<[u32; 2]> {
    let mut ranges = vec![[0; 2]; nodes.len()];
    // Children come after their parents, and leaves in the order of lanes.
    for (index, node) in nodes.iter().enumerate().rev() {
        let lanes = node.len();
        let (first, last) = (node.child[0], node.child[lanes.max(1) - 1]);
        ranges[index] = [leaves_below(first, &ranges)[0], leaves_below(last, &ranges)[1]];
    }
    ranges
}

/// First leaf below a child, and the one after the last.
pub(super) fn leaves_below(child: Child, ranges: &[[u32; 2]]) -> [u32; 2] {
    match child.below() {
        Below::Leaf(leaf) => [leaf, leaf + 1],
        Below::Node(node) => ranges[node as usize],
        Below::None => [0; 2],
    }
}

/// The surface-area heuristic's cost of a tree: the chance that a line through the root's box meets
/// each of the others, summed.
pub(super) fn cost(nodes: &[Node]) -> f64 {
    relative(areas(nodes), nodes)
}

/// The areas of all boxes but the root's, summed (m²).
pub(super) fn areas(nodes: &[Node]) -> f64 {
    let of_node = |node: &Node| (0..node.len()).map(|lane| node.get(lane).area()).sum::<f64>();
    nodes[1..].iter().map(of_node).sum()
}

/// A sum of areas in parts of the root's.
fn relative(areas: f64, nodes: &[Node]) -> f64 {
    let root_area = nodes[0].get(0).area();
    if root_area > 0.0 { areas / root_area } else { 0.0 }
}
