//! The distance of two surfaces of triangles.

use impinge_geometry::{FacesRef, PairFrame, Side, SimdLevel, predicate};
use impinge_midphase::Surface;
use impinge_midphase::obb_tree::{self, Reached};
use nalgebra::{Point3, Vector3};

use super::answer::{
    Contact, DistanceCounts, DistanceMemory, DistanceScratch, Feature, Proximity, Separation,
};
use super::filter::{Judged, Leaf, axis_tells, judge};
use super::proof::Proof;
use super::triangle::{Spot, between_lines, inside_segment, triangle_gap};
use crate::intersect::Surfaces;
use crate::touch::apart_or_contained;
use impinge_geometry::Containment;

/// The distance of two surfaces, if it is not greater than `bound`.
pub(super) fn distance(
    surfaces: [&Surface; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Proximity> {
    let search = search(surfaces, frame, (bound, Contact::Possible), memory, scratch);
    if let Some(triangles) = search.touching {
        return Some(Proximity::Touching { containment: Containment::None, triangles: Some(triangles) });
    }
    let found = search.best.map(|best| best.separation(search.meshes, frame));
    match apart_or_contained(&Surfaces::new(surfaces, frame), None, &mut scratch.touch) {
        Containment::None => found.map(Proximity::Apart),
        containment => Some(Proximity::Touching { containment, triangles: None }),
    }
}

/// As [`distance`], of surfaces that are known to be apart.
pub(super) fn distance_apart(
    surfaces: [&Surface; 2],
    frame: &PairFrame,
    bound: f64,
    memory: &DistanceMemory,
    scratch: &mut DistanceScratch,
) -> Option<Separation> {
    let search = search(surfaces, frame, (bound, Contact::RuledOut), memory, scratch);
    search.best.map(|best| best.separation(search.meshes, frame))
}

/// Searches for the nearest triangles up to `bound`.
fn search<'s>(
    surfaces: [&'s Surface; 2],
    frame: &PairFrame,
    (bound, contact): (f64, Contact),
    memory: &DistanceMemory,
    scratch: &mut DistanceScratch,
) -> SurfaceSearch<'s> {
    let [a, b] = surfaces;
    let mut search = SurfaceSearch {
        meshes: surfaces.map(Surface::faces),
        // What lies at the bound itself is wanted too.
        reached: Reached { bound: bound.next_up(), axis: Vector3::zeros() },
        best: None,
        contact,
        touching: None,
        counts: scratch.counts,
    };
    if let Some(pair) = memory.triangles.filter(|pair| search.may_hold(pair)) {
        search.measure(pair, &placed(search.meshes, frame, pair));
    }
    let level = a.tree.simd();
    let mut leaves = [Leaf::NONE, Leaf::NONE];
    let (start, mut counts) = (search.reached, search.counts.search);
    let mut proof = Proof::new(surfaces, frame);
    let visit = &mut |leaf_a: u32, leaf_b: u32| {
        let [of_a, of_b] = &mut leaves;
        of_a.place(a.faces(), &a.tree, frame, Side::A, leaf_a);
        of_b.place(b.faces(), &b.tree, frame, Side::B, leaf_b);
        search.look(of_a, of_b, level);
        if proof.is_due() && proof.holds(search.reached.bound, search.axes(frame)) {
            // Nothing is nearer: nothing else is of interest.
            return Reached { bound: 0.0, ..search.reached };
        }
        search.reached
    };
    obb_tree::nearest([&a.tree, &b.tree], frame, start, &mut scratch.search, visit, &mut counts);
    search.counts.search = counts;
    scratch.counts = search.counts;
    search
}

/// A search that is going on.
struct SurfaceSearch<'a> {
    meshes: [FacesRef<'a>; 2],
    reached: Reached,
    best: Option<NearestTriangles>,
    contact: Contact,
    touching: Option<[u32; 2]>,
    counts: DistanceCounts,
}

/// The nearest pair of triangles so far.
#[derive(Clone, Copy)]
struct NearestTriangles {
    triangles: [u32; 2],
    spots: [Spot; 2],
}

type Corners = [Point3<f64>; 3];

impl SurfaceSearch<'_> {
    /// Whether remembered triangles are of these meshes, and can be touched.
    fn may_hold(&self, pair: &[u32; 2]) -> bool {
        (0..2).all(|k| self.meshes[k].has_triangle(pair[k]) && !self.meshes[k].is_virtual(pair[k]))
    }

    /// Directions across which planes may part the surfaces: that of the nearest points, and the normals of the
    /// triangles they lie in (unit, from A to B, or zero).
    fn axes(&self, frame: &PairFrame) -> [Vector3<f64>; 3] {
        let axis = self.reached.axis;
        let normals = self.best.map_or([Vector3::zeros(); 2], |best| {
            placed(self.meshes, frame, best.triangles).map(|[a, b, c]| {
                let n = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
                if n.dot(&axis) < 0.0 { -n } else { n }
            })
        });
        [axis, normals[0], normals[1]]
    }

    /// Looks for something nearer in a pair of leaves.
    fn look(&mut self, a: &Leaf, b: &Leaf, level: SimdLevel) {
        if axis_tells(a, b, &self.reached.axis, self.reached.bound) {
            return;
        }
        judge(a, b, self.reached.bound, level, &mut |judged: &Judged| {
            self.counts.rows += 1;
            let mut open = judged.open;
            while open != 0 && self.reached.bound > 0.0 {
                // The one that seems nearest first.
                let mut lane = open.trailing_zeros();
                for other in lane + 1..8 {
                    if open >> other & 1 == 1 && judged.about[other as usize] < judged.about[lane as usize] {
                        lane = other;
                    }
                }
                open &= !(1 << lane);
                let [i, j] = judged.pair(lane as usize);
                self.measure([a.triangles[i], b.triangles[j]], &[a.corners[i], b.corners[j]]);
            }
        });
    }

    /// Measures a pair of triangles.
    fn measure(&mut self, triangles: [u32; 2], [a, b]: &[Corners; 2]) {
        self.counts.measured += 1;
        let gap = triangle_gap(a, b);
        if self.contact == Contact::Possible && !gap.is_proved(a, b) && predicate::triangles_touch(a, b) {
            self.touching = Some(triangles);
            self.reached.bound = 0.0;
            return;
        }
        // What does not touch is apart, if only by less than can be said; the search ends at 0.
        let distance = gap.squared.sqrt().max(f64::MIN_POSITIVE);
        if distance < self.reached.bound {
            let axis = (gap.points[1] - gap.points[0]).try_normalize(1e-150).unwrap_or_default();
            self.reached = Reached { bound: distance, axis };
            self.best = Some(NearestTriangles { triangles, spots: gap.spots });
        }
    }
}

fn placed(meshes: [FacesRef<'_>; 2], frame: &PairFrame, triangles: [u32; 2]) -> [Corners; 2] {
    Side::BOTH.map(|side| {
        let k = side.index();
        meshes[k].corners(triangles[k]).map(|p| frame.place(side, &p))
    })
}

/// The nearest points of two triangles that do not touch; `None` where they have the same place.
pub fn separation(meshes: [FacesRef<'_>; 2], frame: &PairFrame, triangles: [u32; 2]) -> Option<Separation> {
    let [a, b] = placed(meshes, frame, triangles);
    let gap = triangle_gap(&a, &b);
    (gap.squared > 0.0).then(|| NearestTriangles { triangles, spots: gap.spots }.separation(meshes, frame))
}

impl NearestTriangles {
    /// The answer. Points are worked out again from the features, edges from their lower vertex on, so
    /// that they do not depend on which of the triangles around a feature was met first.
    fn separation(&self, meshes: [FacesRef<'_>; 2], frame: &PairFrame) -> Separation {
        let corners = placed(meshes, frame, self.triangles);
        let features = [0, 1].map(|k| feature(meshes[k], self.triangles[k], self.spots[k]));
        let edge = |k: usize, e: usize| {
            let [p, q] = [e, (e + 1) % 3];
            let vertices = meshes[k].vertices_of(self.triangles[k]);
            let [p, q] = if vertices[p] < vertices[q] { [p, q] } else { [q, p] };
            [corners[k][p], corners[k][q]]
        };
        let recomputed = match self.spots {
            [Spot::Corner(i), Spot::Corner(j)] => Some([corners[0][i], corners[1][j]]),
            [Spot::Corner(i), Spot::Edge(j)] => {
                Some([corners[0][i], inside_segment(edge(1, j), &corners[0][i])])
            }
            [Spot::Edge(i), Spot::Corner(j)] => {
                Some([inside_segment(edge(0, i), &corners[1][j]), corners[1][j]])
            }
            [Spot::Edge(i), Spot::Edge(j)] => between_lines(edge(0, i), edge(1, j)),
            [Spot::Inside, _] | [_, Spot::Inside] => None,
        };
        let points = recomputed.unwrap_or_else(|| triangle_gap(&corners[0], &corners[1]).points);
        let between = points[1] - points[0];
        Separation {
            distance: between.norm().max(f64::MIN_POSITIVE),
            normal: normal(&between, &features, &corners),
            points,
            features,
            triangles: self.triangles.map(Some),
        }
    }
}

/// From A to B: along the line of the points. Nearly equal points have lost its digits; there a face, or
/// the two edges, say it again.
fn normal(between: &Vector3<f64>, features: &[Feature; 2], corners: &[Corners; 2]) -> Vector3<f64> {
    let of_face = |k: usize| (corners[k][1] - corners[k][0]).cross(&(corners[k][2] - corners[k][0]));
    let size = corners.iter().flatten().map(|p| p.coords.amax()).fold(0.0, f64::max);
    let along = between.try_normalize(1e-150);
    if let Some(n) = along
        && between.norm() > 1e-6 * size
    {
        return n;
    }
    let clear = match features {
        [Feature::Face(_), _] => of_face(0).try_normalize(0.0),
        [_, Feature::Face(_)] => of_face(1).try_normalize(0.0),
        _ => None,
    };
    match (clear, along) {
        (Some(n), Some(along)) => {
            if n.dot(&along) < 0.0 {
                -n
            } else {
                n
            }
        }
        (Some(n), None) => n,
        (None, along) => along.unwrap_or_else(Vector3::z),
    }
}

/// What of a mesh a place in a triangle is.
pub(crate) fn feature(mesh: FacesRef<'_>, triangle: u32, spot: Spot) -> Feature {
    match spot {
        Spot::Corner(k) => Feature::Vertex(mesh.vertices_of(triangle)[k]),
        Spot::Edge(k) => Feature::Edge(mesh.edges_of(triangle)[k]),
        Spot::Inside => Feature::Face(triangle),
    }
}
