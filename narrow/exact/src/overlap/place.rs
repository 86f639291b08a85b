//! How far the place where an edge meets a face may be from where it is computed to be.

use impinge_geometry::Side;
use impinge_geometry::predicate::Plane;
use nalgebra::{Point3, Vector3};

use crate::intersect::{HitKey, Surfaces};

/// Unit roundoff.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// More than what sides in doubled numbers are off by, as a part of their products.
const LONGER_UNIT: f64 = 1.0 / (1u128 << 96) as f64;

/// What a place is off by at most (m), see the head of [`super`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaceError {
    /// From the planes of the faces beside it.
    pub off_plane: f64,
    /// Along the edge.
    pub along: f64,
}

/// The error of the place that a key names.
pub(super) fn place_error(input: &Surfaces<'_>, key: &HitKey) -> PlaceError {
    let [p, q] = edge_ends(input, key.edge_side, key.edge);
    let other = key.edge_side.other();
    let face = input.meshes[other.index()].corners(key.triangle).map(|v| input.frame.place(other, &v));
    let length = (q - p).norm();
    let rounding = 8.0 * UNIT * (p.coords.norm() + q.coords.norm());
    let plane = Plane::new(&face);
    let (u, v) = ((face[1] - face[0]).abs(), (face[2] - face[0]).abs());
    let products = Vector3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x);
    let (from, from_error) = side(&plane, &products, &p);
    let (to, to_error) = side(&plane, &products, &q);
    let of_side = from_error.max(to_error);
    let span = from.abs() + to.abs();
    let part = if span > 0.0 { (of_side / span).min(1.0) } else { 1.0 };
    let along = part * length + rounding;
    let normal = plane.normal().norm();
    // Of what has hardly an area rounding makes the normal.
    let certain = normal > 64.0 * UNIT * products.norm();
    let off = if certain { (1.25 * of_side / normal).min(along) } else { along };
    PlaceError { off_plane: off + rounding, along }
}

/// A side as the intersection computes it, and what it is off by.
fn side(plane: &Plane, products: &Vector3<f64>, p: &Point3<f64>) -> (f64, f64) {
    let size = products.dot(&(p - plane.corners()[0]).abs());
    let filtered = plane.side_filtered(p);
    if filtered != 0.0 {
        return (filtered, 10.0 * UNIT * size + 4.0 * UNIT * filtered.abs());
    }
    let exact = plane.side(p);
    (exact, LONGER_UNIT * size + 4.0 * UNIT * exact.abs())
}

/// The ends of an edge (m, pair frame), the lower vertex first.
pub(super) fn edge_ends(input: &Surfaces<'_>, side: Side, edge: u32) -> [Point3<f64>; 2] {
    let mesh = input.meshes[side.index()];
    mesh.edge(edge).vertices.map(|v| input.frame.place(side, &mesh.vertex(v)))
}
