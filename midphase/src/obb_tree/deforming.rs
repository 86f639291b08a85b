//! Trees over meshes that deform: every vertex moves on a line.
//!
//! A box goes along at the mean velocity of its vertices, and holds each of them where it begins and where it ends, less the
//! box's own way. Both the vertex and the box move on lines, so that it holds them in between, too: nothing is added for
//! the motion. A mesh that is merely carried along has the boxes of one that stands still.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::fit::around;
use super::node::{OrientedBox, Summary, WIDTH};
use super::own::FlatBoxes;
use super::refit::{cost, leaf_ranges, leaves_below};
use super::{LeafTriangles, ObbTree, Violation};

/// More than a difference of two numbers is off by, in parts of both.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// How the boxes of a node's children move (m per motion): x, y and z of every child.
pub(super) type Drift = [[f32; WIDTH]; 3];

/// A tree of oriented boxes over the triangles of a mesh whose vertices move on lines.
#[derive(Clone, Debug, Default)]
pub struct DeformingTree {
    /// Its boxes stand where they do at time 0.
    pub(super) tree: ObbTree,
    /// Of every node.
    pub(super) drifts: Vec<Drift>,
    /// Boxes whose triangles cannot meet each other.
    pub(super) flat: FlatBoxes,
    /// No box moves farther (m per motion).
    pub(super) fastest: f64,
}

impl DeformingTree {
    /// A tree over all triangles of `mesh`, which stands still.
    pub fn build(mesh: &TriMesh) -> DeformingTree {
        let tree = ObbTree::build(mesh);
        let count = tree.nodes.len();
        DeformingTree {
            tree,
            drifts: vec![[[0.0; WIDTH]; 3]; count],
            flat: FlatBoxes::default(),
            fastest: 0.0,
        }
    }

    /// Fits every box to vertices that move from `from` to `to` (m, in the mesh's frame), and keeps the boxes' axes. `mesh`
    /// has the triangles that the tree was built over; where its own vertices are does not matter. The result is
    /// the same for any number of threads.
    ///
    /// # Errors
    /// [`Violation::TriangleCount`] if the mesh has another number of triangles; the tree is then as it was.
    ///
    /// # Panics
    /// If there are fewer places than the mesh has vertices.
    pub fn fit(&mut self, mesh: &TriMesh, from: &[Point3<f32>], to: &[Point3<f32>]) -> Result<(), Violation> {
        let (tree, count) = (self.tree.triangles.len(), mesh.triangles().len());
        if tree != count {
            return Err(Violation::TriangleCount { tree, mesh: count });
        }
        let ObbTree { nodes, summaries, triangles, leaf_places, .. } = &mut self.tree;
        let ranges = leaf_ranges(nodes);
        let both = Both { mesh, from, to };
        let rows = nodes.par_iter_mut().zip(summaries).zip(&mut self.drifts);
        rows.with_min_len(16).for_each(|((node, summary), drift)| {
            for lane in 0..node.len() {
                let [first, end] = leaves_below(node.child[lane], &ranges);
                let own = &triangles
                    [leaf_places[first as usize][0] as usize..leaf_places[end as usize - 1][1] as usize];
                let (fitted, velocity) = both.fit(own, node.get(lane).axes);
                node.set(lane, &fitted);
                for k in 0..3 {
                    drift[k][lane] = velocity[k];
                }
            }
            *summary = Summary::new(node);
        });
        let lanes = |drift: &Drift| {
            let norms = (0..WIDTH).map(|lane| velocity_in(drift, lane).norm());
            norms.fold(0.0, f64::max)
        };
        self.fastest = self.drifts.iter().map(lanes).fold(0.0, f64::max);
        let places = from.iter().chain(to).map(|p| p.coords.cast::<f64>().abs().sum());
        self.tree.reach = places.fold(0.0, f64::max) + self.fastest;
        self.flat.clear();
        Ok(())
    }

    /// What a query is expected to cost, relative to what it cost when the tree was built ([`ObbTree::degradation`]).
    pub fn degradation(&self) -> f64 {
        let tree = &self.tree;
        if tree.built_cost > 0.0 { cost(&tree.nodes) / tree.built_cost } else { 1.0 }
    }

    /// Says of every box whether the triangles in it cannot meet each other on their ways: a search for meetings of the mesh with
    /// itself passes over them. `is_flat` gets the triangles of a box, at most `most` of them; larger boxes are not asked
    /// about, nor are those in one that is flat.
    pub fn mark_flat(&mut self, most: usize, is_flat: &mut impl FnMut(&[u32]) -> bool) {
        self.flat.mark(&self.tree, most, is_flat);
    }

    /// The triangles of a leaf, as [`ObbTree::leaf_triangles`].
    #[inline]
    pub fn leaf_triangles(&self, leaf: u32) -> LeafTriangles<'_> {
        self.tree.leaf_triangles(leaf)
    }

    /// How many triangles there are.
    pub fn triangle_count(&self) -> usize {
        self.tree.triangle_count()
    }

    /// No vertex is ever farther than this from the mesh's origin (m).
    pub fn reach(&self) -> f64 {
        self.tree.reach
    }

    /// Sets the instructions that the tree is searched with ([`ObbTree::set_simd`]).
    pub fn set_simd(&mut self, level: impinge_geometry::SimdLevel) {
        self.tree.set_simd(level);
    }
}

/// The velocity of one child's box (m per motion).
pub(super) fn velocity_in(drift: &Drift, lane: usize) -> Vector3<f64> {
    Vector3::new(drift[0][lane], drift[1][lane], drift[2][lane]).cast()
}

/// Where the vertices of a mesh begin and end.
struct Both<'m> {
    mesh: &'m TriMesh,
    from: &'m [Point3<f32>],
    to: &'m [Point3<f32>],
}

impl Both<'_> {
    /// The box of given axes that holds triangles at all times while it moves at the velocity given with it (m per motion).
    fn fit(&self, triangles: &[u32], axes: [[f32; 3]; 3]) -> (OrientedBox, [f32; 3]) {
        let corners = || {
            let all = triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
            all.map(|v| [self.from, self.to].map(|at| at[v as usize].coords.cast::<f64>()))
        };
        let (mut least, mut most) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for [from, to] in corners() {
            let way = to - from;
            (least, most) = (least.inf(&way), most.sup(&way));
        }
        let velocity = ((least + most) * 0.5).map(|x| (x as f32).clamp(-f32::MAX, f32::MAX));
        let way = velocity.cast::<f64>();
        let a = axes.map(|axis| Vector3::from(axis).cast::<f64>());
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let mut far = way.abs().sum();
        for [from, to] in corners() {
            far = far.max(to.abs().sum());
            for at in [from, to - way] {
                for i in 0..3 {
                    let s = a[i].dot(&at);
                    (lo[i], hi[i]) = (lo[i].min(s), hi[i].max(s));
                }
            }
        }
        // What is left of the end less the way has the rounding of both.
        let slack = ROUNDING * 2.0 * far;
        (around(axes, lo.map(|x| x - slack), hi.map(|x| x + slack)), velocity.into())
    }
}
