//! The part of a convex solid's surface that faces a direction: a point, a segment or a polygon.

use impinge_geometry::{Primitive, TriMesh};
use nalgebra::{Point3, Vector3};

use crate::nearest::unit_normal;
use crate::support::{ConvexShape, Placed};

/// A corner of a feature and its name within the solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub point: Point3<f64>,
    pub id: u32,
}

/// What a solid shows to a direction.
#[derive(Clone, Debug)]
pub(crate) struct Feature {
    /// One corner, two, or a convex polygon around `normal`.
    pub corners: Vec<Corner>,
    /// Of a polygon: its outward unit normal.
    pub normal: Option<Vector3<f64>>,
    /// Radius of curvature across the direction (m): infinite on a flat face, 0 at an edge or corner.
    pub curvature_radius: f64,
}

/// Cosine and sine of the corners of a disc's polygon.
const DISC: [[f64; 2]; 8] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [S, S], [0.0, 1.0], [-S, S], [-1.0, 0.0], [-S, -S], [0.0, -1.0], [S, -S]]
};
/// A polygon is a feature only where its normal comes this near to the direction (cosine); beyond,
/// heights over it say nothing.
const FACING: f64 = 0.3;
/// A segment is a feature only where it is this near to perpendicular to the direction (sine).
const LYING: f64 = 0.35;

/// The feature of `solid` towards `direction` (unit).
pub(crate) fn feature(solid: &Placed, direction: &Vector3<f64>) -> Feature {
    let d = solid.rotation.tr_mul(direction);
    let mut local = match &solid.shape {
        ConvexShape::Primitive(Primitive::Sphere { radius }) => {
            point(d * f64::from(*radius), f64::from(*radius))
        }
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => {
            capsule(&d, f64::from(*half_height), f64::from(*radius))
        }
        ConvexShape::Primitive(Primitive::Cuboid { half }) => cuboid(&d, half.map(f64::from)),
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            cylinder(&d, f64::from(*half_height), f64::from(*radius))
        }
        ConvexShape::Hull(mesh) => hull(mesh, &d),
        ConvexShape::Triangle(_) | ConvexShape::Primitive(Primitive::HalfSpace) => {
            point(Vector3::zeros(), 0.0)
        }
    };
    for corner in &mut local.corners {
        corner.point = solid.place(&corner.point);
    }
    local.normal = local.normal.map(|n| solid.rotation * n);
    local
}

fn point(p: Vector3<f64>, curvature_radius: f64) -> Feature {
    Feature { corners: vec![Corner { point: Point3::from(p), id: 0 }], normal: None, curvature_radius }
}

fn segment(p: Vector3<f64>, q: Vector3<f64>, ids: [u32; 2], curvature_radius: f64) -> Feature {
    let corners =
        vec![Corner { point: Point3::from(p), id: ids[0] }, Corner { point: Point3::from(q), id: ids[1] }];
    Feature { corners, normal: None, curvature_radius }
}

fn capsule(d: &Vector3<f64>, h: f64, r: f64) -> Feature {
    let end = |sign: f64| Vector3::new(0.0, 0.0, sign * h) + d * r;
    if d.z.abs() <= LYING { segment(end(-1.0), end(1.0), [0, 1], r) } else { point(end(d.z.signum()), r) }
}

fn cuboid(d: &Vector3<f64>, half: [f64; 3]) -> Feature {
    let axis = (1..3).fold(0, |k, i| if d[i].abs() > d[k].abs() { i } else { k });
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let sign = if d[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut normal = Vector3::zeros();
    normal[axis] = sign;
    let corners = [[-1.0, -1.0], [sign, -sign], [1.0, 1.0], [-sign, sign]]
        .into_iter()
        .map(|[su, sv]: [f64; 2]| {
            let mut p = Point3::origin();
            p[axis] = sign * half[axis];
            p[u] = su * half[u];
            p[v] = sv * half[v];
            let id = (0..3).map(|k| u32::from(p[k] > 0.0) << k).sum();
            Corner { point: p, id }
        })
        .collect();
    Feature { corners, normal: Some(normal), curvature_radius: f64::INFINITY }
}

fn cylinder(d: &Vector3<f64>, h: f64, r: f64) -> Feature {
    let flat = Vector3::new(d.x, d.y, 0.0);
    let across = flat.norm();
    let ahead = if across > 1e-9 { flat / across } else { Vector3::x() };
    let z = if d.z < 0.0 { -h } else { h };
    if d.z.abs() <= LYING {
        let rim = |z: f64| ahead * r + Vector3::new(0.0, 0.0, z);
        return segment(rim(-h), rim(h), [0, 1], r);
    }
    // The first corner is the rim's lowest point, so that the deepest point is never cut off.
    let aside = Vector3::new(-ahead.y, ahead.x, 0.0) * d.z.signum();
    let corners = (2..)
        .zip(DISC)
        .map(|(id, [cos, sin])| {
            let p = ahead * (r * cos) + aside * (r * sin);
            Corner { point: Point3::new(p.x, p.y, z), id }
        })
        .collect();
    let normal = Vector3::new(0.0, 0.0, d.z.signum());
    Feature { corners, normal: Some(normal), curvature_radius: f64::INFINITY }
}

/// The face at the support point that faces the direction most; all vertices in its plane.
fn hull(mesh: &TriMesh, d: &Vector3<f64>) -> Feature {
    let vertex = |v: usize| mesh.vertices()[v].cast::<f64>();
    let (mut support, mut most) = (0, f64::NEG_INFINITY);
    for v in 0..mesh.vertices().len() {
        let x = vertex(v).coords.dot(d);
        if x > most {
            (support, most) = (v, x);
        }
    }
    let at_support = mesh.triangles().iter().enumerate().filter(|(_, t)| t.contains(&(support as u32)));
    let normal = at_support.filter_map(|(t, _)| unit_normal(&mesh.corners(t as u32).map(|p| p.cast()))).fold(
        None,
        |best: Option<Vector3<f64>>, n| match best {
            Some(b) if b.dot(d) >= n.dot(d) => Some(b),
            _ => Some(n),
        },
    );
    let Some(normal) = normal.filter(|n| n.dot(d) >= FACING) else {
        let mut corner = point(vertex(support).coords, 0.0);
        corner.corners[0].id = support as u32;
        return corner;
    };
    let extent = f64::from(mesh.aabb().extents().into_iter().fold(0.0, f32::max));
    let top = vertex(support).coords.dot(&normal);
    let on_face = (0..mesh.vertices().len())
        .map(|v| Corner { point: vertex(v), id: v as u32 })
        .filter(|c| c.point.coords.dot(&normal) >= top - 1e-5 * extent)
        .collect();
    Feature { corners: around(on_face, &normal), normal: Some(normal), curvature_radius: f64::INFINITY }
}

/// The convex polygon of points that lie nearly in a plane, counter-clockwise around `normal`
/// (Andrew's monotone chain, 1979).
fn around(mut corners: Vec<Corner>, normal: &Vector3<f64>) -> Vec<Corner> {
    let u = crate::contact::perpendicular(*normal).normalize();
    let v = normal.cross(&u);
    let at = |c: &Corner| (c.point.coords.dot(&u), c.point.coords.dot(&v));
    corners.sort_by(|p, q| {
        let (p2, q2) = (at(p), at(q));
        p2.0.total_cmp(&q2.0).then(p2.1.total_cmp(&q2.1)).then(p.id.cmp(&q.id))
    });
    let turn = |a: &Corner, b: &Corner, c: &Corner| {
        let (a, b, c) = (at(a), at(b), at(c));
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
    };
    let chain = |corners: &mut dyn Iterator<Item = &Corner>| {
        let mut out: Vec<Corner> = Vec::new();
        for c in corners {
            while out.len() >= 2 && turn(&out[out.len() - 2], &out[out.len() - 1], c) <= 0.0 {
                out.pop();
            }
            out.push(*c);
        }
        out.pop();
        out
    };
    let mut polygon = chain(&mut corners.iter());
    polygon.extend(chain(&mut corners.iter().rev()));
    polygon
}

/// The corners of the part of a solid's surface that faces `direction` (unit), each with its name: one, two,
/// or those of a convex polygon in their order.
pub fn feature_towards(solid: &Placed, direction: &Vector3<f64>) -> Vec<(Point3<f64>, u32)> {
    feature(solid, direction).corners.iter().map(|corner| (corner.point, corner.id)).collect()
}
