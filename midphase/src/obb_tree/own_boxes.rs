//! Axis-aligned boxes around what a tree's nodes and leaves hold, for a search of a surface against itself.
//!
//! Both sides of such a search stand in one frame, where six comparisons tell two axis-aligned boxes apart and the least and
//! greatest of coordinates are exact. Boxes follow the tree's nodes, and are made from the bottom up: of a mesh that deforms they are made
//! again for each search, which costs less than to look at each box's vertices once.

use impinge_geometry::TriMesh;
use impinge_geometry::simd::{F32Lanes, F32x8, Simd, U32Lanes};
use impinge_geometry::volume::round_up;
use rayon::prelude::*;

use super::ObbTree;
use super::leaf::{gather, greater, lesser};
use super::leaf_triangles::LEAF_TRIANGLES;
use super::node::{Below, WIDTH};
use super::own_pending::Pending;

/// Boxes of a node's children side by side; those of nothing are inside out.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct NodeBoxes {
    /// Least and greatest x, y, z of every child (m).
    pub low: [[f32; WIDTH]; 3],
    pub high: [[f32; WIDTH]; 3],
}

/// Boxes of a leaf's triangles, and their vertices.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct LeafBoxes {
    pub low: [[f32; LEAF_TRIANGLES]; 3],
    pub high: [[f32; LEAF_TRIANGLES]; 3],
    /// The bits of the first, second and third vertex of every triangle.
    vertices: [[f32; LEAF_TRIANGLES]; 3],
}

impl NodeBoxes {
    const EMPTY: NodeBoxes =
        NodeBoxes { low: [[f32::INFINITY; WIDTH]; 3], high: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// One bit for each child whose box overlaps the box in a lane of another node.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, other: &NodeBoxes, lane: usize) -> u32 {
        let lane = lane % WIDTH;
        let mut apart = S::F32x8::splat(0.0);
        for k in 0..3 {
            let (low, high) = (S::F32x8::load(&self.low[k]), S::F32x8::load(&self.high[k]));
            apart = apart.or(S::F32x8::splat(other.high[k][lane]).less(low));
            apart = apart.or(high.less(S::F32x8::splat(other.low[k][lane])));
        }
        !apart.bits() & <S::F32x8 as F32Lanes>::ALL
    }
}

impl LeafBoxes {
    const EMPTY: LeafBoxes = LeafBoxes {
        low: [[f32::INFINITY; LEAF_TRIANGLES]; 3],
        high: [[f32::NEG_INFINITY; LEAF_TRIANGLES]; 3],
        vertices: [[0.0; LEAF_TRIANGLES]; 3],
    };

    /// The boxes of triangles, each grown by `grown` (m).
    #[inline]
    fn new(mesh: &TriMesh, triangles: &[u32], grown: f64) -> LeafBoxes {
        let mut boxes = LeafBoxes::EMPTY;
        if triangles.is_empty() {
            return boxes;
        }
        let corners = gather(|triangle| mesh.corners(triangle), triangles);
        for axis in 0..3 {
            let [p, q, r] = [corners[0][axis], corners[1][axis], corners[2][axis]];
            boxes.low[axis] = lesser(lesser(p, q), r);
            boxes.high[axis] = greater(greater(p, q), r);
        }
        for lane in 0..LEAF_TRIANGLES {
            let Some(&triangle) = triangles.get(lane) else {
                for axis in 0..3 {
                    (boxes.low[axis][lane], boxes.high[axis][lane]) = (f32::INFINITY, f32::NEG_INFINITY);
                }
                continue;
            };
            let vertices = mesh.triangles()[triangle as usize];
            for k in 0..3 {
                boxes.vertices[k][lane] = f32::from_bits(vertices[k]);
            }
        }
        if grown > 0.0 {
            boxes.low.as_flattened_mut().iter_mut().for_each(|x| *x = -round_up(grown - f64::from(*x)));
            boxes.high.as_flattened_mut().iter_mut().for_each(|x| *x = round_up(f64::from(*x) + grown));
        }
        boxes
    }

    /// The pairs of triangles of this leaf and another whose boxes overlap: bit `4i + j` for triangle `i` of this and `j` of the other.
    /// Where only `strangers` are wanted, without those that share a vertex.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, other: &LeafBoxes, strangers: bool) -> u32 {
        let mut found = 0;
        for at in [0, 2] {
            let mut apart = S::F32x8::splat(0.0);
            for k in 0..3 {
                let (low, high) = (S::F32x8::repeat(&other.low[k]), S::F32x8::repeat(&other.high[k]));
                apart = apart.or(two::<S>(&self.high[k], at).less(low));
                apart = apart.or(high.less(two::<S>(&self.low[k], at)));
            }
            let mut mask = !apart.bits() & <S::F32x8 as F32Lanes>::ALL;
            if strangers && mask != 0 {
                let mut shared = <S::F32x8 as F32Lanes>::Bits::splat(0);
                for own in &self.vertices {
                    let own = two::<S>(own, at).to_bits();
                    for vertices in &other.vertices {
                        shared = shared.or(own.equal(S::F32x8::repeat(vertices).to_bits()));
                    }
                }
                mask &= !S::F32x8::from_bits(shared).bits();
            }
            found |= mask << (4 * at);
        }
        found
    }
}

/// Two numbers of a row, each in four lanes.
#[inline(always)]
fn two<S: Simd>(row: &[f32; LEAF_TRIANGLES], at: usize) -> S::F32x8 {
    S::F32x8::halves(row[at], row[at + 1])
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
        let ObbTree { nodes, triangles, leaf_places, .. } = tree;
        let OwnBoxes { nodes: of_nodes, leaves, .. } = self;
        // All of them are written below.
        leaves.resize(tree.leaf_count(), LeafBoxes::EMPTY);
        leaves.par_iter_mut().zip(leaf_places).with_min_len(1024).for_each(|(boxes, range)| {
            *boxes = LeafBoxes::new(mesh, &triangles[range[0] as usize..range[1] as usize], 0.5 * margin);
        });
        of_nodes.clear();
        of_nodes.resize(nodes.len(), NodeBoxes::EMPTY);
        // Children come after their parents.
        for index in (0..nodes.len()).rev() {
            for lane in 0..WIDTH {
                let [low, high] = match nodes[index].child[lane].below() {
                    Below::Leaf(leaf) => around(&leaves[leaf as usize].low, &leaves[leaf as usize].high),
                    Below::Node(node) => around(&of_nodes[node as usize].low, &of_nodes[node as usize].high),
                    Below::None => continue,
                };
                for k in 0..3 {
                    of_nodes[index].low[k][lane] = low[k];
                    of_nodes[index].high[k][lane] = high[k];
                }
            }
        }
    }
}

/// The box around several.
#[inline(always)]
fn around<const N: usize>(low: &[[f32; N]; 3], high: &[[f32; N]; 3]) -> [[f32; 3]; 2] {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for k in 0..3 {
        for lane in 0..N {
            least[k] = if low[k][lane] < least[k] { low[k][lane] } else { least[k] };
            most[k] = if high[k][lane] > most[k] { high[k][lane] } else { most[k] };
        }
    }
    [least, most]
}
