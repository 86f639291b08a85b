//! The features of a sheet's leaves as boxes side by side, for tests of many at once.
//!
//! Every vertex and every edge belongs to one triangle, so that a pair of features is met in one pair of leaves. Boxes are of `f32`, rounded
//! outward, and grown by half of how near is near: those of features that are nearer overlap.

use impinge_geometry::TriMesh;
use impinge_geometry::simd::{F32Lanes, Simd};
use impinge_geometry::volume::round_up;
use impinge_midphase::ObbTree;
use rayon::prelude::*;

use super::features::PlacedTriangle;

/// Boxes in a block.
const WIDTH: usize = 8;

/// Boxes of eight features of a leaf; those of nothing are inside out.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct FeatureBlock {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
    /// How many there are.
    pub count: usize,
    /// Which triangle of the leaf has each (`3 · lane + k`), and which of its corners or edges it is.
    pub at: [u8; WIDTH],
}

impl FeatureBlock {
    const EMPTY: FeatureBlock = FeatureBlock {
        low: [[f32::INFINITY; WIDTH]; 3],
        high: [[f32::NEG_INFINITY; WIDTH]; 3],
        count: 0,
        at: [0; WIDTH],
    };

    /// One bit for each feature whose box overlaps another.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, [low, high]: &[[f32; 3]; 2]) -> u32 {
        let mut apart = S::F32x8::splat(0.0);
        for k in 0..3 {
            apart = apart.or(S::F32x8::splat(high[k]).less(S::F32x8::load(&self.low[k])));
            apart = apart.or(S::F32x8::load(&self.high[k]).less(S::F32x8::splat(low[k])));
        }
        !apart.bits() & <S::F32x8 as F32Lanes>::ALL
    }

    /// The box of one.
    #[inline(always)]
    pub fn of(&self, lane: usize) -> [[f32; 3]; 2] {
        let (lane, low, high) = (lane % WIDTH, &self.low, &self.high);
        [[low[0][lane], low[1][lane], low[2][lane]], [high[0][lane], high[1][lane], high[2][lane]]]
    }
}

/// Where the features of a leaf are: its blocks of vertices, then those of edges.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeafRange {
    first: u32,
    edges: u32,
    end: u32,
    /// Its triangles, and one bit for each that is not virtual.
    triangles: [u32; 4],
    real: u32,
}

/// The features of all leaves of a sheet; none at first.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureRows {
    /// Every triangle where it stands.
    placed: Vec<PlacedTriangle>,
    /// The box of every triangle, grown as the others are.
    around: Vec<[[f32; 3]; 2]>,
    leaves: Vec<LeafRange>,
    blocks: Vec<FeatureBlock>,
}

impl FeatureRows {
    /// Makes the rows of a sheet. A feature nearer to another than `most` (m) has a box that overlaps the other's.
    pub fn fill(&mut self, mesh: &TriMesh, tree: &ObbTree, most: f64) {
        let FeatureRows { placed, around, leaves, blocks } = self;
        let grown = 0.5 * most;
        // It is made when first asked for, and not by many at once.
        let _ = mesh.vertex_owners();
        let triangles = mesh.triangles().par_iter().enumerate().with_min_len(1024);
        let place = |(t, _): (usize, &[u32; 3])| {
            let t = t as u32;
            PlacedTriangle::new(mesh, t, mesh.corners(t).map(|p| p.cast()))
        };
        triangles.map(place).collect_into_vec(placed);
        let grow = |triangle: &PlacedTriangle| {
            let [low, high] = [triangle.low, triangle.high].map(|p| [p.x, p.y, p.z]);
            [low.map(|x| -round_up(grown - x)), high.map(|x| round_up(x + grown))]
        };
        placed.par_iter().with_min_len(1024).map(grow).collect_into_vec(around);
        leaves.clear();
        let mut end = 0;
        for leaf in 0..tree.leaf_count() as u32 {
            let mut range = LeafRange { first: end, ..LeafRange::default() };
            let (mut vertices, mut edges) = (0, 0);
            for (lane, t) in tree.leaf_triangles(leaf).into_iter().enumerate() {
                range.triangles[lane % 4] = t;
                if mesh.is_virtual(t) {
                    continue;
                }
                range.real |= 1 << lane;
                let owns = u32::from(placed[t as usize].owns);
                vertices += (owns & 7).count_ones();
                edges += (owns >> 3).count_ones();
            }
            range.edges = end + vertices.div_ceil(WIDTH as u32);
            range.end = range.edges + edges.div_ceil(WIDTH as u32);
            end = range.end;
            leaves.push(range);
        }
        blocks.clear();
        blocks.resize(end as usize, FeatureBlock::EMPTY);
        for range in leaves.iter() {
            let (mut vertices, mut edges) = (range.first as usize * WIDTH, range.edges as usize * WIDTH);
            for (lane, &t) in
                range.triangles.iter().enumerate().filter(|(lane, _)| range.real >> lane & 1 == 1)
            {
                let (corners, owns) = (mesh.corners(t), placed[t as usize].owns);
                for k in 0..3 {
                    let (p, q) = (&corners[k], &corners[(k + 1) % 3]);
                    if owns >> k & 1 == 1 {
                        put(blocks, &mut vertices, [p, p], 3 * lane + k, grown);
                    }
                    if owns >> (3 + k) & 1 == 1 {
                        put(blocks, &mut edges, [p, q], 3 * lane + k, grown);
                    }
                }
            }
        }
    }

    /// The blocks of a leaf's vertices.
    #[inline(always)]
    pub fn vertices(&self, leaf: u32) -> &[FeatureBlock] {
        let range = &self.leaves[leaf as usize];
        &self.blocks[range.first as usize..range.edges as usize]
    }

    /// The blocks of a leaf's edges.
    #[inline(always)]
    pub fn edges(&self, leaf: u32) -> &[FeatureBlock] {
        let range = &self.leaves[leaf as usize];
        &self.blocks[range.edges as usize..range.end as usize]
    }

    /// One bit for each triangle of a leaf that is not virtual.
    #[inline(always)]
    pub fn real(&self, leaf: u32) -> u32 {
        self.leaves[leaf as usize].real
    }

    /// A triangle of a leaf.
    #[inline(always)]
    pub fn triangle(&self, leaf: u32, lane: usize) -> &PlacedTriangle {
        &self.placed[self.leaves[leaf as usize].triangles[lane % 4] as usize]
    }

    /// Its box, grown.
    #[inline(always)]
    pub fn around(&self, leaf: u32, lane: usize) -> &[[f32; 3]; 2] {
        &self.around[self.leaves[leaf as usize].triangles[lane % 4] as usize]
    }
}

/// Puts the box around two points, grown, behind those there are.
#[inline(always)]
fn put(
    blocks: &mut [FeatureBlock],
    next: &mut usize,
    [p, q]: [&nalgebra::Point3<f32>; 2],
    at: usize,
    grown: f64,
) {
    let (block, lane) = (&mut blocks[*next / WIDTH], *next % WIDTH);
    for k in 0..3 {
        block.low[k][lane] = -round_up(grown - f64::from(p[k].min(q[k])));
        block.high[k][lane] = round_up(f64::from(p[k].max(q[k])) + grown);
    }
    block.at[lane] = at as u8;
    block.count = lane + 1;
    *next += 1;
}
