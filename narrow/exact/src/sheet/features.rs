//! Two triangles whose features are compared.

use impinge_convex::{nearest_of_segments, nearest_on_segment, nearest_on_triangle};
use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::gap::{between_edges, foot};
use super::point::{SheetPoint, SheetReach};
use crate::distance::{Feature, triangle_feature};

/// A triangle where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedTriangle {
    pub triangle: u32,
    pub corners: [Point3<f64>; 3],
    /// Of any length.
    pub normal: Vector3<f64>,
    pub low: Vector3<f64>,
    pub high: Vector3<f64>,
    /// Which of its corners (lowest three bits) and edges it owns.
    pub owns: u8,
}

impl PlacedTriangle {
    /// A triangle of a mesh with its corners at these places.
    pub fn new(mesh: &TriMesh, triangle: u32, corners: [Point3<f64>; 3]) -> PlacedTriangle {
        let [p, q, r] = corners.map(|p| p.coords);
        let mut owns = 0;
        let (vertices, edges) =
            (mesh.triangles()[triangle as usize], mesh.triangle_edges()[triangle as usize]);
        for k in 0..3 {
            owns |= u8::from(mesh.vertex_owners()[vertices[k] as usize] == triangle) << k;
            owns |= u8::from(mesh.edges()[edges[k] as usize].faces[0] == triangle) << (3 + k);
        }
        PlacedTriangle {
            triangle,
            corners,
            normal: (q - p).cross(&(r - p)),
            low: p.inf(&q).inf(&r),
            high: p.sup(&q).sup(&r),
            owns,
        }
    }

    /// Whether its box is nearer to another's than this (m).
    pub fn is_near(&self, other: &PlacedTriangle, within: f64) -> bool {
        (0..3).all(|k| self.low[k] - other.high[k] < within && other.low[k] - self.high[k] < within)
    }

    fn owns_corner(&self, k: usize) -> bool {
        self.owns >> k & 1 == 1
    }

    fn owns_edge(&self, k: usize) -> bool {
        self.owns >> (3 + k) & 1 == 1
    }

    /// Whether the box of something is nearer than this (m).
    fn is_near_box(&self, low: &Vector3<f64>, high: &Vector3<f64>, within: f64) -> bool {
        (0..3).all(|k| self.low[k] - high[k] < within && low[k] - self.high[k] < within)
    }
}

/// Compares the features of pairs of triangles.
pub(super) struct FeatureComparison<'s> {
    pub meshes: [&'s TriMesh; 2],
    /// Of one surface: where its vertices rest (m), if anything is known of that.
    pub rest: Option<&'s [Point3<f64>]>,
    /// Whether both sides are one surface.
    pub own: bool,
    pub reach: SheetReach,
}

impl FeatureComparison<'_> {
    /// Appends the points of two triangles of different surfaces. Gives how many features were measured.
    pub fn compare(&self, triangles: [&PlacedTriangle; 2], out: &mut Vec<SheetPoint>) -> u64 {
        let mut measured = 0;
        for side in 0..2 {
            let (of, face) = (triangles[side], triangles[1 - side]);
            for k in (0..3).filter(|&k| of.owns_corner(k)) {
                let at = &of.corners[k];
                if face.is_near_box(&at.coords, &at.coords, self.reach.most()) {
                    measured += 1;
                    self.vertex(of, k, face, side, out);
                }
            }
        }
        let [a, b] = triangles;
        for i in (0..3).filter(|&i| a.owns_edge(i)) {
            let [p, q] = [&a.corners[i], &a.corners[(i + 1) % 3]];
            if !b.is_near_box(&p.coords.inf(&q.coords), &p.coords.sup(&q.coords), self.reach.most()) {
                continue;
            }
            for j in (0..3).filter(|&j| b.owns_edge(j)) {
                measured += 1;
                self.edges([a, b], [i, j], out);
            }
        }
        measured
    }

    /// Appends the point, if there is one, of a corner of a triangle and another triangle of the same surface.
    #[inline]
    pub fn own_vertex(
        &self,
        of: &PlacedTriangle,
        k: usize,
        face: &PlacedTriangle,
        out: &mut Vec<SheetPoint>,
    ) {
        self.vertex(of, k, face, 0, out);
    }

    /// The same of two edges of triangles of one surface: the lower triangle's first, whatever the order given.
    #[inline]
    pub fn own_edges(&self, [one, two]: [(&PlacedTriangle, usize); 2], out: &mut Vec<SheetPoint>) {
        let [(a, i), (b, j)] = if one.0.triangle > two.0.triangle { [two, one] } else { [one, two] };
        self.edges([a, b], [i, j], out);
    }

    fn vertices(&self, side: usize, triangle: u32) -> [u32; 3] {
        self.meshes[side].triangles()[triangle as usize]
    }

    /// A corner of a triangle of a side, and a triangle of the other.
    fn vertex(
        &self,
        of: &PlacedTriangle,
        k: usize,
        face: &PlacedTriangle,
        side: usize,
        out: &mut Vec<SheetPoint>,
    ) {
        let v = self.vertices(side, of.triangle)[k];
        if self.own && self.vertices(side, face.triangle).contains(&v) {
            return;
        }
        let (p, most) = (&of.corners[k], self.reach.most());
        let Some(foot) = foot(&face.corners, &face.normal, p, most * most) else { return };
        let other = triangle_feature(self.meshes[1 - side].into(), face.triangle, foot.spot);
        if self.own && self.is_of_one_triangle(v, other) {
            return;
        }
        let Some(keep) = self.keep([Feature::Vertex(v), other], foot.squared) else { return };
        let mut weights = [0.0; 3];
        weights[k] = 1.0;
        let across = face.normal;
        let mut point = SheetPoint {
            features: [Feature::Vertex(v), other],
            subshape: 0,
            triangles: [Some(of.triangle), Some(face.triangle)],
            weights: [weights, foot.weights],
            points: [*p, foot.at],
            normal: direction(&(foot.at - p), &across),
            distance: foot.squared.sqrt(),
            keep,
        };
        let turned = if self.own { point.features[0] > point.features[1] } else { side == 1 };
        if turned {
            turn(&mut point);
        }
        out.push(point);
    }

    /// An edge of each.
    fn edges(&self, triangles: [&PlacedTriangle; 2], at: [usize; 2], out: &mut Vec<SheetPoint>) {
        let ends = [0, 1].map(|s| {
            let [k, v] = [at[s], (at[s] + 1) % 3];
            let all = self.vertices(s, triangles[s].triangle);
            [all[k], all[v]]
        });
        if self.own && ends[0].iter().any(|v| ends[1].contains(v)) {
            return;
        }
        let corners = [0, 1].map(|s| [&triangles[s].corners[at[s]], &triangles[s].corners[(at[s] + 1) % 3]]);
        let most = self.reach.most();
        let Some((shares, points)) = between_edges(corners[0], corners[1], most * most) else { return };
        let features = [0, 1]
            .map(|s| Feature::Edge(self.meshes[s].triangle_edges()[triangles[s].triangle as usize][at[s]]));
        let between = points[1] - points[0];
        let Some(keep) = self.keep(features, between.norm_squared()) else { return };
        let weights = [0, 1].map(|s| {
            let mut weights = [0.0; 3];
            (weights[at[s]], weights[(at[s] + 1) % 3]) = (1.0 - shares[s], shares[s]);
            weights
        });
        let across = (corners[0][1] - corners[0][0]).cross(&(corners[1][1] - corners[1][0]));
        let mut point = SheetPoint {
            features,
            subshape: 0,
            triangles: triangles.map(|t| Some(t.triangle)),
            weights,
            points,
            normal: direction(&between, &across),
            distance: between.norm(),
            keep,
        };
        if self.own && point.features[0] > point.features[1] {
            turn(&mut point);
        }
        out.push(point);
    }

    /// Whether a vertex and a feature of a triangle that has it not are of one triangle.
    fn is_of_one_triangle(&self, v: u32, other: Feature) -> bool {
        let mesh = self.meshes[0];
        match other {
            Feature::Vertex(w) => mesh.edge_between(v, w).is_some(),
            Feature::Edge(e) => mesh.edge_faces(e).iter().any(|&f| mesh.triangles()[f as usize].contains(&v)),
            Feature::Face(_) | Feature::Smooth => false,
        }
    }

    /// How far apart features should be (m) that are apart by the root of `squared` now; nothing where they are far enough apart.
    fn keep(&self, features: [Feature; 2], squared: f64) -> Option<f64> {
        let SheetReach { thickness, .. } = self.reach;
        let Some(rest) = self.rest.filter(|_| self.own) else { return Some(thickness) };
        let rested = rest_squared(self.meshes[0], rest, features);
        if rested >= self.reach.most() * self.reach.most() {
            return Some(thickness);
        }
        (squared < rested).then(|| thickness.min(rested.sqrt()))
    }
}

/// How far apart two features of a mesh rest (m²).
fn rest_squared(mesh: &TriMesh, rest: &[Point3<f64>], features: [Feature; 2]) -> f64 {
    let place = |v: u32| rest[v as usize];
    let ends = |e: u32| mesh.edges()[e as usize].vertices.map(place);
    let between = match features {
        [Feature::Vertex(v), Feature::Vertex(w)] => place(v) - place(w),
        [Feature::Vertex(v), Feature::Edge(e)] | [Feature::Edge(e), Feature::Vertex(v)] => {
            let [p, q] = ends(e);
            nearest_on_segment(&p, &q, &place(v)) - place(v)
        }
        [Feature::Vertex(v), Feature::Face(f)] | [Feature::Face(f), Feature::Vertex(v)] => {
            nearest_on_triangle(&mesh.triangles()[f as usize].map(place), &place(v)) - place(v)
        }
        [Feature::Edge(e), Feature::Edge(f)] => {
            let (p, q) = nearest_of_segments(&ends(e), &ends(f));
            q - p
        }
        _ => return f64::INFINITY,
    };
    between.norm_squared()
}

/// The direction of a gap; of one without, what is across it.
fn direction(between: &Vector3<f64>, across: &Vector3<f64>) -> Vector3<f64> {
    let least = f64::MIN_POSITIVE;
    between.try_normalize(least).or_else(|| across.try_normalize(least)).unwrap_or_else(Vector3::z)
}

fn turn(point: &mut SheetPoint) {
    point.features.swap(0, 1);
    point.triangles.swap(0, 1);
    point.weights.swap(0, 1);
    point.points.swap(0, 1);
    point.normal = -point.normal;
}
