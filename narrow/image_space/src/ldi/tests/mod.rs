//! Images against brute force, closed forms, exact predicates, and the layers of the contact passes.

mod booleans;
mod capture;
mod points;
mod refusals;
mod self_collision;
mod surface;

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::*;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};

/// A pose without a symmetry.
fn askew() -> Isometry3<f64> {
    Isometry3::from_parts(
        Translation3::new(0.31, -0.22, 0.13),
        UnitQuaternion::from_euler_angles(0.4, -0.9, 1.7),
    )
}

fn bodies() -> Vec<TriMesh> {
    vec![box_mesh([0.7, 0.4, 0.9]), torus(1.0, 0.4, 24, 16), sphere_mesh(1.0, 24, 12)]
}

fn captured(mesh: &TriMesh, pose: &Isometry3<f64>, view: LdiView) -> LayeredDepthImage {
    LayeredDepthImage::capture(mesh, pose, view).expect("the body is near its view")
}

/// Two bodies in one mesh, the second one shifted.
fn joined(a: &TriMesh, b: &TriMesh, shift: Vector3<f32>) -> TriMesh {
    let mut vertices = a.vertices().to_vec();
    let first = vertices.len() as u32;
    vertices.extend(b.vertices().iter().map(|v| v + shift));
    let mut triangles = a.triangles().to_vec();
    triangles.extend(b.triangles().iter().map(|t| t.map(|v| v + first)));
    TriMesh::new(vertices, triangles).expect("both are sound")
}

/// The volume in which spheres of equal radius overlap whose centres are `apart`.
fn lens(radius: f64, apart: f64) -> f64 {
    std::f64::consts::PI * (4.0 * radius + apart) * (2.0 * radius - apart).powi(2) / 12.0
}

/// A view of `size`³ around the origin along z.
fn straight(size: f64, pixels: u32) -> LdiView {
    LdiView::new(Point3::origin(), Vector3::z(), [size; 3], [pixels; 2]).expect("a sound view")
}
