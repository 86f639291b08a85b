//! Triangles that touch without crossing: a corner on a face, an edge on a face, two edges, or two
//! faces in one plane.

use std::ops::Range;

use impinge_geometry::Side;
use impinge_geometry::predicate::{self, orient2d, orient3d};
use nalgebra::{Point3, Vector3};

use super::placed::Face;
use super::shift::Shift;

/// Two triangles that touch and have no segment, or lie in one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct DegeneratePair {
    /// The triangle of A and that of B.
    pub triangles: [u32; 2],
    /// Which features meet.
    pub kind: TouchKind,
    /// The ends of the segment in which they meet, or twice its only point (m, pair frame). Of
    /// coplanar triangles, two points of their overlap.
    pub points: [Point3<f64>; 2],
    /// Unit normal of the features that meet, from A to B by the faces' outward normals.
    pub normal: Vector3<f64>,
}

/// Which features meet.
#[derive(Clone, Debug, PartialEq)]
pub enum TouchKind {
    /// A corner of this side on the other's face; the normal is the face's.
    Vertex(Side),
    /// An edge of this side in the other's face; the normal is the face's.
    Edge(Side),
    /// Two edges, or two corners. The normal is the edges' common perpendicular, or halfway between
    /// the faces' where there is none.
    Edges,
    /// Two faces in one plane; the normal is that of A's face.
    Coplanar(Coplanar),
}

/// Where two faces in one plane overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Coplanar {
    /// The corners of the overlap in [`super::Intersections::polygons`], counter-clockwise seen from
    /// outside A; none where it has no area.
    pub polygon: Range<u32>,
    /// Its area (m²).
    pub area: f64,
    /// Its centroid (m, pair frame).
    pub center: Point3<f64>,
    /// Whether the outward normals agree (the solids lie on the same side of the plane) and do not
    /// oppose each other (the solids meet face to face).
    pub same_side: bool,
    /// Whether the contours count the overlap as a part of A's surface that is inside B.
    pub counted: bool,
}

impl DegeneratePair {
    /// The vector to add to the contours' area vector G (m²) so that faces that meet face to face count in
    /// full, and faces with a common outward side count half: the mean of what G is for the smallest
    /// shift to either side. Zero for pairs that are not coplanar.
    pub fn correction(&self) -> Vector3<f64> {
        match &self.kind {
            TouchKind::Coplanar(c) => {
                let wanted = if c.same_side { 0.5 } else { 1.0 };
                self.normal * (c.area * (wanted - if c.counted { 1.0 } else { 0.0 }))
            }
            _ => Vector3::zeros(),
        }
    }
}

/// Describes two faces that touch. `sides` as in [`super::crossing::Meeting`].
pub(super) fn describe(
    faces: [&Face; 2],
    sides: &[[f64; 3]; 2],
    shift: &Shift,
    polygons: &mut Vec<Point3<f64>>,
) -> DegeneratePair {
    let [a, b] = faces;
    let normals = faces.map(|f| unit(f.plane.normal()).unwrap_or_else(Vector3::z));
    let triangles = faces.map(|f| f.triangle);
    if sides[1] == [0.0; 3] {
        let (coplanar, points) = coplanar(faces, shift, polygons);
        let points = points.unwrap_or_else(|| witness(faces, sides, &normals).points);
        return DegeneratePair { triangles, kind: TouchKind::Coplanar(coplanar), points, normal: normals[0] };
    }
    let found = witness(faces, sides, &normals);
    let [on_a, on_b] = found.corners;
    let halfway = unit(&(normals[0] - normals[1])).unwrap_or(normals[0]);
    // Corners that lie in the other's plane: an edge of B is in A's face where two of B's are.
    let in_plane = sides.map(|s| s.iter().filter(|&&x| x == 0.0).count());
    let (kind, normal) = match (in_plane[0] >= 2, in_plane[1] >= 2) {
        (true, true) => (TouchKind::Edges, halfway),
        (false, true) => (TouchKind::Edge(Side::B), normals[0]),
        (true, false) => (TouchKind::Edge(Side::A), -normals[1]),
        (false, false) => match (on_a > 0, on_b > 0) {
            (false, true) => (TouchKind::Vertex(Side::B), normals[0]),
            (true, false) => (TouchKind::Vertex(Side::A), -normals[1]),
            (true, true) => (TouchKind::Edges, halfway),
            (false, false) => (TouchKind::Edges, perpendicular(a, b, found.edges, &halfway)),
        },
    };
    DegeneratePair { triangles, kind, points: found.points, normal }
}

/// The common perpendicular of two edges, turned the way of `towards`.
fn perpendicular(a: &Face, b: &Face, edges: Option<[usize; 2]>, towards: &Vector3<f64>) -> Vector3<f64> {
    let direction = |f: &Face, k: usize| {
        let [p, q] = f.edge(k);
        unit(&(q - p)).unwrap_or_else(Vector3::zeros)
    };
    let Some([i, j]) = edges else { return *towards };
    match unit(&direction(a, i).cross(&direction(b, j))) {
        Some(n) if n.dot(towards) < 0.0 => -n,
        Some(n) => n,
        None => *towards,
    }
}

struct Witness {
    points: [Point3<f64>; 2],
    /// How many corners of A lie on B's face, and of B on A's.
    corners: [usize; 2],
    /// The edges that cross, where some do.
    edges: Option<[usize; 2]>,
}

/// Where two touching faces meet: the outermost of the corners that lie on the other's face and of
/// the places where edges cross.
fn witness(faces: [&Face; 2], sides: &[[f64; 3]; 2], normals: &[Vector3<f64>; 2]) -> Witness {
    let [a, b] = faces;
    let along = normals[0].cross(&normals[1]);
    let mut found = Witness {
        points: [*a.corners().first().unwrap_or(&Point3::origin()); 2],
        corners: [0; 2],
        edges: None,
    };
    let mut reach: Option<[f64; 2]> = None;
    let mut take = |p: Point3<f64>, points: &mut [Point3<f64>; 2]| {
        let s = along.dot(&p.coords);
        match &mut reach {
            None => (reach, *points) = (Some([s; 2]), [p; 2]),
            Some([low, _]) if s < *low => (*low, points[0]) = (s, p),
            Some([_, high]) if s > *high => (*high, points[1]) = (s, p),
            Some(_) => {}
        }
    };
    for (own, other) in [(0, 1), (1, 0)] {
        for (p, side) in faces[own].corners().iter().zip(sides[own]) {
            if side == 0.0 && predicate::point_in_triangle(p, faces[other].corners()) {
                found.corners[own] += 1;
                take(*p, &mut found.points);
            }
        }
    }
    // A corner is an end of what its triangle has on the common line. So two places are both ends,
    // and one is all there is where a triangle only stands on its corner.
    let stands = |s: &[f64; 3]| {
        let count = |is: fn(f64) -> bool| s.iter().filter(|&&x| is(x)).count();
        count(|x| x == 0.0) == 1 && count(|x| x > 0.0) != 1
    };
    let one = found.corners != [0; 2];
    if one && (found.points[0] != found.points[1] || sides.iter().any(stands)) {
        return found;
    }
    for i in 0..3 {
        for j in 0..3 {
            let ([p, q], [r, s]) = (a.edge(i), b.edge(j));
            if orient3d(p, q, r, s) == 0.0 && predicate::segments_touch([p, q], [r, s]) {
                found.edges.get_or_insert([i, j]);
                take(closest(p, q, r, s), &mut found.points);
            }
        }
    }
    found
}

/// The point of `p q` next to the line `r s`; the middle of what they share where they are parallel.
fn closest(p: &Point3<f64>, q: &Point3<f64>, r: &Point3<f64>, s: &Point3<f64>) -> Point3<f64> {
    let (u, v) = (q - p, s - r);
    let n = u.cross(&v);
    let square = n.norm_squared();
    let parallel = square <= 1e-24 * u.norm_squared() * v.norm_squared();
    let t = if parallel {
        let along = |x: &Point3<f64>| ((x - p).dot(&u) / u.norm_squared()).clamp(0.0, 1.0);
        0.5 * (along(r) + along(s))
    } else {
        (r - p).cross(&v).dot(&n) / square
    };
    if t.is_finite() { p + u * t.clamp(0.0, 1.0) } else { *p }
}

/// The overlap of two faces in one plane, and two of its points where clipping finds any.
fn coplanar(
    [a, b]: [&Face; 2],
    shift: &Shift,
    polygons: &mut Vec<Point3<f64>>,
) -> (Coplanar, Option<[Point3<f64>; 2]>) {
    let (ca, cb) = (a.corners(), b.corners());
    let n = a.plane.normal();
    let axis = n.iamax();
    let turn = orient2d(axis, &ca[0], &ca[1], &ca[2]);
    let same_side = (turn > 0.0) == (orient2d(axis, &cb[0], &cb[1], &cb[2]) > 0.0);
    // B moved by e: along A's normal it brings A's face inside B where both solids lie below it,
    // against it where B lies above.
    let up = shift.along_normal(ca);
    let counted = if same_side { up > 0 } else { up < 0 };
    let (mut corners, count) = clip(axis, turn > 0.0, ca, cb);
    let corners = &mut corners[..count];
    if !same_side {
        corners.reverse();
    }
    let start = polygons.len() as u32;
    let mut found = Coplanar { polygon: start..start, area: 0.0, center: ca[0], same_side, counted };
    let ends = (count > 0).then(|| [corners[0], corners[count / 2]]);
    // What rounding makes of an overlap without area is no area.
    let least = 1e-14 * n.norm().min(b.plane.normal().norm());
    let Some((area, center)) = area_and_center(corners, n).filter(|x| x.0 > least) else {
        return (found, ends);
    };
    polygons.extend_from_slice(corners);
    found.polygon = start..polygons.len() as u32;
    (found.area, found.center) = (area, center);
    (found, ends)
}

/// Corners of a clipped triangle: each of the clipping edges adds one at most.
type Corners = [Point3<f64>; 6];

/// The part of `subject` inside the coplanar triangle `window` (Sutherland and Hodgman, "Reentrant
/// Polygon Clipping", 1974).
fn clip(axis: usize, ccw: bool, window: &[Point3<f64>; 3], subject: &[Point3<f64>; 3]) -> (Corners, usize) {
    let mut corners: Corners = [subject[0]; 6];
    corners[..3].copy_from_slice(subject);
    let mut count = 3;
    for k in 0..3 {
        let (from, to) = (&window[k], &window[(k + 1) % 3]);
        let inside = |p: &Point3<f64>| {
            let s = orient2d(axis, from, to, p);
            if ccw { s } else { -s }
        };
        let (mut kept, mut next) = (0, corners);
        for i in 0..count {
            let (p, q) = (corners[i], corners[(i + 1) % count]);
            let (sp, sq) = (inside(&p), inside(&q));
            let mut keep = |point: Point3<f64>| {
                // Rounding can make a convex polygon slightly not so; never more than this.
                if kept < next.len() {
                    next[kept] = point;
                    kept += 1;
                }
            };
            if sp >= 0.0 {
                keep(p);
            }
            if (sp > 0.0 && sq < 0.0) || (sp < 0.0 && sq > 0.0) {
                keep(p + (q - p) * (sp / (sp - sq)));
            }
        }
        (corners, count) = (next, kept);
        if count == 0 {
            break;
        }
    }
    (corners, count)
}

/// Area and centroid of a polygon in the plane of normal `n`; `None` where it has no area.
fn area_and_center(corners: &[Point3<f64>], n: &Vector3<f64>) -> Option<(f64, Point3<f64>)> {
    let direction = unit(n)?;
    let (&first, rest) = corners.split_first()?;
    let (mut area, mut moment) = (0.0, Vector3::zeros());
    for pair in rest.windows(2) {
        let (u, v) = (pair[0] - first, pair[1] - first);
        let part = 0.5 * u.cross(&v).dot(&direction);
        area += part;
        moment += (u + v) * (part / 3.0);
    }
    (area > 0.0).then(|| (area, first + moment / area))
}

/// The direction of a vector of any finite length but zero.
fn unit(v: &Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = v.amax();
    (largest > 0.0 && largest.is_finite()).then(|| (v / largest).normalize())
}
