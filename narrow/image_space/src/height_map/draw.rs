//! From placed shapes to what they cover of an image plane.

use std::ops::Range;

use impinge_geometry::{FacesRef, Primitive, TriMesh};
use impinge_midphase::obb_tree::Projection;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::ImagePlane;
use crate::coverage::rows::{Span, Window, cover};
use impinge_convex::primitive_interval;

/// Where the vertices of a mesh appear.
pub(super) fn place_vertices(mesh: &TriMesh, projection: &Projection, out: &mut Vec<[f64; 3]>) {
    out.clear();
    out.extend(mesh.vertices().iter().map(|v| projection.at((*v).into())));
}

/// Calls `visit` with the triangle's number for every row of pixels that a triangle covers; `placed`
/// are the vertices on the plane.
#[inline]
pub(super) fn mesh_spans(
    mesh: &TriMesh,
    placed: &[[f64; 3]],
    plane: &ImagePlane,
    window: &Window,
    mut visit: impl FnMut(u32, Span),
) {
    for (index, corners) in mesh.triangles().iter().enumerate() {
        let c = corners.map(|v| placed[v as usize]);
        if !beyond(&c, plane.depths(), window) {
            cover(&c, window, |span| visit(index as u32, span));
        }
    }
}

/// Whether a triangle lies beside the window, or outside the depths.
#[inline(always)]
pub(crate) fn beyond(c: &[[f64; 3]; 3], [near, far]: [f64; 2], window: &Window) -> bool {
    let out = |k: usize, low: f64, high: f64| {
        (c[0][k] < low && c[1][k] < low && c[2][k] < low)
            || (c[0][k] > high && c[1][k] > high && c[2][k] > high)
    };
    out(0, window.columns.start.into(), window.columns.end.into())
        || out(1, window.rows.start.into(), window.rows.end.into())
        || out(2, near, far)
}

/// Calls `visit` with column, row, depth and outward normal (world) for every finite place in which
/// the line through a pixel's centre enters or leaves a primitive at `pose`.
pub(crate) fn primitive_points(
    primitive: &Primitive,
    pose: &Isometry3<f64>,
    plane: &ImagePlane,
    window: &Window,
    mut visit: impl FnMut(u32, u32, f64, Vector3<f64>),
) {
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    let local = |p: &Point3<f64>| Point3::from(rotation.tr_mul(&(p.coords - pose.translation.vector)));
    let direction = rotation.tr_mul(&plane.direction());
    let [columns, rows] = reach(primitive, pose, plane, window);
    for y in rows {
        for x in columns.clone() {
            let origin = local(&plane.place(x, y, 0.0));
            let Some(span) = primitive_interval(primitive, &origin, &direction) else { continue };
            for (depth, normal) in [(span.enter, span.enter_normal), (span.exit, span.exit_normal)] {
                if depth.is_finite() {
                    visit(x, y, depth, rotation * normal);
                }
            }
        }
    }
}

/// Calls `visit` with column, row, and where the line through the pixel's centre enters and leaves a
/// half-space at `pose` (depths, which may be infinite), for every line that is in it somewhere.
pub(super) fn half_space_lines(
    pose: &Isometry3<f64>,
    plane: &ImagePlane,
    mut visit: impl FnMut(u32, u32, [f64; 2]),
) {
    let normal = pose.rotation * Vector3::z();
    let speed = normal.dot(&plane.direction());
    for y in 0..plane.height() {
        for x in 0..plane.width() {
            let height = normal.dot(&(plane.place(x, y, 0.0).coords - pose.translation.vector));
            let meets = -height / speed;
            let span = match speed {
                0.0 if height < 0.0 => [f64::NEG_INFINITY, f64::INFINITY],
                0.0 => continue,
                s if s > 0.0 => [f64::NEG_INFINITY, meets],
                _ => [meets, f64::INFINITY],
            };
            visit(x, y, span);
        }
    }
}

/// The columns and rows that a primitive may fill.
fn reach(
    primitive: &Primitive,
    pose: &Isometry3<f64>,
    plane: &ImagePlane,
    window: &Window,
) -> [Range<u32>; 2] {
    let allowed = [window.columns.clone(), window.rows.clone()];
    let radius = match *primitive {
        Primitive::HalfSpace => return allowed,
        Primitive::Sphere { radius } => f64::from(radius),
        Primitive::Cuboid { half } => Vector3::from(half).cast::<f64>().norm(),
        Primitive::Capsule { half_height, radius } => f64::from(half_height) + f64::from(radius),
        Primitive::Cylinder { half_height, radius } => f64::from(half_height).hypot(f64::from(radius)),
    };
    let middle = plane.locate(&Point3::from(pose.translation.vector));
    std::array::from_fn(|k| {
        let pixels = radius / plane.pixel_size()[k] + 1.0;
        // A float too large for u32, or negative, is held at the range's ends.
        let (first, last) = ((middle[k] - pixels).floor() as u32, (middle[k] + pixels).ceil() as u32);
        let Range { start, end } = allowed[k];
        first.clamp(start, end)..last.clamp(start, end)
    })
}

/// The outward unit normal of a triangle of a mesh that is turned; zero where it has no area.
pub(crate) fn face_normal<'f>(
    mesh: impl Into<FacesRef<'f>>,
    triangle: u32,
    rotation: &Matrix3<f64>,
) -> Vector3<f32> {
    let [a, b, c] = mesh.into().corners(triangle).map(|p| p.cast::<f64>());
    let n = (b - a).cross(&(c - a));
    let largest = n.amax();
    if largest > 0.0 { (rotation * (n / largest).normalize()).cast() } else { Vector3::zeros() }
}

/// The outward normal of a primitive where a line (its frame, unit direction) meets it nearest to
/// `depth` (m).
pub(crate) fn primitive_normal(
    primitive: &Primitive,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    depth: f64,
) -> Vector3<f64> {
    // All of it has one normal, also where a line never meets its plane.
    if matches!(primitive, Primitive::HalfSpace) {
        return Vector3::z();
    }
    let nearer = |s: impinge_convex::LineInterval| {
        let enters = (s.enter - depth).abs() <= (s.exit - depth).abs();
        if enters { s.enter_normal } else { s.exit_normal }
    };
    primitive_interval(primitive, origin, direction).map_or_else(Vector3::zeros, nearer)
}
