//! Lines of the pair frame through the solid of a part.

use impinge_geometry::{PairFrame, Primitive, Side};
use impinge_midphase::{Part, Solid};
use nalgebra::{Matrix3, Point3, Vector3};

use super::{LineInterval, inside, primitive_interval};
use crate::nearest::unit_normal;

/// A convex solid where it stands in the pair frame, ready for many lines.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidLines {
    shape: Shape,
    rotation: Matrix3<f64>,
    offset: Vector3<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Primitive(Primitive),
    /// Outward unit normals and offsets of a hull's faces, in its own frame.
    Planes(Vec<(Vector3<f64>, f64)>),
}

impl SolidLines {
    /// The solid of `part`, which stands on `side` of the pair. `None` for a mesh, which has no closed
    /// form.
    pub fn new(part: &Part, frame: &PairFrame, side: Side) -> Option<SolidLines> {
        let shape = match part.solid {
            Solid::Primitive(primitive) => Shape::Primitive(primitive),
            Solid::Hull => Shape::Planes(planes(part)?),
            Solid::Mesh => return None,
        };
        let k = side.index();
        Some(SolidLines { shape, rotation: frame.rotation[k], offset: frame.offset[k] })
    }

    /// Where the line `origin + t · direction` passes through the solid; all in the pair frame (m),
    /// the direction of any length but zero. A line that only grazes the solid has no span. The ends
    /// of a half-space may be infinite.
    pub fn interval(&self, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<LineInterval> {
        let o = self.to_local(origin);
        let d = self.rotation.tr_mul(direction);
        let span = match &self.shape {
            Shape::Primitive(primitive) => primitive_interval(primitive, &o, &d)?,
            Shape::Planes(planes) => {
                planes.iter().try_fold(LineInterval::everything(&d), |span, (normal, offset)| {
                    span.behind(&o, &d, normal, *offset)
                })?
            }
        };
        Some(LineInterval {
            enter_normal: self.rotation * span.enter_normal,
            exit_normal: self.rotation * span.exit_normal,
            ..span
        })
    }

    /// Whether a point of the pair frame (m) lies in the solid; its surface counts.
    pub fn inside(&self, p: &Point3<f64>) -> bool {
        let local = self.to_local(p);
        match &self.shape {
            Shape::Primitive(primitive) => inside(primitive, &local),
            Shape::Planes(planes) => planes.iter().all(|(n, offset)| n.dot(&local.coords) <= *offset),
        }
    }

    fn to_local(&self, p: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation.tr_mul(&(p.coords - self.offset)))
    }
}

/// The planes of a hull's faces; needles, whose planes say nothing, are left out.
fn planes(part: &Part) -> Option<Vec<(Vector3<f64>, f64)>> {
    let mesh = part.surface.as_ref()?.mesh()?;
    let planes: Vec<_> = (0..mesh.triangles().len() as u32)
        .filter_map(|t| {
            let corners = mesh.corners(t).map(|p| p.cast::<f64>());
            let normal = unit_normal(&corners)?;
            let offset = corners.iter().map(|p| normal.dot(&p.coords)).fold(f64::NEG_INFINITY, f64::max);
            Some((normal, offset))
        })
        .collect();
    (!planes.is_empty()).then_some(planes)
}
