//! A ball and a cylinder: the point of the cylinder's surface nearest to the ball's centre.

use impinge_geometry::Primitive;
use nalgebra::{Point3, Vector3};

use crate::contact::Contact;
use crate::support::{ConvexShape, Placed};

/// The contact of a ball (A) and a cylinder (B); `None` for any other pair.
pub(crate) fn contact(a: &Placed, b: &Placed) -> Option<Contact> {
    let (
        ConvexShape::Primitive(Primitive::Sphere { radius: ball }),
        ConvexShape::Primitive(Primitive::Cylinder { half_height, radius }),
    ) = (&a.shape, &b.shape)
    else {
        return None;
    };
    let ball = f64::from(*ball);
    let center = b.rotation.tr_mul(&(a.offset - b.offset));
    let flat = Vector3::new(center.x, center.y, 0.0);
    let from_axis = flat.norm();
    let ahead = if from_axis > 0.0 { flat / from_axis } else { Vector3::x() };
    let upward = Vector3::z() * if center.z < 0.0 { -1.0 } else { 1.0 };
    // How far the centre lies beyond the barrel and beyond the end; behind both it is inside.
    let (barrel, end) = (from_axis - f64::from(*radius), center.z.abs() - f64::from(*half_height));
    let (out, distance) = if end <= 0.0 || barrel <= 0.0 {
        if end >= barrel { (upward, end) } else { (ahead, barrel) }
    } else {
        let distance = (barrel * barrel + end * end).sqrt();
        ((ahead * (barrel / distance) + upward * (end / distance)).normalize(), distance)
    };
    let normal = -(b.rotation * out);
    let center = Point3::from(a.offset);
    Some(Contact {
        normal,
        depth: ball - distance,
        on_a: center + normal * ball,
        on_b: center + normal * distance,
    })
}
