//! Two boxes: the fifteen axes of Gottschalk, "OBBTree", 1996.

use impinge_geometry::Primitive;
use nalgebra::Vector3;

use crate::contact::Contact;
use crate::support::{ConvexShape, Placed};

/// How much less deep (as a part of the boxes' size) the crossing of two edges must be than the best
/// face before it is preferred: faces give steadier contacts.
const FACES_FIRST: f64 = 1e-9;

/// The axis of least overlap; of two boxes apart, one that separates them.
pub(crate) fn contact(a: &Placed, b: &Placed) -> Contact {
    let between = b.center() - a.center();
    let (ha, hb) = (half(a), half(b));
    let reach = |solid: &Placed, h: &Vector3<f64>, n: &Vector3<f64>| solid.rotation.tr_mul(n).abs().dot(h);
    let slack = FACES_FIRST * ha.amax().max(hb.amax());
    let mut best = (f64::INFINITY, Vector3::z());
    let mut offer = |axis: Vector3<f64>, slack: f64| {
        let n = if axis.dot(&between) < 0.0 { -axis } else { axis };
        let depth = reach(a, &ha, &n) + reach(b, &hb, &n) - n.dot(&between);
        if depth + slack < best.0 {
            best = (depth, n);
        }
    };
    for solid in [a, b] {
        for k in 0..3 {
            offer(solid.rotation.column(k).into_owned(), 0.0);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let axis = a.rotation.column(i).cross(&b.rotation.column(j));
            let length = axis.norm();
            // Nearly parallel edges cross in no direction that a face does not give.
            if length > 1e-6 {
                offer(axis / length, slack);
            }
        }
    }
    let (depth, normal) = best;
    let (on_a, on_b) = (a.support(&normal), b.support(&-normal));
    Contact { normal, depth, on_a, on_b }
}

fn half(solid: &Placed) -> Vector3<f64> {
    match solid.shape {
        ConvexShape::Primitive(Primitive::Cuboid { half }) => Vector3::from(half).cast(),
        _ => Vector3::zeros(),
    }
}
