//! How far is it from a point to a surface, along a direction?

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{LineScratch, Lines};
use nalgebra::{Point3, Vector3};

/// How far a ray may pass a triangle by and still count as meeting it (part of the triangle's size): nothing that it
/// meets is missed.
const BESIDE: f64 = 1e-9;

/// The distance (m) from `p` along `direction` (unit, pair frame) to the surface on `side`, if the ray meets it: not
/// more than the true one.
pub(super) fn first_crossing(
    (mesh, tree): (&TriMesh, &ObbTree),
    frame: &PairFrame,
    side: Side,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    (candidates, search): (&mut Vec<u32>, &mut LineScratch),
) -> Option<f64> {
    let size = (frame.offset[side.index()].norm() + p.coords.norm() + tree.reach()).max(f64::MIN_POSITIVE);
    let least = direction.iamin();
    let right =
        Vector3::from_fn(|k, _| f64::from(u8::from(k == least))).cross(direction).try_normalize(0.0)?;
    // Lines come from infinitely far: look from the far end of the ray back to the point.
    let ray = Lines {
        origin: *p,
        right,
        up: direction.cross(&right),
        forward: -direction,
        spacing: [size; 2],
        count: [1; 2],
        slack: 1e-12,
        far: 1e-12 * size,
    };
    candidates.clear();
    tree.lines(&ray.in_frame_of(frame, side), search, candidates);
    let distances = candidates.iter().filter_map(|&t| {
        let corners = mesh.corners(t).map(|v| frame.place(side, &v));
        distance(&corners, p, direction)
    });
    distances.reduce(f64::min)
}

/// The distance from a point along a direction to a triangle that the ray meets, or nearly.
fn distance(t: &[Point3<f64>; 3], p: &Point3<f64>, direction: &Vector3<f64>) -> Option<f64> {
    let [a, b, c] = t.map(|q| q - p);
    // Twice the signed areas of the three parts, seen along the ray.
    let parts = [direction.dot(&b.cross(&c)), direction.dot(&c.cross(&a)), direction.dot(&a.cross(&b))];
    let whole = parts[0] + parts[1] + parts[2];
    let slack = BESIDE * (parts[0].abs() + parts[1].abs() + parts[2].abs());
    let beside = parts.iter().any(|&x| x * whole.signum() < -slack);
    if beside || whole == 0.0 {
        return None;
    }
    let along =
        (a.dot(direction) * parts[0] + b.dot(direction) * parts[1] + c.dot(direction) * parts[2]) / whole;
    (along > 0.0).then_some(along)
}
