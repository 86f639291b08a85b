//! The point of a part that is nearest to a point.

use impinge_convex::{inside, nearest_on_segment, nearest_on_triangle, unit_normal};
use impinge_geometry::{Obb, PairFrame, Primitive, Side};
use impinge_midphase::{Part, Solid, Surface};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::containment::point_inside;

/// The point of a part that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The distance (m): 0 where the point is inside.
    pub distance: f64,
    /// From the point that was asked about to the nearest one (m, axes of the world).
    pub to: Vector3<f64>,
    /// Unit, from the part to the point; on a surface its normal, zero inside.
    pub normal: Vector3<f64>,
    /// The triangle, of meshes and hulls.
    pub triangle: Option<u32>,
    /// Whether the point is inside: exact for closed surfaces, whose virtual faces bound them, too.
    pub inside: bool,
}

/// The point of a part standing at `pose` that is nearest to `point` (m, world), if it is no farther than `bound` (m, may be
/// infinite). Virtual faces are no part of a surface.
pub fn nearest_point(
    part: &Part,
    pose: &Isometry3<f64>,
    point: &Point3<f64>,
    bound: f64,
) -> Option<NearestPoint> {
    let frame = PairFrame::with_point(pose, point);
    match (&part.solid, &part.surface) {
        (Solid::Primitive(primitive), _) => primitive_point(primitive, &frame, bound),
        (Solid::Hull | Solid::Mesh, Some(surface)) => surface_point(surface, &frame, bound),
        (Solid::Hull | Solid::Mesh, None) => None,
    }
}

const INSIDE: NearestPoint = NearestPoint {
    distance: 0.0,
    to: Vector3::new(0.0, 0.0, 0.0),
    normal: Vector3::new(0.0, 0.0, 0.0),
    triangle: None,
    inside: true,
};

/// The triangle of a part standing at `pose` that is nearest to `point` (m, world), whether the point is inside or not; of several one of
/// them, the same each time. `None` where it has none. Virtual faces are no part of a surface.
pub fn nearest_triangle(part: &Part, pose: &Isometry3<f64>, point: &Point3<f64>) -> Option<u32> {
    let surface = part.surface.as_ref().filter(|_| !matches!(part.solid, Solid::Primitive(_)))?;
    let frame = PairFrame::with_point(pose, point);
    nearest_face(surface, &frame, f64::INFINITY).map(|(_, triangle, _)| triangle)
}

/// The face of A, if it is no farther than `bound` (m), that is nearest to the point that is B: its distance, its number, and its nearest
/// place.
fn nearest_face(surface: &Surface, frame: &PairFrame, bound: f64) -> Option<(f64, u32, Point3<f64>)> {
    let p = Point3::from(frame.offset[Side::B.index()]);
    let (mesh, tree) = (surface.faces(), &surface.tree);
    let mut best: Option<(f64, u32, Point3<f64>)> = None;
    // As far as the bound counts, too.
    let mut least = bound.next_up();
    let spot = Obb { center: Point3::origin(), axes: Matrix3::identity(), half: [0.0; 3] };
    let _ = tree.nearest_to_box(Side::A, (&spot, 0.0), frame, least, &mut |leaf| {
        for triangle in tree.leaf_triangles(leaf) {
            if mesh.is_virtual(triangle) {
                continue;
            }
            let corners = mesh.corners(triangle).map(|q| frame.place(Side::A, &q));
            let q = nearest_on_triangle(&corners, &p);
            let distance = (p - q).norm();
            if distance < least {
                (best, least) = (Some((distance, triangle, q)), distance);
            }
        }
        least
    });
    best
}

fn surface_point(surface: &Surface, frame: &PairFrame, bound: f64) -> Option<NearestPoint> {
    let p = Point3::from(frame.offset[Side::B.index()]);
    let (mesh, tree) = (surface.faces(), &surface.tree);
    let corners = |triangle: u32| mesh.corners(triangle).map(|q| frame.place(Side::A, &q));
    let best = nearest_face(surface, frame, bound);
    let is_inside = point_inside(mesh, tree, frame, Side::A, &p);
    match best {
        // On the surface: its normal says more than that it is inside.
        Some((0.0, triangle, _)) => {
            let normal = unit_normal(&corners(triangle)).unwrap_or_else(Vector3::zeros);
            Some(NearestPoint { normal, triangle: Some(triangle), ..INSIDE })
        }
        _ if is_inside => Some(INSIDE),
        Some((distance, triangle, q)) => Some(NearestPoint {
            distance,
            to: q - p,
            normal: (p - q) / distance,
            triangle: Some(triangle),
            inside: false,
        }),
        None => None,
    }
}

fn primitive_point(primitive: &Primitive, frame: &PairFrame, bound: f64) -> Option<NearestPoint> {
    let k = Side::A.index();
    let p = frame.to_local(Side::A, &Point3::from(frame.offset[Side::B.index()]));
    if inside(primitive, &p) {
        return Some(INSIDE);
    }
    let q = nearest_outside(primitive, &p);
    let (between, distance) = (p - q, (p - q).norm());
    if distance > bound {
        return None;
    }
    // What is not inside is outside, if only by less than can be said.
    let normal = frame.rotation[k] * between.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    Some(NearestPoint { distance, to: frame.rotation[k] * -between, normal, triangle: None, inside: false })
}

/// The point of a primitive nearest to a point outside it (m, the primitive's frame).
fn nearest_outside(primitive: &Primitive, p: &Point3<f64>) -> Point3<f64> {
    let around = |center: Point3<f64>, radius: f32| {
        let away = p - center;
        center + away * (f64::from(radius) / away.norm())
    };
    match *primitive {
        Primitive::HalfSpace => Point3::new(p.x, p.y, 0.0),
        Primitive::Sphere { radius } => around(Point3::origin(), radius),
        Primitive::Cuboid { half } => {
            Point3::from([0, 1, 2].map(|k| p[k].clamp(-f64::from(half[k]), f64::from(half[k]))))
        }
        Primitive::Capsule { half_height, radius } => {
            let [low, high] = [-half_height, half_height].map(|z| Point3::new(0.0, 0.0, f64::from(z)));
            around(nearest_on_segment(&low, &high, p), radius)
        }
        Primitive::Cylinder { half_height, radius } => {
            let (h, r) = (f64::from(half_height), f64::from(radius));
            let across = p.x.hypot(p.y);
            let share = if across > r { r / across } else { 1.0 };
            Point3::new(p.x * share, p.y * share, p.z.clamp(-h, h))
        }
    }
}
