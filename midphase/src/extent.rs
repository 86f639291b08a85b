//! How far a part reaches in the pair frame, and the volume in which two parts may meet.

use impinge_geometry::{PairFrame, Primitive, Side};
use nalgebra::{Point3, Vector3};

use crate::obb_tree::OrientedBox;
use crate::{Part, Solid};

/// More than the rounding of a canonical point, relative to the numbers that went into it.
const SLACK: f64 = 64.0 * f64::EPSILON;

/// More than an oriented box's axes differ from orthonormal ones.
const SKEW: f64 = 5e-7;

/// What bounds a part in the pair frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    /// Least and greatest corner (m).
    Box([Point3<f64>; 2]),
    /// Every `x` with `normal · x ≤ offset` (m).
    Below(Plane),
}

/// The border of a half-space: `normal · x = offset`, the unit normal pointing outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub normal: Vector3<f64>,
    /// Rounded so that the half-space loses nothing (m).
    pub offset: f64,
}

impl Extent {
    /// The extent of a part on one side of a pair.
    pub fn of(part: &Part, frame: &PairFrame, side: Side) -> Extent {
        let k = side.index();
        if let Solid::Primitive(Primitive::HalfSpace) = part.solid {
            let normal = frame.rotation[k].column(2).into_owned();
            let offset = normal.dot(&frame.offset[k]) + SLACK * frame.offset[k].abs().sum();
            return Extent::Below(Plane { normal, offset });
        }
        let bounds = bounds(&OrientedBox::from_aabb(&part.aabb), frame, side);
        Extent::Box(match &part.surface {
            Some(surface) => common(&bounds, &self::bounds(&surface.tree.root_box(), frame, side)),
            None => bounds,
        })
    }
}

/// The axis-aligned box around an oriented one that is fixed to a body (m, pair frame).
fn bounds(b: &OrientedBox, frame: &PairFrame, side: Side) -> [Point3<f64>; 2] {
    let rotation = &frame.rotation[side.index()];
    let center = frame.place(side, &b.center.into());
    let half = Vector3::from(b.half).cast::<f64>();
    let mut reach = Vector3::zeros();
    for i in 0..3 {
        reach += (rotation * Vector3::from(b.axes[i]).cast::<f64>()).abs() * half[i];
    }
    let size = half.abs().sum();
    let far =
        Vector3::from(b.center).cast::<f64>().abs().sum() + size + frame.offset[side.index()].abs().sum();
    reach.add_scalar_mut(SKEW * size + SLACK * far);
    [center - reach, center + reach]
}

fn common(a: &[Point3<f64>; 2], b: &[Point3<f64>; 2]) -> [Point3<f64>; 2] {
    [a[0].sup(&b[0]), a[1].inf(&b[1])]
}

/// The box of the pair frame that holds every point in which two parts overlap or come closer than
/// `margin` (m); `None` where there is none, or no finite one: of two half-spaces.
pub(crate) fn interest(a: &Extent, b: &Extent, margin: f64) -> Option<[Point3<f64>; 2]> {
    let grown = |x: &[Point3<f64>; 2]| {
        let by = Vector3::from_element(margin);
        [x[0] - by, x[1] + by]
    };
    let found = match (a, b) {
        (Extent::Box(a), Extent::Box(b)) => common(&grown(a), &grown(b)),
        (Extent::Box(x), Extent::Below(plane)) | (Extent::Below(plane), Extent::Box(x)) => {
            clipped(grown(x), plane, margin)
        }
        (Extent::Below(_), Extent::Below(_)) => return None,
    };
    let sound = |k: usize| found[0][k] <= found[1][k] && (found[1][k] - found[0][k]).is_finite();
    (0..3).all(sound).then_some(found)
}

/// The box around what a plane leaves of a box.
fn clipped(x: [Point3<f64>; 2], plane: &Plane, margin: f64) -> [Point3<f64>; 2] {
    let n = &plane.normal;
    // The least that each axis adds to n · x.
    let least: [f64; 3] = std::array::from_fn(|k| (n[k] * x[0][k]).min(n[k] * x[1][k]));
    let size: f64 = (0..3).map(|k| (n[k] * x[0][k]).abs().max((n[k] * x[1][k]).abs())).sum();
    let mut result = x;
    for k in 0..3 {
        let others = least[(k + 1) % 3] + least[(k + 2) % 3];
        let room = plane.offset + margin - others + SLACK * (size + plane.offset.abs());
        // Where the normal has next to no component along the axis, nothing is cut.
        if n[k] > 1e-9 {
            result[1][k] = result[1][k].min(room / n[k]);
        } else if n[k] < -1e-9 {
            result[0][k] = result[0][k].max(room / n[k]);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_cuts_a_box_to_what_lies_below_it() {
        // The unit cube below x + y = ½ (a right prism): x and y end at ½, z is free.
        let normal = Vector3::new(1.0, 1.0, 0.0).normalize();
        let plane = Plane { normal, offset: 0.5 * 0.5f64.sqrt() };
        let cube = [Point3::origin(), Point3::new(1.0, 1.0, 1.0)];
        let [min, max] = interest(&Extent::Box(cube), &Extent::Below(plane), 0.0).expect("they meet");
        assert!(min == Point3::origin());
        assert!((max - Point3::new(0.5, 0.5, 1.0)).norm() < 1e-12, "{max}");
    }

    #[test]
    fn a_box_above_the_plane_has_no_interest_until_the_margin_reaches_it() {
        let plane = Plane { normal: Vector3::z(), offset: 0.0 };
        let above = Extent::Box([Point3::new(0.0, 0.0, 0.25), Point3::new(1.0, 1.0, 1.0)]);
        assert_eq!(interest(&above, &Extent::Below(plane), 0.1), None);
        let [min, max] = interest(&Extent::Below(plane), &above, 0.2).expect("they come close");
        assert!(min.z <= 0.2 && 0.2 <= max.z && max.z < 0.3, "{min} {max}");
    }

    #[test]
    fn boxes_apart_along_one_axis_have_no_interest() {
        let unit = |x: f64| Extent::Box([Point3::new(x, 0.0, 0.0), Point3::new(x + 1.0, 1.0, 1.0)]);
        assert_eq!(interest(&unit(0.0), &unit(1.5), 0.2), None);
        assert!(interest(&unit(0.0), &unit(1.5), 0.25).is_some());
        assert!(interest(&unit(0.0), &unit(1.0), 0.0).is_some());
    }
}
