//! A height field as a tree: nothing of it is stored, nodes are filled when they are opened.
//!
//! There are three trees below the root: of the terrain, of the bottom below it, and of the walls. The parts of a block of cells
//! ([`impinge_geometry::height_field::BLOCK_BITS`]) are the children of its node, and below the lowest blocks, of 4 × 4 cells, stand leaves of 2 × 1 cells;
//! in the tree of the walls nodes of 2 × 1 samples, below which each edge with a wall has a leaf. A node's number says where it
//! is: which tree, how deep, and which child of which child. So a search may begin at any block.

use std::sync::Arc;

use impinge_geometry::height_field::BLOCK_BITS;
use impinge_geometry::{FacesRef, HeightField};

use super::field_codes::{BEFORE, bits, gather, leaf_bits, spread};
use super::field_fill::Parts;
use super::leaf_triangles::LeafTriangles;
use super::node::{Child, Node, OrientedBox, WIDTH};
use super::upright::{Corners, around};

/// The node below the root, whose children are the three trees.
const TREES: u32 = 1;
/// The first node of the first tree.
const FIRST: u32 = 2;

/// The trees of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    Terrain,
    Bottom,
    Walls,
}

impl Layer {
    pub const ALL: [Layer; 3] = [Layer::Terrain, Layer::Bottom, Layer::Walls];
}

/// A node below the three trees' roots, or one of these.
#[derive(Clone, Copy, Debug)]
struct Block {
    layer: Layer,
    /// As of [`BLOCK_BITS`]; −1 for nodes of 2 × 1 samples.
    level: i32,
    /// Which block of its level.
    at: [u32; 2],
    /// Which child of which child it is: three bits each.
    code: u32,
}

/// A field's nodes and leaves.
#[derive(Clone, Debug)]
pub(super) struct FieldNodes {
    pub(super) field: Arc<HeightField>,
    /// The highest level of blocks.
    pub(super) top: i32,
    /// Nodes of the tree of the terrain.
    nodes: u32,
    /// Leaves of that tree.
    leaves: u32,
}

impl FieldNodes {
    pub fn new(field: Arc<HeightField>) -> FieldNodes {
        let top = field.top_level() as i32;
        FieldNodes { nodes: BEFORE[top as usize + 1], leaves: 8u32.pow(top as u32 + 1), top, field }
    }

    /// The field's triangles.
    pub fn faces(&self) -> FacesRef<'_> {
        FacesRef::Field(&self.field)
    }

    /// All numbers of leaves are below this.
    pub fn leaf_bound(&self) -> u32 {
        10 * self.leaves
    }

    pub fn triangle_bound(&self) -> u32 {
        self.field.bound()
    }

    pub fn whole(&self) -> OrientedBox {
        let aabb = self.field.aabb();
        around([aabb.min, aabb.max])
    }

    /// Fills a node.
    pub fn fill(&self, index: u32, node: &mut Node) {
        if index >= FIRST && self.fill_whole(&self.block(index), node) {
            return;
        }
        self.fill_parts(index, node);
    }

    /// Fills a node of which every part is there, if this is one.
    fn fill_whole(&self, block: &Block, node: &mut Node) -> bool {
        if self.field.has_gaps() || block.layer == Layer::Walls {
            return false;
        }
        let bits = bits(block.level);
        let first = [0, 1].map(|k| block.at[k] << bits[k]);
        let parts = Parts { bits, first, level: block.level - 1 };
        if !parts.all_there(&self.field) {
            return false;
        }
        parts.boxes(&self.field, block.layer == Layer::Bottom, node);
        for (digit, child) in (0..).zip(&mut node.child) {
            *child = self.child(block, digit);
        }
        true
    }

    /// Fills a node part by part, those that there are.
    fn fill_parts(&self, index: u32, node: &mut Node) {
        node.child = [Child::NONE; WIDTH];
        node.half = [[f32::NEG_INFINITY; WIDTH]; 3];
        let mut lane = 0;
        let mut put = |(corners, child): (Corners, Child)| {
            node.set(lane, &around(corners));
            node.child[lane] = child;
            lane += 1;
        };
        match index {
            0 => {
                let aabb = self.field.aabb();
                put(([aabb.min, aabb.max], Child::node(TREES)));
            }
            TREES => Layer::ALL.into_iter().for_each(|layer| put(self.root(layer))),
            _ => {
                let block = self.block(index);
                for digit in (0..WIDTH as u32).filter(|&digit| self.has(&block, digit)) {
                    put((self.corners(&block, digit), self.child(&block, digit)));
                }
            }
        }
    }

    /// The box at a place.
    pub fn box_at(&self, place: u32) -> OrientedBox {
        let (index, lane) = (place / WIDTH as u32, place % WIDTH as u32);
        around(match index {
            0 => {
                let aabb = self.field.aabb();
                [aabb.min, aabb.max]
            }
            TREES => self.root(Layer::ALL[lane as usize % 3]).0,
            _ => {
                let block = self.block(index);
                self.corners(&block, self.digit(&block, lane))
            }
        })
    }

    /// What stands below a place.
    pub fn below(&self, place: u32) -> Child {
        let (index, lane) = (place / WIDTH as u32, place % WIDTH as u32);
        match index {
            0 => Child::node(TREES),
            TREES => self.root(Layer::ALL[lane as usize % 3]).1,
            _ => {
                let block = self.block(index);
                self.child(&block, self.digit(&block, lane))
            }
        }
    }

    /// The triangles of a leaf.
    pub fn triangles(&self, leaf: u32) -> LeafTriangles<'static> {
        let mut found = LeafTriangles::NONE;
        let terrain = self.field.first_virtual();
        if leaf >= 2 * self.leaves {
            let own = leaf - 2 * self.leaves;
            if own < 8 * self.leaves
                && let Some(edge) = self.edge(own / 8, own % 8)
            {
                let first = 2 * terrain + 2 * edge;
                found.push(first);
                found.push(first + 1);
            }
            return found;
        }
        let (code, offset) = if leaf < self.leaves { (leaf, 0) } else { (leaf - self.leaves, terrain) };
        let [x, y] = self.at_of(code, self.top as u32 + 1);
        for [i, k] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let cell = [2 * x + i, y];
            if self.field.has_triangle_at(cell, k) {
                found.push(offset + 2 * self.field.vertex_number(cell) + k);
            }
        }
        found
    }

    /// The box and the node of a tree's root.
    pub(super) fn root(&self, layer: Layer) -> (Corners, Child) {
        let aabb = self.field.aabb();
        let [low, high] = self.field.bounds(self.top as usize, [0, 0]);
        let [from, to] = match layer {
            Layer::Terrain => [low, high],
            Layer::Bottom => [self.field.bottom(); 2],
            Layer::Walls => [self.field.bottom(), high],
        };
        let corners = [[0.0, 0.0, from], [aabb.max[0], aabb.max[1], to]];
        (corners, Child::node(self.number(layer, 0, 0)))
    }

    /// The number of a node.
    pub(super) fn number(&self, layer: Layer, depth: u32, code: u32) -> u32 {
        let first = match layer {
            Layer::Terrain => 0,
            Layer::Bottom => self.nodes,
            Layer::Walls => 2 * self.nodes,
        };
        FIRST + first + BEFORE[depth as usize] + code
    }

    /// The node of a number.
    fn block(&self, index: u32) -> Block {
        let own = index - FIRST;
        let (layer, own) = match own {
            _ if own < self.nodes => (Layer::Terrain, own),
            _ if own < 2 * self.nodes => (Layer::Bottom, own - self.nodes),
            _ => (Layer::Walls, own - 2 * self.nodes),
        };
        // Before a depth stand (8ᵈ − 1) / 7 nodes.
        let depth = (7 * u64::from(own) + 1).ilog2() / 3;
        let code = own - BEFORE[depth as usize];
        Block { layer, level: self.top - depth as i32, at: self.at_of(code, depth), code }
    }

    /// Where the block of a code is, so many steps below the root.
    fn at_of(&self, code: u32, depth: u32) -> [u32; 2] {
        let level = self.top - depth as i32;
        let [x, y] = gather(code << (3 * (level + 1) as u32));
        let [w, h] = leaf_bits(level);
        [x >> w, y >> h]
    }

    /// The code of a block of a level.
    pub(super) fn code(&self, level: i32, at: [u32; 2]) -> u32 {
        let [w, h] = leaf_bits(level);
        spread([at[0] << w, at[1] << h]) >> (3 * (level + 1) as u32)
    }

    /// The place of a block in the node that it is a part of.
    pub(super) fn place(&self, layer: Layer, level: i32, at: [u32; 2]) -> u32 {
        if level == self.top {
            return TREES * WIDTH as u32 + layer as u32;
        }
        let code = self.code(level, at);
        let depth = (self.top - level - 1) as u32;
        let [x, y] = bits(level + 1);
        let parent = Block { layer, level: level + 1, at: [at[0] >> x, at[1] >> y], code: code >> 3 };
        let lane = (0..code & 7).filter(|&digit| self.has(&parent, digit)).count() as u32;
        self.number(layer, depth, parent.code) * WIDTH as u32 + lane
    }

    /// Which of the eight parts stands in a lane: those that there are come first.
    fn digit(&self, block: &Block, lane: u32) -> u32 {
        (0..WIDTH as u32).filter(|&digit| self.has(block, digit)).nth(lane as usize).unwrap_or(0)
    }

    /// Where a part of a node is on its own level.
    fn part(block: &Block, digit: u32) -> [u32; 2] {
        let [x, y] = bits(block.level);
        [block.at[0] << x | digit & ((1 << x) - 1), block.at[1] << y | digit >> x]
    }

    /// Whether there is anything of a layer in a block.
    pub(super) fn has_block(&self, layer: Layer, level: i32, at: [u32; 2]) -> bool {
        let (blocks, bits) = (self.field.blocks(level as usize), BLOCK_BITS[level as usize]);
        if (0..2).any(|k| at[k] >= blocks[k]) {
            return false;
        }
        match layer {
            Layer::Walls => self.field.has_walls(level as usize, at),
            Layer::Terrain | Layer::Bottom => {
                let cells = (0..2).all(|k| at[k] << bits[k] < self.field.size()[k] - 1);
                let some = || {
                    let [low, high] = self.field.bounds(level as usize, at);
                    low <= high
                };
                cells && (!self.field.has_gaps() || some())
            }
        }
    }

    /// Whether a node has a part.
    fn has(&self, block: &Block, digit: u32) -> bool {
        let part = FieldNodes::part(block, digit);
        match (block.level, block.layer) {
            (-1, _) => digit < 6 && self.edge(block.code, digit).is_some(),
            (0, Layer::Walls) => (0..6).any(|d| self.edge(block.code << 3 | digit, d).is_some()),
            (0, _) => {
                let there =
                    |i: u32| (0..2).any(|k| self.field.has_triangle_at([2 * part[0] + i, part[1]], k));
                there(0) || there(1)
            }
            (level, layer) => self.has_block(layer, level - 1, part),
        }
    }

    /// The edge number `lane` of a node of 2 × 1 samples, where a wall stands under it.
    fn edge(&self, code: u32, lane: u32) -> Option<u32> {
        let [x, y] = self.at_of(code, self.top as u32 + 1);
        let sample = [2 * x + lane / 3, y];
        if lane >= 6 || (0..2).any(|k| sample[k] >= self.field.size()[k]) {
            return None;
        }
        let edge = 3 * self.field.vertex_number(sample) + lane % 3;
        self.field.has_wall(edge).then_some(edge)
    }

    /// What a part holds.
    fn child(&self, block: &Block, digit: u32) -> Child {
        let code = block.code << 3 | digit;
        match (block.level, block.layer) {
            (-1, _) => Child::leaf(2 * self.leaves + code),
            (0, Layer::Terrain) => Child::leaf(code),
            (0, Layer::Bottom) => Child::leaf(self.leaves + code),
            (level, layer) => Child::node(self.number(layer, (self.top - level + 1) as u32, code)),
        }
    }

    /// The first and last sample of the walls of a block with these: where nothing is missing they stand at the border only.
    fn border(&self, [from, to]: [[u32; 2]; 2]) -> [[u32; 2]; 2] {
        let last = self.field.size().map(|samples| samples - 1);
        let sides = [0, 1].map(|k| [from[k] == 0, to[k] == last[k]]);
        let (mut from, mut to) = (from, to);
        if !self.field.has_gaps() && sides.iter().flatten().filter(|&&side| side).count() == 1 {
            for k in 0..2 {
                match sides[k] {
                    [true, _] => to[k] = 0,
                    [_, true] => from[k] = last[k],
                    _ => {}
                }
            }
        }
        [from, to]
    }

    /// The corners of a part.
    fn corners(&self, block: &Block, digit: u32) -> Corners {
        let bottom = self.field.bottom();
        if block.level == -1 {
            let edge = self.edge(block.code, digit).unwrap_or_default();
            let ends = self.field.edge(edge).vertices.map(|v| self.field.vertex(v));
            let (low, high) = (ends[0].inf(&ends[1]), ends[0].sup(&ends[1]));
            return [[low.x, low.y, bottom], high.into()];
        }
        let (part, size) = (FieldNodes::part(block, digit), self.field.size());
        let [w, h] = if block.level == 0 { [1, 0] } else { BLOCK_BITS[block.level as usize - 1] };
        let from = [part[0] << w, part[1] << h];
        let to = [(from[0] + (1 << w)).min(size[0] - 1), (from[1] + (1 << h)).min(size[1] - 1)];
        let heights = || match block.level {
            0 => self.field.heights(from, [to[0] - from[0], to[1] - from[1]]),
            level => self.field.bounds(level as usize - 1, part),
        };
        let [low, high] = match block.layer {
            Layer::Terrain => heights(),
            Layer::Bottom => [bottom; 2],
            Layer::Walls => [bottom, heights()[1]],
        };
        let [from, to] = if block.layer == Layer::Walls { self.border([from, to]) } else { [from, to] };
        let at = |k: usize, place: u32| self.field.along(k, place);
        [[at(0, from[0]), at(1, from[1]), low], [at(0, to[0]), at(1, to[1]), high]]
    }
}

#[cfg(test)]
mod tests {
    use impinge_geometry::HeightFieldSettings;

    use super::super::node::Below;
    use super::*;

    /// All nodes below the root, filled side by side or part by part, are the same to the last bit.
    #[test]
    fn whole_nodes_are_filled_as_part_by_part() {
        let height = |k: u32| ((k.wrapping_mul(2_654_435_761) >> 20) as f32 - 2048.0) * 1e-3;
        let mut whole = 0;
        for size in [[2, 2], [5, 5], [9, 3], [17, 33], [64, 64], [130, 70], [257, 257]] {
            for (bottom, gaps) in [(Some(-5.0), false), (None, false), (Some(-5.0), true)] {
                let mut heights: Vec<f32> = (0..size[0] * size[1]).map(height).collect();
                if gaps {
                    heights[(size[0] * size[1] / 2) as usize] = f32::NAN;
                }
                let settings =
                    HeightFieldSettings { spacing: [0.3, 0.7], bottom, ..HeightFieldSettings::default() };
                let Ok(field) = HeightField::new(size, heights, &settings) else { continue };
                let nodes = FieldNodes::new(Arc::new(field));
                let mut open = vec![0];
                while let Some(index) = open.pop() {
                    let (mut found, mut due) = (Node::UPRIGHT, Node::UPRIGHT);
                    nodes.fill(index, &mut found);
                    nodes.fill_parts(index, &mut due);
                    whole += u32::from(due.len() == WIDTH);
                    assert_eq!(found.child, due.child, "{size:?} {index}");
                    for lane in 0..due.len() {
                        assert_eq!(found.get(lane), due.get(lane), "{size:?} {index} {lane}");
                    }
                    for child in due.child {
                        if let Below::Node(below) = child.below() {
                            open.push(below);
                        }
                    }
                }
            }
        }
        assert!(whole > 2000, "{whole}");
    }
}
