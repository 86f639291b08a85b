//! Whether one convex solid lies inside another, surfaces apart.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::overlap::Polyhedron;
use crate::support::{ConvexShape, Placed};

/// Points per rim of a cylinder.
const RIM: [[f64; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
/// How often the steps between a rim's points are halved.
const RIM_HALVINGS: usize = 4;

/// Whether `inner` lies inside `outer` without touching its surface. Exact up to rounding, but for a
/// cylinder in a round solid: its rims are judged by 64 points each.
pub(crate) fn holds(outer: &Placed, inner: &Placed) -> bool {
    if let Some(planes) = Polyhedron::planes(outer) {
        return planes.iter().all(|p| inner.reach(&p.normal) < p.offset);
    }
    extreme_points(inner).all(|p| {
        let local = Point3::from(outer.rotation.tr_mul(&(p.coords - outer.offset)));
        inside_by(outer, &local) > inner.radius()
    })
}

/// How far a point (in the solid's frame) lies inside a round solid (m); negative outside.
fn inside_by(outer: &Placed, p: &Point3<f64>) -> f64 {
    let across = (p.x * p.x + p.y * p.y).sqrt();
    match outer.shape {
        ConvexShape::Primitive(Primitive::Sphere { radius }) => f64::from(radius) - p.coords.norm(),
        ConvexShape::Primitive(Primitive::Capsule { half_height, radius }) => {
            let beyond = (p.z.abs() - f64::from(half_height)).max(0.0);
            f64::from(radius) - (across * across + beyond * beyond).sqrt()
        }
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            (f64::from(half_height) - p.z.abs()).min(f64::from(radius) - across)
        }
        _ => f64::NEG_INFINITY,
    }
}

/// Points whose hull is the core.
fn extreme_points(solid: &Placed) -> Box<dyn Iterator<Item = Point3<f64>> + '_> {
    match &solid.shape {
        ConvexShape::Hull(mesh) => Box::new(mesh.vertices().iter().map(|v| solid.place(&v.cast()))),
        ConvexShape::Triangle(t) => Box::new(t.iter().map(|p| solid.place(p))),
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }) => {
            let (h, r) = (f64::from(*half_height), f64::from(*radius));
            let points =
                rim().into_iter().flat_map(move |d| [-h, h].map(|z| Point3::new(d[0] * r, d[1] * r, z)));
            Box::new(points.map(|p| solid.place(&p)))
        }
        ConvexShape::Primitive(_) => Box::new((0..8u32).map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let d = solid.rotation * Vector3::new(sign(0), sign(1), sign(2));
            solid.core_support(&d)
        })),
    }
}

/// Unit directions all around, by halving the angles between four.
fn rim() -> Vec<[f64; 2]> {
    let mut points = RIM.to_vec();
    for _ in 0..RIM_HALVINGS {
        points = (0..points.len())
            .flat_map(|k| {
                let (p, q) = (points[k], points[(k + 1) % points.len()]);
                let m = [p[0] + q[0], p[1] + q[1]];
                let length = (m[0] * m[0] + m[1] * m[1]).sqrt();
                [p, [m[0] / length, m[1] / length]]
            })
            .collect();
    }
    points
}
