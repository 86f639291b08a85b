//! A level set as a tree: nothing of it is stored, nodes are filled when they are opened.
//!
//! An octree of cubes of 2ᵉ cells, those that the surface passes. Cubes of four cells and more are the level set's blocks, whose least and greatest
//! values are stored; of smaller ones the samples are looked at. Below a cell stand three leaves, each the surface in two tetrahedra with a step in
//! common, in a box of its own. A node's number says where it is, so a search may begin at any cube.

use std::sync::Arc;

use impinge_geometry::level_set::BLOCK_BITS;
use impinge_geometry::{FacesRef, LevelSet};

use super::leaf_triangles::LeafTriangles;
use super::node::{Child, Node, OrientedBox, WIDTH};
use super::upright::{Corners, Roots, Starts, around};

/// The first node of a cube; node 0 holds the whole.
const FIRST: u32 = 1;
/// Leaves of a cell.
const LEAVES: u32 = 3;

/// A level set's nodes and leaves.
#[derive(Clone, Debug)]
pub(super) struct LevelNodes {
    set: Arc<LevelSet>,
    /// Bits of a cell's place along x, y and z.
    bits: [u32; 3],
    /// For each size of cube, cells first, the number of its first node.
    first: Vec<u32>,
}

/// A cube of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cube {
    /// Cells along a side, as a power of two.
    pub exponent: u32,
    /// Which of its size.
    pub at: [u32; 3],
}

impl LevelNodes {
    pub fn new(set: Arc<LevelSet>) -> LevelNodes {
        let bits = set.size().map(|n| (n - 1).next_power_of_two().trailing_zeros());
        let top = BLOCK_BITS + set.top_level() as u32;
        let mut first = Vec::with_capacity(top as usize + 1);
        let mut next = FIRST;
        for exponent in 0..=top {
            first.push(next);
            next += 1 << bits.iter().map(|b| b.saturating_sub(exponent)).sum::<u32>();
        }
        LevelNodes { set, bits, first }
    }

    /// The level set's triangles.
    pub fn faces(&self) -> FacesRef<'_> {
        FacesRef::Levels(&self.set)
    }

    /// All numbers of leaves are below this.
    pub fn leaf_bound(&self) -> u32 {
        LEAVES << self.bits.iter().sum::<u32>()
    }

    pub fn triangle_bound(&self) -> u32 {
        self.set.triangle_bound()
    }

    pub fn whole(&self) -> OrientedBox {
        around(self.all_corners())
    }

    /// The node that holds everything.
    pub fn all(&self) -> Roots {
        let mut roots = Roots::NONE;
        roots.push(self.below(0), self.all_corners());
        roots
    }

    /// The cube that holds everything.
    pub fn whole_cube(&self) -> Cube {
        Cube { exponent: self.top(), at: [0; 3] }
    }

    #[cfg(test)]
    pub fn set(&self) -> &LevelSet {
        &self.set
    }

    pub fn all_corners(&self) -> Corners {
        let aabb = self.set.aabb();
        [aabb.min, aabb.max]
    }

    fn top(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// Fills a node.
    pub fn fill(&self, index: u32, node: &mut Node) {
        node.child = [Child::NONE; WIDTH];
        node.half = [[f32::NEG_INFINITY; WIDTH]; 3];
        if index == 0 {
            node.set(0, &self.whole());
            node.child[0] = Child::node(self.number(self.whole_cube()));
            return;
        }
        let (cube, mut lane) = (self.cube(index), 0);
        let mut put = |corners: Corners, child: Child| {
            node.set(lane, &around(corners));
            node.child[lane] = child;
            lane += 1;
        };
        if cube.exponent == 0 {
            for own in 0..LEAVES {
                if let Some(corners) = self.leaf_corners(cube.at, own) {
                    put(corners, Child::leaf(LEAVES * self.packed(cube) + own));
                }
            }
            return;
        }
        for part in self.parts(cube).filter(|part| self.is_crossed(*part)) {
            put(self.corners(part), Child::node(self.number(part)));
        }
    }

    /// The box at a place.
    pub fn box_at(&self, place: u32) -> OrientedBox {
        self.at_place(place).map_or_else(|| self.whole(), |(corners, _)| around(corners))
    }

    /// What stands below a place.
    pub fn below(&self, place: u32) -> Child {
        let root = || Child::node(self.number(self.whole_cube()));
        self.at_place(place).map_or_else(root, |(_, child)| child)
    }

    /// Corners and child at a place, of which there is one; `None` for the root.
    fn at_place(&self, place: u32) -> Option<(Corners, Child)> {
        let (index, lane) = (place / WIDTH as u32, place as usize % WIDTH);
        if index == 0 {
            return None;
        }
        let cube = self.cube(index);
        if cube.exponent == 0 {
            let leaves = (0..LEAVES).filter_map(|own| {
                let corners = self.leaf_corners(cube.at, own)?;
                Some((corners, Child::leaf(LEAVES * self.packed(cube) + own)))
            });
            return leaves.into_iter().nth(lane);
        }
        let part = self.parts(cube).filter(|part| self.is_crossed(*part)).nth(lane)?;
        Some((self.corners(part), Child::node(self.number(part))))
    }

    /// The triangles of a leaf.
    pub fn triangles(&self, leaf: u32) -> LeafTriangles<'static> {
        let mut found = LeafTriangles::NONE;
        if leaf >= self.leaf_bound() {
            return found;
        }
        let (cell, own) = (self.unpacked(leaf / LEAVES, 0), leaf % LEAVES);
        self.leaf_triangles(cell, own, |triangle| found.push(triangle));
        found
    }

    /// Calls `f` with the triangles of a leaf of a cell.
    #[inline]
    fn leaf_triangles(&self, cell: [u32; 3], own: u32, mut f: impl FnMut(u32)) {
        let size = self.set.size();
        if (0..3).any(|k| cell[k] + 1 >= size[k]) {
            return;
        }
        for tet in [2 * own, 2 * own + 1] {
            let first = 12 * self.set.number(cell) + 2 * tet;
            (0..self.set.triangles_in(cell, tet as usize)).for_each(|k| f(first + k));
        }
    }

    /// Calls `f` with all triangles of a cell.
    pub fn cell_triangles(&self, cell: [u32; 3], mut f: impl FnMut(u32)) {
        (0..LEAVES).for_each(|own| self.leaf_triangles(cell, own, &mut f));
    }

    /// The corners of the box of a leaf; `None` where it has no triangle.
    fn leaf_corners(&self, cell: [u32; 3], own: u32) -> Option<Corners> {
        let [mut low, mut high] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        self.leaf_triangles(cell, own, |triangle| {
            for p in self.set.corners(triangle) {
                for k in 0..3 {
                    low[k] = low[k].min(p[k]);
                    high[k] = high[k].max(p[k]);
                }
            }
        });
        (low[0] <= high[0]).then_some([low, high])
    }

    /// The cubes of one size that hold everything between two corners (m): at most eight, however large the level set is.
    pub fn starts(&self, low: [f64; 3], high: [f64; 3]) -> Starts {
        let mut starts = Starts::default();
        let mut range = [[0u32; 3]; 2];
        let (size, spacing, origin) = (self.set.size(), self.set.spacing(), self.set.origin());
        for k in 0..3 {
            let cell = |at: f64| ((at - f64::from(origin[k])) / f64::from(spacing[k])).floor();
            // A crossing is rounded: one cell more.
            let [from, to] = [cell(low[k]) - 1.0, cell(high[k]) + 1.0];
            let last = f64::from(size[k] - 2);
            if from > last || to < 0.0 {
                return starts;
            }
            // Infinities and NaN are as far as it goes.
            range[0][k] = from.max(0.0).min(last) as u32;
            range[1][k] = if to < last { to as u32 } else { size[k] - 2 };
        }
        let covers = |exponent: u32| (0..3).all(|k| range[1][k] - range[0][k] < 1 << exponent);
        let exponent = (1..self.top()).find(|&exponent| covers(exponent)).unwrap_or(self.top());
        if exponent == self.top() {
            starts.push(0);
            return starts;
        }
        let [from, to] = range.map(|at| at.map(|n| n >> exponent));
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let cube = Cube { exponent, at: [x, y, z] };
                    if self.is_crossed(cube) {
                        starts.push(self.place(cube));
                    }
                }
            }
        }
        starts
    }

    /// The place of a cube, which the surface passes, in the one that it is a part of.
    fn place(&self, cube: Cube) -> u32 {
        let parent = Cube { exponent: cube.exponent + 1, at: cube.at.map(|n| n >> 1) };
        let before = self.parts(parent).take_while(|part| part.at != cube.at);
        let lane = before.filter(|part| self.is_crossed(*part)).count() as u32;
        self.number(parent) * WIDTH as u32 + lane
    }

    /// Whether the surface passes a cube.
    pub fn is_crossed(&self, cube: Cube) -> bool {
        if cube.exponent >= BLOCK_BITS {
            return self.set.is_crossed((cube.exponent - BLOCK_BITS) as usize, cube.at);
        }
        self.set.crosses(cube.at.map(|n| n << cube.exponent), 1 << cube.exponent)
    }

    /// The cubes of half the size that there are in one, in order.
    fn parts(&self, cube: Cube) -> impl Iterator<Item = Cube> + use<> {
        let cells = self.set.size().map(|n| n - 1);
        (0..WIDTH as u32).filter_map(move |digit| part(cube, digit, cells))
    }

    /// One of the cubes of half the size in one, if there is such.
    pub fn part(&self, cube: Cube, digit: u32) -> Option<Cube> {
        part(cube, digit, self.set.size().map(|n| n - 1))
    }

    /// The corners of a cube (m).
    pub fn corners(&self, cube: Cube) -> Corners {
        let size = self.set.size();
        let low: [u32; 3] = cube.at.map(|n| n << cube.exponent);
        let high: [u32; 3] = std::array::from_fn(|k| (low[k] + (1 << cube.exponent)).min(size[k] - 1));
        [low, high].map(|at| std::array::from_fn(|k| self.set.along(k, at[k] as f32)))
    }

    /// The number of a cube among those of its size.
    fn packed(&self, cube: Cube) -> u32 {
        let [x, y, _] = self.bits.map(|b| b.saturating_sub(cube.exponent));
        cube.at[0] | cube.at[1] << x | cube.at[2] << (x + y)
    }

    /// The cube of a number among those of a size.
    fn unpacked(&self, number: u32, exponent: u32) -> [u32; 3] {
        let [x, y, _] = self.bits.map(|b| b.saturating_sub(exponent));
        [number & ((1 << x) - 1), number >> x & ((1 << y) - 1), number >> (x + y)]
    }

    fn number(&self, cube: Cube) -> u32 {
        self.first[cube.exponent as usize] + self.packed(cube)
    }

    fn cube(&self, index: u32) -> Cube {
        let exponent = self.first.partition_point(|&first| first <= index) as u32 - 1;
        Cube { exponent, at: self.unpacked(index - self.first[exponent as usize], exponent) }
    }
}

/// The cube of half the size that is in one, by a bit for each axis, if it has cells of so many.
fn part(cube: Cube, digit: u32, cells: [u32; 3]) -> Option<Cube> {
    let at: [u32; 3] = std::array::from_fn(|k| 2 * cube.at[k] + (digit >> k & 1));
    let exponent = cube.exponent - 1;
    (0..3).all(|k| at[k] << exponent < cells[k]).then_some(Cube { exponent, at })
}
