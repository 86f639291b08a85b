//! How far is it from a point to a surface, along a direction?

use impinge_geometry::{PairFrame, Side, TriMesh};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{LineScratch, Lines};
use nalgebra::{Point3, Vector3};

/// How far a ray may pass a triangle by and still count as meeting it (part of the triangle's size): nothing that it
/// meets is missed.
const BESIDE: f64 = 1e-9;

/// What the search for a line's crossings reuses.
pub(super) type RayBuffers<'s> = (&'s mut Vec<u32>, &'s mut LineScratch);

/// The distance (m) from `p` along `direction` (unit, pair frame) to the surface on `side`, if the ray meets it: not
/// more than the true one.
pub(super) fn first_crossing(
    (mesh, tree): (&TriMesh, &ObbTree),
    frame: &PairFrame,
    side: Side,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    (candidates, search): RayBuffers<'_>,
) -> Option<f64> {
    // Lines come from infinitely far: look from the far end of the ray back to the point.
    let size = (frame.offset[side.index()].norm() + p.coords.norm() + tree.reach()).max(f64::MIN_POSITIVE);
    let ray = line(p, &-direction, size, 1e-12 * size)?;
    candidates.clear();
    tree.lines(&ray.in_frame_of(frame, side), search, candidates);
    let distances = candidates.iter().filter_map(|&t| {
        let corners = mesh.corners(t).map(|v| frame.place(side, &v));
        distance(&corners, p, direction)
    });
    distances.reduce(f64::min)
}

/// Adds where the line through `p` along `direction` (unit, pair frame) crosses the surface on `side` (m from `p`), and 1
/// where it goes in there, −1 where it comes out. `None` where it passes too close to an edge to know.
pub(super) fn crossings(
    (mesh, tree): (&TriMesh, &ObbTree),
    frame: &PairFrame,
    side: Side,
    (p, direction): (&Point3<f64>, &Vector3<f64>),
    (candidates, search): RayBuffers<'_>,
    out: &mut Vec<(f64, i32)>,
) -> Option<()> {
    let whole = line(p, direction, tree.reach().max(f64::MIN_POSITIVE), f64::INFINITY)?;
    candidates.clear();
    tree.lines(&whole.in_frame_of(frame, side), search, candidates);
    for &t in candidates.iter() {
        let [a, b, c] = mesh.corners(t).map(|v| frame.place(side, &v) - p);
        let parts = [direction.dot(&b.cross(&c)), direction.dot(&c.cross(&a)), direction.dot(&a.cross(&b))];
        let size = parts.iter().map(|x| x.abs()).sum::<f64>();
        let slack = BESIDE * size;
        let sign = if parts[0] + parts[1] + parts[2] < 0.0 { -1.0 } else { 1.0 };
        if parts.iter().any(|&x| x * sign < -slack) {
            continue;
        }
        if size == 0.0 || parts.iter().any(|&x| x * sign <= slack) {
            return None;
        }
        let along = |q: &Vector3<f64>| q.dot(direction);
        let at = (along(&a) * parts[0] + along(&b) * parts[1] + along(&c) * parts[2])
            / (parts[0] + parts[1] + parts[2]);
        // With the outward normal the line comes out.
        out.push((at, if sign > 0.0 { -1 } else { 1 }));
    }
    Some(())
}

/// The line through a point along `forward` (unit), from infinitely far to `far` (m) beyond the point.
fn line(p: &Point3<f64>, forward: &Vector3<f64>, spacing: f64, far: f64) -> Option<Lines> {
    let least = forward.iamin();
    let right = Vector3::from_fn(|k, _| f64::from(u8::from(k == least))).cross(forward).try_normalize(0.0)?;
    Some(Lines {
        origin: *p,
        right,
        up: forward.cross(&right),
        forward: *forward,
        spacing: [spacing; 2],
        count: [1; 2],
        slack: 1e-12,
        far,
    })
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
