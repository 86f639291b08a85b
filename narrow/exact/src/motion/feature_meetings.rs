//! Which vertices, edges and faces of surfaces that deform come near each other, of one surface or of two?
//!
//! Every pair of features is asked about once: a vertex or an edge belongs to the first of the triangles around it, and of two
//! triangles only what belongs to them is compared. Features of one surface that share a vertex always touch and are left out;
//! those of neighbouring triangles that do not are compared as any others, so that a fold is seen where it closes. Regions that
//! are proved not to touch themselves ([`super::is_flat`]) are not compared with themselves where no separation is asked for.
//!
//! Source: Curtis, Tamstorf, Manocha, "Fast Collision Detection for Deformable Models using Representative-Triangles", 2008.

use impinge_geometry::{Motion, PairFrame, PairPath, Side, TriMesh};
use impinge_midphase::obb_tree::{self, MotionCounts};
use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::SweepScratch;
use super::feature_pair::{FeatureClearance, FeaturePair};
use super::moving_surface::{DeformingSurface, MovingSurface};
use super::near_triangles::NearTriangles;
use crate::distance::Feature;

/// For each triangle of a mesh the features that it stands for.
#[derive(Clone, Debug, Default)]
pub struct Representatives {
    /// Corners in the lowest three bits, then edges.
    of_triangle: Vec<u8>,
}

impl Representatives {
    /// Gives every vertex and edge of a mesh to the first triangle that has it. Virtual faces stand for nothing.
    pub fn new(mesh: &TriMesh) -> Representatives {
        let mut vertices = vec![false; mesh.vertices().len()];
        let mut edges = vec![false; mesh.edges().len()];
        let mut of_triangle = vec![0u8; mesh.triangles().len()];
        for (t, own) in of_triangle.iter_mut().enumerate() {
            if mesh.is_virtual(t as u32) {
                continue;
            }
            for k in 0..3 {
                let (v, e) = (mesh.triangles()[t][k] as usize, mesh.triangle_edges()[t][k] as usize);
                *own |= u8::from(!std::mem::replace(&mut vertices[v], true)) << k;
                *own |= u8::from(!std::mem::replace(&mut edges[e], true)) << (3 + k);
            }
        }
        Representatives { of_triangle }
    }

    fn has_vertex(&self, triangle: u32, corner: usize) -> bool {
        self.of_triangle[triangle as usize] >> corner & 1 == 1
    }

    fn has_edge(&self, triangle: u32, edge: usize) -> bool {
        self.of_triangle[triangle as usize] >> (3 + edge) & 1 == 1
    }
}

/// A surface whose features are compared.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSurface<'s> {
    /// The surface.
    pub surface: DeformingSurface<'s>,
    /// What its triangles stand for.
    pub features: &'s Representatives,
}

/// Two features that come near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureContact {
    /// When (0 to 1): at no time before are they nearer than the separation asked for.
    pub time: f64,
    /// How far apart they are then (m).
    pub distance: f64,
    /// Unit, from the first to the second (pair frame; of one surface its own).
    pub normal: Vector3<f64>,
    /// The nearest points then (m, in the same frame).
    pub points: [Point3<f64>; 2],
    /// The features: a vertex and a face, or two edges.
    pub features: [Feature; 2],
    /// A triangle with each.
    pub triangles: [u32; 2],
}

/// The first two features of one surface that come near each other, and do not share a vertex.
pub fn first_own_contact(
    surface: &FeatureSurface<'_>,
    clearance: &FeatureClearance,
    scratch: &mut SweepScratch,
) -> Option<FeatureContact> {
    let (mut found, still) = (Vec::new(), still_path());
    FeatureSearch::new([surface; 2], &still, clearance, &mut found, true).own(surface, scratch);
    found.pop()
}

/// All pairs of features of one surface that come near each other and do not share a vertex, by their times: appended to `out`.
pub fn own_contacts(
    surface: &FeatureSurface<'_>,
    clearance: &FeatureClearance,
    out: &mut Vec<FeatureContact>,
    scratch: &mut SweepScratch,
) {
    let (first, still) = (out.len(), still_path());
    FeatureSearch::new([surface; 2], &still, clearance, out, false).own(surface, scratch);
    sort(&mut out[first..]);
}

/// All pairs of features of two surfaces that come near each other, by their times: appended to `out`. Neither side of the path
/// turns.
pub fn contacts_between(
    surfaces: [&FeatureSurface<'_>; 2],
    path: &PairPath,
    clearance: &FeatureClearance,
    out: &mut Vec<FeatureContact>,
    scratch: &mut SweepScratch,
) {
    let first = out.len();
    let mut search = FeatureSearch::new(surfaces, path, clearance, out, false);
    let margin = search.margin();
    let trees = search.surfaces().map(|surface| surface.tree());
    let mut counts = scratch.counts.search;
    let visit = &mut |leaves: [u32; 2], within: [f64; 2]| search.visit(leaves, within);
    obb_tree::meetings(trees, path, [margin, 1.0], &mut scratch.search, visit, &mut counts);
    search.add_counts(counts, scratch);
    sort(&mut out[first..]);
}

fn still_path() -> PairPath<'static> {
    let still = Motion::still(Isometry3::identity());
    PairPath::new([&still, &still])
}

fn sort(found: &mut [FeatureContact]) {
    let key = |c: &FeatureContact| (c.features, c.triangles);
    found.sort_unstable_by(|p, q| p.time.total_cmp(&q.time).then_with(|| key(p).cmp(&key(q))));
}

/// A search that is going on.
struct FeatureSearch<'s> {
    sides: [&'s FeatureSurface<'s>; 2],
    path: &'s PairPath<'s>,
    /// At the begin and the end of the path.
    frames: [PairFrame; 2],
    clearance: FeatureClearance,
    /// What vertices and their boxes may be off by (m).
    error: f64,
    /// Of one surface: features that share a vertex are left out.
    own: bool,
    /// Whether only the first is kept.
    first: bool,
    bound: f64,
    out: &'s mut Vec<FeatureContact>,
    gaps: u64,
    followed: u64,
}

impl<'s> FeatureSearch<'s> {
    fn new(
        sides: [&'s FeatureSurface<'s>; 2],
        path: &'s PairPath<'s>,
        clearance: &FeatureClearance,
        out: &'s mut Vec<FeatureContact>,
        first: bool,
    ) -> FeatureSearch<'s> {
        let error = path.rounding(sides.map(|side| side.surface.tree.reach()));
        let clearance = FeatureClearance { gap: clearance.gap.max(16.0 * error), ..*clearance };
        let frames = [path.at(0.0), path.at(1.0)];
        let own = std::ptr::eq(sides[0], sides[1]);
        FeatureSearch {
            sides,
            path,
            frames,
            clearance,
            error,
            own,
            first,
            bound: 1.0,
            out,
            gaps: 0,
            followed: 0,
        }
    }

    fn surfaces(&self) -> [MovingSurface<'s>; 2] {
        self.sides.map(|side| MovingSurface::Deforming(side.surface))
    }

    /// Boxes that are farther apart than this have nothing to report (m).
    fn margin(&self) -> f64 {
        self.clearance.separation + self.clearance.gap + self.error
    }

    fn own(mut self, surface: &FeatureSurface<'_>, scratch: &mut SweepScratch) {
        let mut counts = scratch.counts.search;
        let (margin, cull) = (self.margin(), self.clearance.separation <= 0.0);
        let visit = &mut |leaves: [u32; 2], within: [f64; 2]| self.visit(leaves, within);
        let tree = surface.surface.tree;
        // What is flat cannot touch itself; it can be nearer than a separation.
        obb_tree::own_meetings(tree, cull, [margin, 1.0], &mut scratch.search, visit, &mut counts);
        self.add_counts(counts, scratch);
    }

    fn add_counts(&self, search: MotionCounts, scratch: &mut SweepScratch) {
        scratch.counts.search = search;
        scratch.counts.gaps += self.gaps;
        scratch.counts.followed += self.followed;
    }

    /// Compares the triangles of two leaves, each two once.
    fn visit(&mut self, leaves: [u32; 2], within: [f64; 2]) -> f64 {
        let same = self.own && leaves[0] == leaves[1];
        let near = NearTriangles::new(self.surfaces(), self.path, leaves, within, self.margin());
        for [p, q] in near.pairs() {
            if !same || p < q {
                self.compare([p, q], within);
            }
        }
        self.bound
    }

    /// Compares what two triangles stand for.
    fn compare(&mut self, triangles: [u32; 2], within: [f64; 2]) {
        let corners = [0, 1].map(|k| self.sides[k].surface.mesh.triangles()[triangles[k] as usize]);
        let edges = [0, 1].map(|k| self.sides[k].surface.mesh.triangle_edges()[triangles[k] as usize]);
        for k in 0..2 {
            for i in 0..3 {
                let v = corners[k][i];
                if self.sides[k].features.has_vertex(triangles[k], i)
                    && !(self.own && corners[1 - k].contains(&v))
                {
                    let [q, r, s] = corners[1 - k];
                    let others = [1 - k; 3];
                    let [from, to] = self.places([k, others[0], others[1], others[2]], [v, q, r, s]);
                    let mut features = [Feature::Vertex(v), Feature::Face(triangles[1 - k])];
                    if k == 1 {
                        features.swap(0, 1);
                    }
                    self.follow(&FeaturePair::VertexFace { from, to }, features, triangles, within, k == 1);
                }
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                let ends =
                    [[corners[0][i], corners[0][(i + 1) % 3]], [corners[1][j], corners[1][(j + 1) % 3]]];
                let joined = self.own && ends[0].iter().any(|v| ends[1].contains(v));
                let here = self.sides[0].features.has_edge(triangles[0], i)
                    && self.sides[1].features.has_edge(triangles[1], j);
                if here && !joined {
                    let [[p, q], [r, s]] = ends;
                    let [from, to] = self.places([0, 0, 1, 1], [p, q, r, s]);
                    let features = [Feature::Edge(edges[0][i]), Feature::Edge(edges[1][j])];
                    self.follow(&FeaturePair::EdgeEdge { from, to }, features, triangles, within, false);
                }
            }
        }
    }

    /// Where vertices of the sides begin and end.
    fn places(&self, sides: [usize; 4], vertices: [u32; 4]) -> [[Point3<f64>; 4]; 2] {
        [0, 1].map(|end| {
            std::array::from_fn(|k| {
                let surface = &self.sides[sides[k]].surface;
                let at = if end == 0 { surface.from } else { surface.to };
                self.frames[end].place(Side::BOTH[sides[k]], &at[vertices[k] as usize])
            })
        })
    }

    fn follow(
        &mut self,
        pair: &FeaturePair,
        features: [Feature; 2],
        triangles: [u32; 2],
        [begin, end]: [f64; 2],
        turned: bool,
    ) {
        if begin >= self.bound {
            return;
        }
        self.followed += 1;
        let within = [begin, end.min(self.bound)];
        let Some(found) = pair.first(&self.clearance, within, &mut self.gaps) else { return };
        let (mut points, mut normal) = (found.points, found.normal);
        if turned {
            points.swap(0, 1);
            normal = -normal;
        }
        let contact = FeatureContact {
            time: found.time,
            distance: found.distance,
            normal,
            points,
            features,
            triangles,
        };
        if !self.first {
            self.out.push(contact);
        } else if found.time < self.bound {
            self.bound = found.time;
            self.out.clear();
            self.out.push(contact);
        }
    }
}
