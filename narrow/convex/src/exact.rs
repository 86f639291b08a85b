//! Whether two polyhedra touch, where their depth is lost in rounding: the exact answer of their
//! triangles, where they stand.

use impinge_geometry::{PairFrame, Side, predicate};
use impinge_midphase::{Part, Surface};
use nalgebra::{Point3, Vector3};

/// Whether the surfaces of two convex polyhedra share a point (exact), given a direction along which
/// they overlap by less than `slack` (m): only faces that reach into that thin slab can meet. `None`
/// where a side has no triangles.
pub(crate) fn surfaces_touch(
    parts: [&Part; 2],
    frame: &PairFrame,
    normal: &Vector3<f64>,
    slack: f64,
) -> Option<bool> {
    let [a, b] = parts.map(|part| part.surface.as_ref());
    let (a, b) = (a?, b?);
    let near_a = facing(a, frame, Side::A, normal, slack);
    let near_b = facing(b, frame, Side::B, &-normal, slack);
    Some(near_a.iter().any(|s| near_b.iter().any(|t| predicate::triangles_touch(s, t))))
}

/// The triangles that come within `slack` (m) of the surface's farthest point along `direction`.
fn facing(
    surface: &Surface,
    frame: &PairFrame,
    side: Side,
    direction: &Vector3<f64>,
    slack: f64,
) -> Vec<[Point3<f64>; 3]> {
    let Some(mesh) = surface.mesh() else { return Vec::new() };
    let placed: Vec<Point3<f64>> = mesh.vertices().iter().map(|v| frame.place(side, v)).collect();
    let height = |p: &Point3<f64>| p.coords.dot(direction);
    let top = placed.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
    let triangles = mesh.triangles().iter().map(|t| t.map(|v| placed[v as usize]));
    triangles.filter(|t| t.iter().any(|p| height(p) >= top - slack)).collect()
}
