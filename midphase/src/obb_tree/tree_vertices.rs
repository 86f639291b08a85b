//! The vertices of a mesh in the order of a tree's leaves: what a refit looks at.
//!
//! Each vertex belongs to the first leaf that uses it, so that those of a box are one range and a few that belong to leaves before it. A large box
//! then meets each vertex once, not once for each of its six triangles, and eight at a time.
//!
//! **The bounds.** A box is fitted beside one of its own vertices, r. Let u = 2⁻²⁴. A difference d = x − r is off by u of itself and its
//! product with an axis by 5u|d|, for three products and two sums; |d| is at most the sum S of the greatest products with the three
//! axes (orthonormal within 4u), by as much. So every product lies within 6uS of the one computed, for which [`around`] is given
//! 8uS more room, and 2⁻⁵⁰ of all lengths for what the sum with r's own product, in `f64`, is rounded by.

use impinge_geometry::simd::{self, F32Lanes, Kernel, Simd};
use impinge_geometry::{SimdLevel, TriMesh};

use super::covariance::{dot, eigenvectors};
use super::fit::around;
use super::node::{Below, Child, Node, OrientedBox, WIDTH};

/// Vertices that are looked at at a time.
const LANES: usize = 8;

/// The vertices of a tree in the order of its leaves; none at first.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeVertices {
    /// Vertices by the first leaf that uses them.
    order: Vec<u32>,
    /// Where those of each leaf begin in `order`; one more entry at the end.
    starts: Vec<u32>,
    /// Of every box (node · 8 + lane): where its vertices that belong to leaves before it begin in `before`; one more entry at the end.
    before_starts: Vec<u32>,
    /// Places in `order`.
    before: Vec<u32>,
    /// Coordinates (m) of the vertices in `order`.
    places: [Vec<f32>; 3],
    /// Whether no sum of products can leave the range of `f32`.
    near: bool,
}

/// No coordinate is larger (m) where sums of products stay in the range of `f32`.
const FAR: f32 = 1e37;

impl TreeVertices {
    /// Finds the vertices of every box; `ranges` are the leaves of the nodes.
    pub fn new(
        mesh: &TriMesh,
        nodes: &[Node],
        ranges: &[[u32; 2]],
        triangles: &[u32],
        leaf_places: &[[u32; 2]],
    ) -> TreeVertices {
        let mut found = TreeVertices::default();
        let mut at = vec![u32::MAX; mesh.vertices().len()];
        let of_leaf = |leaf: usize| {
            let [start, end] = leaf_places[leaf];
            triangles[start as usize..end as usize].iter().flat_map(|&t| mesh.triangles()[t as usize])
        };
        let leaves = leaf_places.len();
        for leaf in 0..leaves {
            found.starts.push(found.order.len() as u32);
            for v in of_leaf(leaf) {
                if at[v as usize] == u32::MAX {
                    at[v as usize] = found.order.len() as u32;
                    found.order.push(v);
                }
            }
        }
        found.starts.push(found.order.len() as u32);
        // From the leaves up: what belongs before a box belongs before one of its children. Children come after their parents.
        let mut of_nodes = vec![Vec::new(); nodes.len()];
        let below = |child: Child, of_nodes: &[Vec<u32>]| -> Vec<u32> {
            match child.below() {
                Below::Leaf(leaf) => {
                    let first = found.starts[leaf as usize];
                    of_leaf(leaf as usize).map(|v| at[v as usize]).filter(|&place| place < first).collect()
                }
                Below::Node(node) => of_nodes[node as usize].clone(),
                Below::None => Vec::new(),
            }
        };
        let mut of_boxes = vec![Vec::new(); nodes.len() * WIDTH];
        for (index, node) in nodes.iter().enumerate().rev() {
            let first = found.starts[ranges[index][0] as usize];
            let mut all = Vec::new();
            for lane in 0..node.len() {
                let mut own = below(node.child[lane], &of_nodes);
                own.sort_unstable();
                own.dedup();
                all.extend(own.iter().copied().filter(|&place| place < first));
                of_boxes[WIDTH * index + lane] = own;
            }
            all.sort_unstable();
            all.dedup();
            of_nodes[index] = all;
        }
        for own in &of_boxes {
            found.before_starts.push(found.before.len() as u32);
            found.before.extend_from_slice(own);
        }
        found.before_starts.push(found.before.len() as u32);
        found.places = [0; 3].map(|_| vec![0.0; found.order.len()]);
        found
    }

    /// Whether the vertices of boxes are not known.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether no sum of products can leave the range of `f32`.
    pub fn is_near(&self) -> bool {
        self.near
    }

    /// Puts the vertices where they stand.
    pub fn place(&mut self, mesh: &TriMesh) {
        let TreeVertices { order, places: [x, y, z], near, .. } = self;
        *near = [mesh.aabb().min, mesh.aabb().max].as_flattened().iter().all(|x| x.abs() < FAR);
        for (k, &v) in order.iter().enumerate() {
            let p = mesh.vertices()[v as usize];
            (x[k], y[k], z[k]) = (p.x, p.y, p.z);
        }
    }

    /// The box with (about) the given axes around the vertices of a box (node · 8 + lane) over a range of leaves; `None` where numbers could
    /// leave the range of `f32`.
    pub fn fit(
        &self,
        level: SimdLevel,
        of: usize,
        leaves: [u32; 2],
        axes: [[f32; 3]; 3],
    ) -> Option<OrientedBox> {
        if !self.near {
            return None;
        }
        let [first, end] = leaves.map(|leaf| self.starts[leaf as usize] as usize);
        let before = &self.before[self.before_starts[of] as usize..self.before_starts[of + 1] as usize];
        // A leaf may own none, and a box has a vertex.
        let reference = if first < end { first } else { *before.first()? as usize };
        let [lo, hi] =
            simd::run(level, Extent { vertices: self, own: first..end, before, reference, axes: &axes });
        let most = (0..3).map(|i| f64::from(hi[i].abs().max(lo[i].abs()))).sum::<f64>();
        let at = [0, 1, 2].map(|k| f64::from(self.places[k][reference]));
        let far = most + at.iter().map(|x| x.abs()).sum::<f64>();
        let room = 8.0 / 16_777_216.0 * most
            + far * (1.0 / (1u64 << 50) as f64)
            + 16.0 * f64::from(f32::MIN_POSITIVE);
        let along = axes.map(|axis| dot(axis.map(f64::from), at));
        let lo = std::array::from_fn(|i| along[i] + f64::from(lo[i]) - room);
        let hi = std::array::from_fn(|i| along[i] + f64::from(hi[i]) + room);
        Some(around(axes, lo, hi))
    }

    /// Axes of the vertices of a box over a range of leaves, by their covariance (Shen et al., eq. 2–5).
    pub fn axes(&self, of: usize, leaves: [u32; 2]) -> Option<[[f32; 3]; 3]> {
        let [first, end] = leaves.map(|leaf| self.starts[leaf as usize]);
        let before = &self.before[self.before_starts[of] as usize..self.before_starts[of + 1] as usize];
        let place = |k: usize| [0, 1, 2].map(|axis| f64::from(self.places[axis][k]));
        let all = || (first..end).chain(before.iter().copied()).map(|k| place(k as usize));
        let reference = all().next()?;
        let (mut sum, mut products) = ([0.0; 3], [[0.0; 3]; 3]);
        for p in all() {
            let d = [0, 1, 2].map(|k| p[k] - reference[k]);
            for i in 0..3 {
                sum[i] += d[i];
                for k in i..3 {
                    products[i][k] += d[i] * d[k];
                }
            }
        }
        let share = 1.0 / (f64::from(end - first) + before.len() as f64);
        let covariance = |i: usize, k: usize| {
            let (i, k) = (i.min(k), i.max(k));
            products[i][k] * share - sum[i] * share * (sum[k] * share)
        };
        let found = eigenvectors([0, 1, 2].map(|i| [0, 1, 2].map(|k| covariance(i, k))));
        Some(found.map(|axis| axis.map(|x| x as f32)))
    }

    /// Bytes of memory held, but for the struct's own.
    pub fn bytes(&self) -> usize {
        let numbers = [&self.order, &self.starts, &self.before_starts, &self.before].map(Vec::capacity);
        let places = self.places.each_ref().map(Vec::capacity);
        4 * numbers.iter().chain(&places).sum::<usize>()
    }
}

/// The least and greatest products of some vertices with three axes, less those of one of them.
struct Extent<'v> {
    vertices: &'v TreeVertices,
    own: std::ops::Range<usize>,
    before: &'v [u32],
    reference: usize,
    axes: &'v [[f32; 3]; 3],
}

impl Kernel for Extent<'_> {
    type Output = [[f32; 3]; 2];

    #[inline(always)]
    fn run<S: Simd>(self) -> [[f32; 3]; 2] {
        let Extent { vertices, own, before, reference, axes } = self;
        let zero = S::F32x8::splat(0.0);
        let (mut at, mut a) = ([zero; 3], [[zero; 3]; 3]);
        for k in 0..3 {
            at[k] = S::F32x8::splat(vertices.places[k][reference]);
            for i in 0..3 {
                a[i][k] = S::F32x8::splat(axes[i][k]);
            }
        }
        // The reference is among them.
        let (mut lo, mut hi) = ([zero; 3], [zero; 3]);
        let whole = own.len() / LANES * LANES;
        let mut next = own.start;
        while next < own.start + whole {
            let mut x = [zero; 3];
            for k in 0..3 {
                x[k] = S::F32x8::load(&vertices.places[k][next..next + LANES]);
            }
            grow(&a, &at, &x, &mut lo, &mut hi);
            next += LANES;
        }
        // What is left over, and the others, gathered.
        let (tail, count) = (own.end - next, own.end - next + before.len());
        let mut from = 0;
        while from < count {
            let mut rows = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                let place = match from + lane {
                    k if k < tail => next + k,
                    k if k < count => before[k - tail] as usize,
                    _ => reference,
                };
                for k in 0..3 {
                    rows[k][lane] = vertices.places[k][place];
                }
            }
            let mut x = [zero; 3];
            for k in 0..3 {
                x[k] = S::F32x8::load(&rows[k]);
            }
            grow(&a, &at, &x, &mut lo, &mut hi);
            from += LANES;
        }
        let (mut least, mut most) = ([0.0f32; 3], [0.0f32; 3]);
        for i in 0..3 {
            let mut lanes = [[0.0; LANES]; 2];
            lo[i].store(&mut lanes[0]);
            hi[i].store(&mut lanes[1]);
            for lane in 0..LANES {
                least[i] = if lanes[0][lane] < least[i] { lanes[0][lane] } else { least[i] };
                most[i] = if lanes[1][lane] > most[i] { lanes[1][lane] } else { most[i] };
            }
        }
        [least, most]
    }
}

/// Takes eight vertices in.
#[inline(always)]
fn grow<V: F32Lanes>(a: &[[V; 3]; 3], at: &[V; 3], x: &[V; 3], lo: &mut [V; 3], hi: &mut [V; 3]) {
    let d = [x[0].sub(at[0]), x[1].sub(at[1]), x[2].sub(at[2])];
    for i in 0..3 {
        let s = a[i][0].mul(d[0]).add(a[i][1].mul(d[1])).add(a[i][2].mul(d[2]));
        lo[i] = s.min(lo[i]);
        hi[i] = s.max(hi[i]);
    }
}
