//! How large and how thin a shape is.

use impinge::Shape;
use impinge::geometry::mass::MassProperties;
use impinge::geometry::{Primitive, TriMesh};
use nalgebra::{Point3, Vector3};

/// Sizes that the simulator asks of a moving body's shape (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// Greatest distance of a point from the centre of mass, or a little more.
    pub radius: f64,
    /// Twice the volume over the surface: the thickness of a sheet, the radius of a long bar.
    pub thickness: f64,
}

impl Size {
    pub fn new(shape: &Shape, mass: &MassProperties) -> Size {
        let sphere = shape.bounding_sphere();
        let offset = (sphere.center.cast::<f64>() - mass.center).norm();
        Size { radius: offset + f64::from(sphere.radius), thickness: 2.0 * mass.volume / surface(shape) }
    }

    /// The thickness of any shape (m): 0 of what has no inside, without bound of a half-space; of a composite that of its
    /// thinnest child.
    pub fn thickness_of(shape: &Shape) -> f64 {
        match shape {
            Shape::Primitive(Primitive::HalfSpace) => f64::INFINITY,
            Shape::Composite(composite) => composite
                .children()
                .iter()
                .map(|(_, child)| Size::thickness_of(child))
                .fold(f64::INFINITY, f64::min),
            // The ground's own: to its bottom.
            Shape::Field(field) => {
                let [low, _] = field.bounds(field.top_level(), [0, 0]);
                f64::from(low) - f64::from(field.bottom())
            }
            _ => shape.mass_properties().map_or(0.0, |mass| 2.0 * mass.volume / surface(shape)),
        }
    }
}

/// Surface (m²); of a composite all of its children's.
fn surface(shape: &Shape) -> f64 {
    match shape {
        Shape::Primitive(primitive) => primitive_surface(primitive),
        Shape::Hull(hull) => mesh_surface(hull.mesh()),
        Shape::Mesh(mesh) => mesh_surface(mesh),
        Shape::Levels(levels) => levels.triangles().map(|t| triangle_area(&levels.corners(t))).sum(),
        Shape::Particles(particles) => {
            let ball = |k: u32| primitive_surface(&Primitive::Sphere { radius: particles.radius(k) });
            (0..particles.len() as u32).map(ball).sum()
        }
        Shape::Composite(composite) => composite.children().iter().map(|(_, child)| surface(child)).sum(),
        _ => f64::INFINITY,
    }
}

fn primitive_surface(primitive: &Primitive) -> f64 {
    use std::f64::consts::TAU;
    match *primitive {
        Primitive::HalfSpace => f64::INFINITY,
        Primitive::Sphere { radius } => 2.0 * TAU * f64::from(radius).powi(2),
        Primitive::Cuboid { half } => {
            let [x, y, z] = half.map(f64::from);
            8.0 * (x * y + y * z + z * x)
        }
        Primitive::Capsule { half_height, radius } => {
            2.0 * TAU * f64::from(radius) * (f64::from(half_height) + f64::from(radius))
        }
        Primitive::Cylinder { half_height, radius } => {
            TAU * f64::from(radius) * (2.0 * f64::from(half_height) + f64::from(radius))
        }
    }
}

fn mesh_surface(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles().len() as u32).map(|t| triangle_area(&mesh.corners(t))).sum()
}

fn triangle_area(corners: &[Point3<f32>; 3]) -> f64 {
    let [a, b, c] = corners.map(|p| p.cast::<f64>());
    let normal: Vector3<f64> = (b - a).cross(&(c - a));
    0.5 * normal.norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of radius 3: V/S = R/3, so 2. A long bar of 0.2 × 0.2: nearly 0.1. A sheet of 0.02: that.
    #[test]
    fn thickness_of_known_shapes() {
        let cases = [
            (Shape::sphere(3.0).unwrap(), 2.0, 1e-6),
            (Shape::cuboid([10.0, 0.1, 0.1]).unwrap(), 0.1, 2e-3),
            (Shape::cuboid([10.0, 10.0, 0.01]).unwrap(), 0.02, 1e-4),
            (Shape::cylinder(10.0, 0.1).unwrap(), 0.1, 1e-3),
            (Shape::capsule(10.0, 0.1).unwrap(), 0.1, 1e-3),
        ];
        for (shape, expected, slack) in cases {
            let size = Size::new(&shape, &shape.mass_properties().unwrap());
            assert!((size.thickness - expected).abs() < slack, "{shape:?}: {}", size.thickness);
        }
    }
}
