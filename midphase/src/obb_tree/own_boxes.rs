//! Axis-aligned boxes around what a tree's nodes and leaves hold, for a search of a surface against itself.
//!
//! Both sides of such a search stand in one frame, where six comparisons tell two axis-aligned boxes apart. Boxes follow the tree's
//! nodes, and are made from the bottom up: of a mesh that deforms they are made again for each search, which costs less than to look
//! at each box's vertices once.
//!
//! **The bounds.** Triangles' boxes are those of the leaf's rows, beside its origin o. With u = 2⁻²⁴ and e the leaf's extent, a row's number is
//! off by ue, the origin less the room r that is given by u(|o| + r), and their sum by u(|o| + r + e). For these 2u(|o| + e + r) and less than ur
//! more, 4u(|o| + e + r) are given.

use impinge_geometry::TriMesh;
use impinge_geometry::simd::{self, F32Lanes, F32x4, F32x8, Kernel, Simd, U32Lanes};
use impinge_geometry::volume::round_up;
use rayon::prelude::*;

use super::ObbTree;
use super::leaf::LeafRows;
use super::leaf_triangles::LEAF_TRIANGLES;
use super::node::{Below, Node, WIDTH};
use super::node_boxes::NodeBoxes;
use super::own_pending::Pending;

/// Boxes of a leaf's triangles, and their vertices.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct LeafBoxes {
    pub low: [[f32; LEAF_TRIANGLES]; 3],
    pub high: [[f32; LEAF_TRIANGLES]; 3],
    /// The bits of the first, second and third vertex of every triangle.
    vertices: [[f32; LEAF_TRIANGLES]; 3],
}

impl LeafBoxes {
    const EMPTY: LeafBoxes = LeafBoxes {
        low: [[f32::INFINITY; LEAF_TRIANGLES]; 3],
        high: [[f32::NEG_INFINITY; LEAF_TRIANGLES]; 3],
        vertices: [[0.0; LEAF_TRIANGLES]; 3],
    };

    /// The vertices of a triangle (below four).
    #[inline(always)]
    pub fn vertices_of(&self, triangle: usize) -> [u32; 3] {
        let lane = triangle % LEAF_TRIANGLES;
        [self.vertices[0][lane].to_bits(), self.vertices[1][lane].to_bits(), self.vertices[2][lane].to_bits()]
    }

    /// Brings the boxes into the cache.
    #[inline(always)]
    pub fn prefetch(&self) {
        simd::prefetch(&self.low);
        simd::prefetch(&self.high[1]);
        simd::prefetch(&self.vertices[2]);
    }

    /// Puts the boxes of a leaf's triangles, each grown by `grown` (m).
    #[inline(always)]
    fn put<V: F32x4>(&mut self, mesh: &TriMesh, triangles: &[u32], rows: &LeafRows<'_>, grown: f64) {
        let corners = rows.corners();
        for axis in 0..3 {
            let origin = rows.origin[axis];
            let far = f64::from(origin.abs()) + f64::from(rows.extent) + grown;
            let room = round_up(grown + far * (4.0 / 16_777_216.0));
            let (p, q, r) = (V::load(corners[0][axis]), V::load(corners[1][axis]), V::load(corners[2][axis]));
            p.min(q).min(r).add(V::splat(origin - room)).store(&mut self.low[axis]);
            p.max(q).max(r).add(V::splat(origin + room)).store(&mut self.high[axis]);
        }
        for lane in 0..LEAF_TRIANGLES {
            let Some(&triangle) = triangles.get(lane) else {
                for axis in 0..3 {
                    (self.low[axis][lane], self.high[axis][lane]) = (f32::INFINITY, f32::NEG_INFINITY);
                }
                continue;
            };
            let vertices = mesh.triangles()[triangle as usize];
            for k in 0..3 {
                self.vertices[k][lane] = f32::from_bits(vertices[k]);
            }
        }
    }

    /// The pairs of triangles of this leaf and another whose boxes overlap: bit `4i + j` for triangle `i` of this and `j` of the other.
    /// Where only `strangers` are wanted, without those that share a vertex.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, other: &LeafBoxes, strangers: bool) -> u32 {
        let zero = S::F32x8::splat(0.0);
        let (mut low, mut high) = ([zero; 3], [zero; 3]);
        for k in 0..3 {
            (low[k], high[k]) = (S::F32x8::repeat(&other.low[k]), S::F32x8::repeat(&other.high[k]));
        }
        let mut found = 0;
        let mut at = 0;
        while at < LEAF_TRIANGLES {
            let mut apart = zero;
            for k in 0..3 {
                apart = apart.or(S::F32x8::spread(&self.high[k], at).less(low[k]));
                apart = apart.or(high[k].less(S::F32x8::spread(&self.low[k], at)));
            }
            found |= (!apart.bits() & <S::F32x8 as F32Lanes>::ALL) << (4 * at);
            at += 2;
        }
        if !strangers || found == 0 {
            return found;
        }
        let mut vertices = [zero.to_bits(); 3];
        for k in 0..3 {
            vertices[k] = S::F32x8::repeat(&other.vertices[k]).to_bits();
        }
        let (mut neighbours, mut at) = (0, 0);
        while at < LEAF_TRIANGLES {
            let mut shared = zero.to_bits();
            for own in &self.vertices {
                let own = S::F32x8::spread(own, at).to_bits();
                shared = shared.or(own.equal(vertices[0]));
                shared = shared.or(own.equal(vertices[1]));
                shared = shared.or(own.equal(vertices[2]));
            }
            neighbours |= S::F32x8::from_bits(shared).bits() << (4 * at);
            at += 2;
        }
        found & !neighbours
    }
}

/// The boxes of a whole tree; none at first.
#[derive(Clone, Debug, Default)]
pub struct OwnBoxes {
    pub(super) nodes: Vec<NodeBoxes>,
    pub(super) leaves: Vec<LeafBoxes>,
    pub(super) pending: Pending,
}

impl OwnBoxes {
    /// Makes the boxes of a tree, whose vertices stand as the mesh's do. Each triangle's is grown by half of `margin` (m), so that those of
    /// triangles that come as near as that overlap.
    pub(super) fn fill(&mut self, tree: &ObbTree, mesh: &TriMesh, margin: f64) {
        let OwnBoxes { nodes: of_nodes, leaves, .. } = self;
        // All of them are written below.
        leaves.resize(tree.leaf_count(), LeafBoxes::EMPTY);
        leaves.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, boxes)| {
            simd::run(tree.simd, FillLeaves { tree, mesh, first: CHUNK * chunk, grown: 0.5 * margin, boxes });
        });
        of_nodes.resize(tree.nodes.len(), NodeBoxes::EMPTY);
        simd::run(tree.simd, FillNodes { tree, leaves, nodes: of_nodes });
    }
}

/// So many leaves' boxes are made by one thread.
const CHUNK: usize = 1024;

/// Makes the boxes of the leaves from one on.
struct FillLeaves<'f> {
    tree: &'f ObbTree,
    mesh: &'f TriMesh,
    first: usize,
    grown: f64,
    boxes: &'f mut [LeafBoxes],
}

impl Kernel for FillLeaves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let FillLeaves { tree, mesh, first, grown, boxes } = self;
        for (leaf, boxes) in (first..).zip(boxes) {
            let [start, end] = tree.leaf_places[leaf];
            let triangles = &tree.triangles[start as usize..end as usize];
            match tree.leaves.rows(leaf, [start, end]) {
                Some(rows) if start < end => boxes.put::<S::F32x4>(mesh, triangles, &rows, grown),
                _ => *boxes = LeafBoxes::EMPTY,
            }
        }
    }
}

/// Makes the boxes of all nodes from those of the leaves.
struct FillNodes<'f> {
    tree: &'f ObbTree,
    leaves: &'f [LeafBoxes],
    nodes: &'f mut [NodeBoxes],
}

impl Kernel for FillNodes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let FillNodes { tree, leaves, nodes } = self;
        // Children come after their parents.
        let mut index = nodes.len();
        while index > 0 {
            index -= 1;
            let node = &tree.nodes[index];
            let mut own = around_leaves::<S>(node, leaves);
            let below = tree.summaries[index];
            (own.child, own.leaves, own.count) =
                (node.child, u32::from(below.leaves), u32::from(below.count));
            for lane in 0..usize::from(below.count) {
                if let Below::Node(child) = node.child[lane].below() {
                    let [low, high] = around(&nodes[child as usize]);
                    for k in 0..3 {
                        (own.low[k][lane], own.high[k][lane]) = (low[k], high[k]);
                    }
                }
            }
            nodes[index] = own;
        }
    }
}

/// The boxes of those children of a node that are leaves.
#[inline(always)]
fn around_leaves<S: Simd>(node: &Node, leaves: &[LeafBoxes]) -> NodeBoxes {
    let mut boxes = NodeBoxes::EMPTY;
    for k in 0..3 {
        let mut rows = [[0.0; WIDTH]; WIDTH];
        for lane in 0..WIDTH {
            let leaf = match node.child[lane].below() {
                Below::Leaf(leaf) => &leaves[leaf as usize],
                _ => &LeafBoxes::EMPTY,
            };
            S::F32x8::pair(&leaf.low[k], &leaf.high[k]).store(&mut rows[lane]);
        }
        let rows = [&rows[0], &rows[1], &rows[2], &rows[3], &rows[4], &rows[5], &rows[6], &rows[7]];
        let [p, q, r, s, t, u, v, w] = S::F32x8::transpose(&rows);
        p.min(q).min(r.min(s)).store(&mut boxes.low[k]);
        t.max(u).max(v.max(w)).store(&mut boxes.high[k]);
    }
    boxes
}

/// The box around several.
#[inline(always)]
fn around(boxes: &NodeBoxes) -> [[f32; 3]; 2] {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for k in 0..3 {
        for lane in 0..WIDTH {
            let (low, high) = (boxes.low[k][lane], boxes.high[k][lane]);
            least[k] = if low < least[k] { low } else { least[k] };
            most[k] = if high > most[k] { high } else { most[k] };
        }
    }
    [least, most]
}
