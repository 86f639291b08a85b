//! How far is it from a point to a surface, along a direction?

use impinge_geometry::{FacesRef, PairFrame, Side};
use impinge_midphase::ObbTree;
use impinge_midphase::obb_tree::{RayScratch, TreeRay};
use nalgebra::{Point3, Vector3};

/// How far a ray may pass a triangle by and still count as meeting it (part of the triangle's size): nothing that it
/// meets is missed.
const BESIDE: f64 = 1e-9;

/// Triangles that a line passes no farther are looked at (part of the mesh's reach).
const LOOKED_AT: f64 = 1e-12;

/// The distance (m) from `p` along `direction` (unit, pair frame) to the surface on `side`, if the ray meets it: not
/// more than the true one.
pub(super) fn first_crossing(
    (mesh, tree): (FacesRef<'_>, &ObbTree),
    frame: &PairFrame,
    side: Side,
    p: &Point3<f64>,
    direction: &Vector3<f64>,
    search: &mut RayScratch,
) -> Option<f64> {
    let ray = tree_ray(tree, frame, side, (p, direction), [0.0, f64::INFINITY]);
    let mut first = f64::INFINITY;
    let _ = tree.ray(&ray, search, &mut |t| {
        let corners = mesh.corners(t).map(|v| frame.place(side, &v));
        first = distance(&corners, p, direction).map_or(first, |found| first.min(found));
        first
    });
    (first < f64::INFINITY).then_some(first)
}

/// Adds where the line through `p` along `direction` (unit, pair frame) crosses the surface on `side` (m from `p`) in a range, and 1
/// where it goes in there, −1 where it comes out. `None` where it passes too close to an edge to know.
pub(super) fn crossings(
    (mesh, tree): (FacesRef<'_>, &ObbTree),
    frame: &PairFrame,
    side: Side,
    (p, direction, range): (&Point3<f64>, &Vector3<f64>, [f64; 2]),
    search: &mut RayScratch,
    out: &mut Vec<(f64, i32)>,
) -> Option<()> {
    let line = tree_ray(tree, frame, side, (p, direction), range);
    let mut known = true;
    let _ = tree.ray(&line, search, &mut |t| {
        let corners = mesh.corners(t).map(|v| frame.place(side, &v) - p);
        match crossing(&corners, direction) {
            LineCrossing::Beside => f64::INFINITY,
            LineCrossing::At(at, turn) => {
                // What is met at an end may be a little beyond it.
                if range[0] <= at && at <= range[1] {
                    out.push((at, turn));
                }
                f64::INFINITY
            }
            LineCrossing::Unknown => {
                known = false;
                f64::NEG_INFINITY
            }
        }
    });
    known.then_some(())
}

/// What a line does to a triangle.
enum LineCrossing {
    Beside,
    /// How far along it is crossed (m), and 1 where the line goes in there, −1 where it comes out.
    At(f64, i32),
    /// It passes too close to an edge to know.
    Unknown,
}

/// Whether the line through the origin along `direction` (unit) crosses a triangle.
fn crossing([a, b, c]: &[Vector3<f64>; 3], direction: &Vector3<f64>) -> LineCrossing {
    let parts = [direction.dot(&b.cross(c)), direction.dot(&c.cross(a)), direction.dot(&a.cross(b))];
    let size = parts.iter().map(|x| x.abs()).sum::<f64>();
    let slack = BESIDE * size;
    let sign = if parts[0] + parts[1] + parts[2] < 0.0 { -1.0 } else { 1.0 };
    if parts.iter().any(|&x| x * sign < -slack) {
        return LineCrossing::Beside;
    }
    if size == 0.0 || parts.iter().any(|&x| x * sign <= slack) {
        return LineCrossing::Unknown;
    }
    let along = |q: &Vector3<f64>| q.dot(direction);
    let at =
        (along(a) * parts[0] + along(b) * parts[1] + along(c) * parts[2]) / (parts[0] + parts[1] + parts[2]);
    // With the outward normal the line comes out.
    LineCrossing::At(at, if sign > 0.0 { -1 } else { 1 })
}

/// The line through a point along a direction (unit, pair frame) in a range (m), as the tree on `side` sees it.
fn tree_ray(
    tree: &ObbTree,
    frame: &PairFrame,
    side: Side,
    (p, direction): (&Point3<f64>, &Vector3<f64>),
    [from, until]: [f64; 2],
) -> TreeRay {
    TreeRay {
        origin: frame.to_local(side, p),
        direction: frame.direction_to_local(side, direction),
        from,
        until,
        slack: LOOKED_AT * tree.reach(),
    }
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
