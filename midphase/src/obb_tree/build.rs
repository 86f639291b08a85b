//! Building a tree: plan the nodes from the top, then fit the boxes.
//!
//! A range of triangles is split in two, the part with the larger box again, until there are eight
//! parts or none is left to split: those are the children of one node. The planning works on
//! copies of the triangles that were moved to the origin and scaled to unit size, so it behaves
//! the same at every scale; the boxes are fitted to the mesh's own vertices.

use impinge_geometry::{SimdLevel, TriMesh};
use nalgebra::Point3;
use rayon::prelude::*;

use super::fit::fit;
use super::inner_ball::KeptBalls;
use super::leaf::Leaves;
use super::loose::split_loose;
use super::node::{Child, Node, OrientedBox, Summary, WIDTH};
use super::refine::{Points, is_sampled, refine};
use super::refit::cost;
use super::split::{TrianglePart, split};
use super::tree_vertices::TreeVertices;
use super::{LEAF_TRIANGLES, ObbTree};

/// Where the axes of a box come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Covariance {
    /// The triangles' areas (Gottschalk, 2000): independent of how finely a surface is meshed.
    #[default]
    Areas,
    /// The triangles' vertices (Shen et al., eq. 2–5).
    Vertices,
}

/// How much work goes into a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildSettings {
    /// Where the axes come from.
    pub covariance: Covariance,
    /// Halving steps of the rotation that shrinks each box: 2 is usual, 0 leaves boxes as they are,
    /// more than 4 gains nothing.
    pub refine_steps: u32,
    /// How sets of triangles are split.
    pub splits: Splits,
}

/// How a set of triangles is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Splits {
    /// Every part in the frame of its own box, where the surface-area heuristic finds it cheapest on
    /// any of the three axes.
    #[default]
    Fine,
    /// All parts of a node in the frame of the node's box, along the part's longest axis; the last
    /// few triangles in halves.
    Coarse,
}

impl Default for BuildSettings {
    fn default() -> BuildSettings {
        BuildSettings { covariance: Covariance::Areas, refine_steps: 2, splits: Splits::Fine }
    }
}

impl BuildSettings {
    /// For meshes made at run time: less than half the time. Queries make up to 28 % more box tests, and on
    /// thin bodies up to twice as many leaf pairs are left.
    pub const QUICK: BuildSettings =
        BuildSettings { covariance: Covariance::Areas, refine_steps: 0, splits: Splits::Coarse };
}

/// Below this many triangles a range is planned by one thread.
const PARALLEL: usize = 4096;

/// A triangle while the tree is planned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prim {
    /// Corners, moved and scaled.
    pub corners: [[f32; 3]; 3],
    /// The triangle's id.
    pub id: u32,
    /// Least, then greatest product of a corner with each of the axes of the part it is in.
    pub bounds: [f32; 6],
}

/// A node that is planned: up to eight parts and what stands below each.
struct Plan {
    parts: Vec<TrianglePart>,
    /// `None` below a leaf.
    below: Vec<Option<Plan>>,
}

pub(super) fn build(mesh: &TriMesh, settings: &BuildSettings) -> ObbTree {
    let mut prims = prims(mesh);
    let whole = TrianglePart::measure(&mut prims, 0, settings);
    let plan = (prims.len() > LEAF_TRIANGLES).then(|| plan(&mut prims, whole.clone(), settings, 0));
    let mut flat = Flat::default();
    flat.nodes.push(Node::EMPTY);
    flat.parts.push((0, 0, whole.clone()));
    flat.nodes[0].child[0] = match &plan {
        Some(plan) => Child::node(flat.take(plan)),
        None => flat.leaf(&whole),
    };
    let triangles: Vec<u32> = prims.iter().map(|p| p.id).collect();
    let make_box = |points: &mut Points, part: &TrianglePart| {
        let range = part.range();
        if settings.refine_steps == 0 {
            return fit(mesh, &triangles[range], part.axes);
        }
        let axes = refine(&prims[range.clone()], part.axes, settings.refine_steps, points);
        let refined = fit(mesh, &triangles[range.clone()], axes);
        if !is_sampled(range.len()) {
            return refined;
        }
        // Judged by a sample, it may have become larger.
        let plain = fit(mesh, &triangles[range], part.axes);
        if plain.area() < refined.area() { plain } else { refined }
    };
    let boxes: Vec<OrientedBox> = flat
        .parts
        .par_iter()
        .with_min_len(16)
        .map_init(Points::default, |points, (_, _, part)| make_box(points, part))
        .collect();
    for ((node, lane, _), b) in flat.parts.iter().zip(&boxes) {
        flat.nodes[*node as usize].set(*lane, b);
    }
    let mut tree = ObbTree {
        built_cost: cost(&flat.nodes),
        summaries: flat.nodes.iter().map(Summary::new).collect(),
        nodes: flat.nodes,
        reach: reach(mesh),
        triangles,
        leaf_places: flat.leaf_places,
        gaps: 0,
        leaves: Leaves::default(),
        areas: None,
        ranges: Vec::new(),
        places: Vec::new(),
        vertices: TreeVertices::default(),
        worn: 0,
        computed: None,
        inner: KeptBalls::new(),
        simd: SimdLevel::detect(),
    };
    tree.nodes.shrink_to_fit();
    tree.leaf_places.shrink_to_fit();
    tree.leaves.fill(tree.simd, mesh, &tree.triangles, &tree.leaf_places);
    tree
}

/// An upper bound of the distance of a vertex from the mesh's origin (m).
pub(super) fn reach(mesh: &TriMesh) -> f64 {
    let aabb = mesh.aabb();
    let most = |k: usize| f64::from(aabb.min[k].abs().max(aabb.max[k].abs()));
    most(0) + most(1) + most(2)
}

/// The triangles, moved to the origin and scaled by a power of two to at most unit size.
fn prims(mesh: &TriMesh) -> Vec<Prim> {
    let aabb = mesh.aabb();
    let bounds = |k: usize| (f64::from(aabb.min[k]), f64::from(aabb.max[k]));
    let center: [f64; 3] = std::array::from_fn(|k| 0.5 * (bounds(k).0 + bounds(k).1));
    let half = (0..3).map(|k| 0.5 * (bounds(k).1 - bounds(k).0)).fold(f64::MIN_POSITIVE, f64::max);
    // The power of two next below 1 / half; half is at least 2⁻¹⁵⁰ and at most 2¹²⁸.
    let exponent = (half.to_bits() >> 52) as i64 - 1023;
    let scale = f64::from_bits(((1022 - exponent).clamp(1, 2046) as u64) << 52);
    let local = |p: Point3<f32>| std::array::from_fn(|k| ((f64::from(p[k]) - center[k]) * scale) as f32);
    (0..mesh.triangles().len() as u32)
        .filter(|&id| mesh.has_triangle(id))
        .map(|id| Prim { corners: mesh.corners(id).map(local), id, bounds: [0.0; 6] })
        .collect()
}

/// Plans the node below `whole`, whose triangles are `prims`, and everything under it.
fn plan(prims: &mut [Prim], whole: TrianglePart, settings: &BuildSettings, depth: u32) -> Plan {
    let (start, count) = (whole.start, whole.len());
    let mut parts = Vec::with_capacity(WIDTH);
    parts.push(whole);
    while parts.len() < WIDTH {
        let Some(at) = next_split(&parts, count) else { break };
        let part = &parts[at];
        let own = &mut prims[(part.start - start) as usize..(part.end - start) as usize];
        let (left, right) = split(own, part, settings, depth);
        parts[at] = left;
        parts.insert(at + 1, right);
    }
    if settings.splits == Splits::Coarse {
        for part in &mut parts {
            let own = &mut prims[(part.start - start) as usize..(part.end - start) as usize];
            *part = TrianglePart::measure(own, part.start, settings);
        }
    }
    split_loose(prims, &mut parts, settings);
    let mut slices = Vec::with_capacity(parts.len());
    let mut rest = prims;
    for part in &parts {
        let (own, tail) = rest.split_at_mut(part.len());
        slices.push((part, own));
        rest = tail;
    }
    let below = plan_all(slices, settings, depth + 1);
    Plan { parts, below }
}

/// The part to be split next: the one with the largest box among those that are more than a node's
/// worth of leaves; then, as long as there is room, those that are two leaves. What lies between
/// fills a node of its own. A node of leaves alone is split until its parts are leaves.
fn next_split(parts: &[TrianglePart], whole: usize) -> Option<usize> {
    let largest = |wanted: &dyn Fn(usize) -> bool| {
        let mut best: Option<usize> = None;
        for (at, part) in parts.iter().enumerate() {
            if wanted(part.len()) && best.is_none_or(|b| part.area > parts[b].area) {
                best = Some(at);
            }
        }
        best
    };
    if whole <= FULL {
        return largest(&|n| n > LEAF_TRIANGLES);
    }
    largest(&|n| n > FULL).or_else(|| largest(&|n| n > LEAF_TRIANGLES && n <= 2 * LEAF_TRIANGLES))
}

/// Triangles in a node of full leaves.
pub(super) const FULL: usize = WIDTH * LEAF_TRIANGLES;

fn plan_all(
    mut parts: Vec<(&TrianglePart, &mut [Prim])>,
    settings: &BuildSettings,
    depth: u32,
) -> Vec<Option<Plan>> {
    let triangles: usize = parts.iter().map(|(_, own)| own.len()).sum();
    if parts.len() > 1 && triangles > PARALLEL {
        let right = parts.split_off(parts.len() / 2);
        let (mut left, right) =
            rayon::join(|| plan_all(parts, settings, depth), || plan_all(right, settings, depth));
        left.extend(right);
        return left;
    }
    let one = |(part, own): (&TrianglePart, &mut [Prim])| {
        if own.len() > LEAF_TRIANGLES {
            return Some(plan(own, part.clone(), settings, depth));
        }
        // A loose leaf for which the node had no room becomes a node.
        let mut parts = vec![part.clone()];
        split_loose(own, &mut parts, settings);
        (parts.len() > 1).then(|| Plan { below: parts.iter().map(|_| None).collect(), parts })
    };
    parts.into_iter().map(one).collect()
}

/// A plan laid out flat: nodes in the order in which a walk first meets them.
#[derive(Default)]
struct Flat {
    nodes: Vec<Node>,
    leaf_places: Vec<[u32; 2]>,
    /// Node, lane and what stands there.
    parts: Vec<(u32, usize, TrianglePart)>,
}

impl Flat {
    fn take(&mut self, plan: &Plan) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node::EMPTY);
        for (lane, (part, below)) in plan.parts.iter().zip(&plan.below).enumerate() {
            self.parts.push((index, lane, part.clone()));
            let child = match below {
                Some(plan) => Child::node(self.take(plan)),
                None => self.leaf(part),
            };
            self.nodes[index as usize].child[lane] = child;
        }
        index
    }

    fn leaf(&mut self, part: &TrianglePart) -> Child {
        let range = part.range();
        self.leaf_places.push([range.start as u32, range.end as u32]);
        Child::leaf(self.leaf_places.len() as u32 - 1)
    }
}
