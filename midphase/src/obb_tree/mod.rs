//! Trees of oriented boxes over the triangles of a mesh.
//!
//! A node has up to eight children; their boxes stand side by side in the parent, so that one box
//! is tested against all of them at once. Leaves hold at most [`LEAF_TRIANGLES`] triangles and are
//! ranges of a reordered array of triangle ids. Boxes are `f32`, in the mesh's frame, and hold
//! every vertex of their triangles when judged in `f64`.
//!
//! Sources: Gottschalk, "Collision Queries using Oriented Bounding Boxes", 2000 (axes, 15-axis
//! test, dual descent); Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007
//! (binned surface-area heuristic). We differ in that the heuristic works in the box's own
//! frame, that boxes are rotated to a smaller area, and that nodes are wide.

mod afar;
mod boxes;
mod build;
mod computed;
mod covariance;
mod deforming;
mod descend;
mod descent_counts;
mod edit;
mod field;
mod field_codes;
mod field_fill;
mod field_ray;
mod field_starts;
mod fit;
mod inner;
mod inner_ball;
mod kept;
mod leaf;
mod leaf_fit;
mod leaf_triangles;
mod level_ray;
mod level_set;
mod lines;
mod loose;
mod motion;
mod motion_frames;
mod motion_turn;
mod moving;
mod nearest;
mod node;
mod node_boxes;
mod own;
mod own_boxes;
mod own_pending;
mod project;
mod query;
mod ray;
mod reached;
mod refine;
mod refit;
mod sat;
mod sphere;
mod split;
mod sweep;
mod tree_vertices;
mod upright;
mod validate;

use std::sync::Arc;

use impinge_geometry::{HeightField, LevelSet, Obb, SimdLevel, TriMesh};

pub use build::{BuildSettings, Covariance, Splits};
pub use deforming::DeformingTree;
pub use descend::descend;
pub use descent_counts::DescentCounts;
pub use inner_ball::InnerBall;
pub use leaf::{LeafRoom, LeafRows};
pub use leaf_triangles::{LEAF_TRIANGLES, LeafTriangleIter, LeafTriangles};
pub use lines::{LineScratch, Lines};
pub use motion::{MotionCounts, MotionScratch, MovingTree, first_meeting, meetings, own_meetings};
pub use motion_frames::grid_time;
pub use nearest::{NearestScratch, nearest};
pub use own::{FlatBoxes, OwnLeafPair, OwnSearch};
pub use own_boxes::OwnBoxes;
pub use project::{Covered, Projection};
pub use ray::{RayScratch, TreeRay};
pub use reached::{NearestCounts, Reached};
pub use refit::REBUILD_AT;
pub use sphere::SphereScratch;
pub use sweep::{Course, LeafInterval, Obstacle, SweepCounts, SweepScratch, first_free};
pub use validate::Violation;

pub(crate) use boxes::PlacedBox;
pub(crate) use descend::Descent;
pub(crate) use node::OrientedBox;
pub(crate) use sat::boxes_meet;

use computed::Computed;
use inner_ball::KeptBalls;
use leaf::Leaves;
use node::{Child, Node, Summary, WIDTH};
use tree_vertices::TreeVertices;

/// Stands for no triangle.
const GONE: u32 = u32::MAX;

/// A tree of oriented boxes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub struct ObbTree {
    /// Node 0 has one child: the box of the whole mesh. Parents come before their children.
    nodes: Vec<Node>,
    /// Of every node.
    summaries: Vec<Summary>,
    /// Triangle ids, leaf after leaf; behind those of a leaf [`GONE`] for each that was taken out of it.
    triangles: Vec<u32>,
    /// Where each leaf starts and ends in `triangles`.
    leaf_places: Vec<[u32; 2]>,
    /// How many triangles were taken out and have left a gap.
    gaps: usize,
    /// The corners of the triangles, leaf after leaf.
    leaves: Leaves,
    /// No vertex is farther from the mesh's origin (m).
    reach: f64,
    /// [`refit::cost`] when the tree was built.
    built_cost: f64,
    /// The areas of all boxes but the root's, summed (m²); from the first edit until the next refit.
    areas: Option<f64>,
    /// [`refit::leaf_ranges`], from the first refit on.
    ranges: Vec<[u32; 2]>,
    /// Where each triangle stands in `triangles`, from the first edit on.
    places: Vec<u32>,
    /// The vertices in the order of the leaves, from the first refit on.
    vertices: TreeVertices,
    /// Refits since the tree is worse than it was; 0 where it is not.
    worn: u32,
    /// Where nothing is stored: what fills nodes and leaves.
    computed: Option<Computed>,
    /// Balls inside the surface, once they were asked for.
    inner: KeptBalls,
    simd: SimdLevel,
}

impl Default for ObbTree {
    /// A tree over nothing: no query finds anything in it.
    fn default() -> ObbTree {
        ObbTree {
            nodes: vec![Node::EMPTY],
            summaries: vec![Summary::new(&Node::EMPTY)],
            triangles: Vec::new(),
            leaf_places: Vec::new(),
            gaps: 0,
            leaves: Leaves::default(),
            reach: 0.0,
            built_cost: 0.0,
            areas: None,
            ranges: Vec::new(),
            places: Vec::new(),
            vertices: TreeVertices::default(),
            worn: 0,
            computed: None,
            inner: KeptBalls::new(),
            simd: SimdLevel::detect(),
        }
    }
}

impl ObbTree {
    /// A tree over all triangles of `mesh`, with the default settings.
    pub fn build(mesh: &TriMesh) -> ObbTree {
        ObbTree::build_with(mesh, &BuildSettings::default())
    }

    /// A tree over all triangles of `mesh`. The result is the same for any number of threads.
    pub fn build_with(mesh: &TriMesh, settings: &BuildSettings) -> ObbTree {
        let triangles = mesh.triangles().len();
        let span = tracing::debug_span!("obb_tree", triangles, leaves = tracing::field::Empty).entered();
        let tree = build::build(mesh, settings);
        span.record("leaves", tree.leaf_count());
        tree
    }

    /// The tree of a height field, of which nothing is stored: nodes and leaves are filled when they are met.
    pub fn of_field(field: Arc<HeightField>) -> ObbTree {
        ObbTree::of_computed(Computed::field(field))
    }

    /// The tree of a level set, of which nothing is stored either.
    pub fn of_levels(levels: Arc<LevelSet>) -> ObbTree {
        ObbTree::of_computed(Computed::levels(levels))
    }

    fn of_computed(computed: Computed) -> ObbTree {
        let reach = computed.whole().reach();
        let computed = Some(computed);
        ObbTree { nodes: Vec::new(), summaries: Vec::new(), reach, computed, ..ObbTree::default() }
    }

    /// A tree of one leaf, with a box (m) around something that has no triangles.
    pub fn of_box(obb: &Obb) -> ObbTree {
        let mut tree = ObbTree::default();
        tree.set_box(obb);
        tree
    }

    /// Makes a tree of [`ObbTree::of_box`], or one over nothing, that of another box. It keeps its
    /// buffers.
    pub fn set_box(&mut self, obb: &Obb) {
        let whole = OrientedBox::from_obb(obb);
        let mut node = Node::EMPTY;
        node.set(0, &whole);
        node.child[0] = Child::leaf(0);
        self.summaries.clear();
        self.summaries.push(Summary::new(&node));
        self.nodes.clear();
        self.nodes.push(node);
        self.triangles.clear();
        self.triangles.push(0);
        self.leaf_places.clear();
        self.leaf_places.push([0, 1]);
        self.reach = whole.reach();
    }

    /// The instructions that this tree is searched with, and the triangles in it are tested with: the best
    /// that the processor has unless others were set.
    #[inline]
    pub fn simd(&self) -> SimdLevel {
        self.simd
    }

    /// Sets the instructions of [`ObbTree::simd`]. Of two trees, those of the first are used. No answer
    /// depends on them.
    pub fn set_simd(&mut self, level: SimdLevel) {
        self.simd = level;
    }

    /// The triangles of a leaf (at most [`LEAF_TRIANGLES`]; at least one, unless all of its were taken out of the mesh); none for a
    /// leaf that does not exist.
    #[inline]
    pub fn leaf_triangles(&self, leaf: u32) -> LeafTriangles<'_> {
        if let Some(computed) = &self.computed {
            return computed.triangles(leaf);
        }
        let leaf = leaf as usize;
        match self.leaf_places.get(leaf) {
            Some(&[start, end]) => LeafTriangles::Stored(&self.triangles[start as usize..end as usize]),
            _ => LeafTriangles::NONE,
        }
    }

    /// The places in `triangles` of the leaves from one on, before another.
    fn range_of(&self, [first, end]: [u32; 2]) -> std::ops::Range<usize> {
        if first >= end {
            return 0..0;
        }
        self.leaf_places[first as usize][0] as usize..self.leaf_places[end as usize - 1][1] as usize
    }

    /// How many leaves there are; leaf ids run from 0. Where triangles are computed, not every id below it has a leaf.
    pub fn leaf_count(&self) -> usize {
        match &self.computed {
            Some(computed) => computed.leaf_bound() as usize,
            None => self.leaf_places.len(),
        }
    }

    /// How many triangles there are; where they are computed, a number that none of them has, or one above.
    pub fn triangle_count(&self) -> usize {
        match &self.computed {
            Some(computed) => computed.triangle_bound() as usize,
            None => self.triangles.len() - self.gaps,
        }
    }

    /// The box of the whole mesh, in its frame (m).
    pub fn root(&self) -> Obb {
        if self.is_empty() {
            return OrientedBox { center: [0.0; 3], half: [0.0; 3], axes: [[0.0; 3]; 3] }.to_obb();
        }
        self.root_box().to_obb()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        size_of::<ObbTree>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.summaries.capacity() * size_of::<Summary>()
            + self.ranges.capacity() * size_of::<[u32; 2]>()
            + (self.triangles.capacity() + 2 * self.leaf_places.capacity() + self.places.capacity())
                * size_of::<u32>()
            + self.leaves.bytes()
            + self.vertices.bytes()
            + self.inner.get().map_or(0, |balls| size_of_val(&**balls))
    }

    /// As [`ObbTree::root`], as it is stored.
    pub(crate) fn root_box(&self) -> OrientedBox {
        self.box_at(0)
    }

    /// What stands below the root's box.
    fn root_child(&self) -> Child {
        self.below(0)
    }

    /// What stands below a box: lane `place % 8` of node `place / 8`.
    #[inline]
    fn below(&self, place: u32) -> Child {
        match &self.computed {
            Some(computed) => computed.below(place),
            None => self.nodes[place as usize / WIDTH].child[place as usize % WIDTH],
        }
    }

    /// The box at a place.
    #[inline]
    fn box_at(&self, place: u32) -> OrientedBox {
        match &self.computed {
            Some(computed) => computed.box_at(place),
            None => self.nodes[place as usize / WIDTH].get(place as usize % WIDTH),
        }
    }

    /// How large the box at a place is that is no leaf's, as boxes are compared.
    #[inline]
    fn box_size(&self, place: u32) -> f32 {
        match &self.computed {
            Some(computed) => computed.box_at(place).size(),
            None => self.summaries[place as usize / WIDTH].sizes[place as usize % WIDTH],
        }
    }

    /// Whether there is nothing in the tree.
    #[inline]
    fn is_empty(&self) -> bool {
        self.triangles.len() == self.gaps && self.computed.is_none()
    }

    /// A node; filled into `room` where none is stored.
    #[inline(always)]
    fn node<'t>(&'t self, index: u32, room: &'t mut Option<Node>) -> &'t Node {
        match &self.computed {
            None => &self.nodes[index as usize],
            Some(computed) => {
                let room = room.get_or_insert(Node::UPRIGHT);
                computed.fill(index, room);
                room
            }
        }
    }

    /// How many children a node has, and one bit for each of them that is a leaf.
    #[inline(always)]
    fn children(&self, index: u32, node: &Node) -> (u32, u32) {
        match &self.computed {
            None => {
                let summary = &self.summaries[index as usize];
                (u32::from(summary.count), u32::from(summary.leaves))
            }
            Some(_) => {
                let leaf = |lane: usize| u32::from(node.child[lane].is_leaf()) << lane;
                (node.len() as u32, (0..WIDTH).map(leaf).sum())
            }
        }
    }

    /// No vertex is farther than this from the mesh's origin (m).
    pub fn reach(&self) -> f64 {
        self.reach
    }
}
