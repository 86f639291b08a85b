//! Solids of closed form in numbers: what a device needs to find where the lines of a view enter and leave them.
//!
//! The arithmetic is that of [`crate::solid`], in the same order. What is the same for all lines of a view is worked out
//! here, once.

use impinge_geometry::Primitive;
use nalgebra::Vector3;

use crate::snap::plain;
use crate::view::View;
use impinge_convex::{Form, SolidLines};

/// What besides planes a solid is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Planes alone.
    Planes,
    /// A ball.
    Ball,
    /// A tube around z, cut by the planes.
    Cylinder,
    /// The same, and a ball at either end.
    Capsule,
}

/// Stands for what has no end.
const ENDLESS: f64 = f64::from_bits(0x7e70_0000_0000_0000);

/// A solid where it stands in a view.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanNumbers {
    /// What it is made of.
    pub kind: SpanKind,
    /// How many planes there are.
    pub planes: u32,
    /// The view: anchor, right, up, depth, size of a pixel, number of the first pixel and a half, first depth, depth
    /// step, and the last depth (steps). The solid: rotation column by column, offset, direction of the lines in its
    /// frame, that squared, and again without its part along z (zero of lines along z), radius squared, half the
    /// height. Of every plane: normal, offset, and the part of the direction along the normal.
    pub list: Vec<f64>,
}

impl SpanNumbers {
    /// The numbers of a solid in a view; `None` where a product of them may leave the numbers that a device
    /// computes with.
    pub(crate) fn new(view: &View, lines: &SolidLines) -> Option<SpanNumbers> {
        let direction = lines.direction(&view.axes.depth);
        let flat2 = Vector3::new(direction.x, direction.y, 0.0).norm_squared();
        let is_flat = flat2 <= 1e-30 * direction.norm_squared();
        let (kind, half, radius, planes) = parts(&lines.form());
        let mut list = Vec::new();
        list.extend(view.anchor.coords.iter());
        [view.axes.right, view.axes.up, view.axes.depth].iter().for_each(|axis| list.extend(axis.iter()));
        list.extend(view.pixel);
        list.extend(view.first.map(|first| first as f64 + 0.5));
        let far = (view.far - view.near) / view.step;
        list.extend([view.near, view.step, far.min(ENDLESS)]);
        list.extend(lines.rotation().iter());
        list.extend(lines.offset().iter());
        list.extend(direction.iter());
        list.extend([direction.norm_squared(), if is_flat { 0.0 } else { flat2 }, radius * radius, half]);
        for (normal, offset) in &planes {
            list.extend(normal.iter());
            list.extend([*offset, normal.dot(&direction)]);
        }
        let fits = list.iter().all(|x| *x == ENDLESS || plain(x));
        fits.then_some(SpanNumbers { kind, planes: planes.len() as u32, list })
    }
}

/// Kind, half the height, radius and planes of a form.
fn parts(form: &Form<'_>) -> (SpanKind, f64, f64, Vec<(Vector3<f64>, f64)>) {
    let slab = |half: f64| vec![(Vector3::z(), half), (-Vector3::z(), half)];
    match *form {
        Form::Planes(planes) => (SpanKind::Planes, 0.0, 0.0, planes.to_vec()),
        Form::Primitive(Primitive::HalfSpace) => (SpanKind::Planes, 0.0, 0.0, vec![(Vector3::z(), 0.0)]),
        Form::Primitive(Primitive::Cuboid { half }) => {
            let mut planes = Vec::new();
            for (axis, h) in half.into_iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut normal = Vector3::zeros();
                    normal[axis] = sign;
                    planes.push((normal, f64::from(h)));
                }
            }
            (SpanKind::Planes, 0.0, 0.0, planes)
        }
        Form::Primitive(Primitive::Sphere { radius }) => (SpanKind::Ball, 0.0, radius.into(), Vec::new()),
        Form::Primitive(Primitive::Cylinder { half_height, radius }) => {
            (SpanKind::Cylinder, half_height.into(), radius.into(), slab(half_height.into()))
        }
        Form::Primitive(Primitive::Capsule { half_height, radius }) => {
            (SpanKind::Capsule, half_height.into(), radius.into(), slab(half_height.into()))
        }
    }
}
