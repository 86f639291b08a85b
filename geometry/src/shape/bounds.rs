//! Where a shape is when it stands at a pose: world boxes and bounding spheres.
//!
//! World boxes hold every point of the shape as it is judged, that is with the rounding of
//! `R·x + t` in `f64`: each bound is moved outward by [`SLACK`] times the magnitudes that were
//! added up before it is rounded outward to `f32`.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::{Primitive, Shape};
use crate::volume::{round_down, round_up};
use crate::{Aabb, BoundingSphere, canonical};

/// Sixteen roundings of `f64`: `R·x + t` and the halving of the distance between two bodies take
/// fewer than ten, and the rotation matrix of a unit quaternion is orthogonal to within four.
const SLACK: f64 = 16.0 * f64::EPSILON;

/// A pose with its rotation as a matrix, the same that the canonical geometry uses.
struct Placement {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
}

impl Placement {
    fn new(pose: &Isometry3<f64>) -> Placement {
        Placement { rotation: canonical::rotation(&pose.rotation), translation: pose.translation.vector }
    }

    /// The interval on a world axis around the placed point `center`, reaching `half` to both
    /// sides, with the slack for coordinates of size `reach` in the shape's own frame.
    fn interval(&self, axis: usize, center: &Vector3<f64>, half: f64, reach: &Vector3<f64>) -> [f64; 2] {
        let row = self.rotation.row(axis);
        let t = self.translation[axis];
        let middle = (row[0] * center.x + row[1] * center.y + row[2] * center.z) + t;
        let size = row[0].abs() * reach.x + row[1].abs() * reach.y + row[2].abs() * reach.z;
        let half = half + SLACK * (size + half + t.abs());
        [middle - half, middle + half]
    }

    /// The box of everything whose reach along each world axis, from `center`, is `half(axis)`.
    fn aabb(&self, center: Vector3<f64>, reach: Vector3<f64>, half: impl Fn(usize) -> f64) -> Aabb {
        let spans: [[f64; 2]; 3] =
            std::array::from_fn(|axis| self.interval(axis, &center, half(axis), &reach));
        Aabb::outward(spans.map(|s| s[0]), spans.map(|s| s[1]))
    }

    fn primitive(&self, primitive: &Primitive) -> Aabb {
        let r = &self.rotation;
        let none = Vector3::zeros();
        match *primitive {
            Primitive::HalfSpace => self.half_space(),
            Primitive::Sphere { radius } => {
                let radius = f64::from(radius);
                self.aabb(none, none, |_| radius)
            }
            Primitive::Cuboid { half } => {
                let half = Vector3::from(half.map(f64::from));
                self.aabb(none, half, |i| {
                    r[(i, 0)].abs() * half.x + r[(i, 1)].abs() * half.y + r[(i, 2)].abs() * half.z
                })
            }
            Primitive::Capsule { half_height, radius } => {
                let (h, radius) = (f64::from(half_height), f64::from(radius));
                self.aabb(none, Vector3::new(radius, radius, h + radius), |i| r[(i, 2)].abs() * h + radius)
            }
            Primitive::Cylinder { half_height, radius } => {
                let (h, radius) = (f64::from(half_height), f64::from(radius));
                // A disc of unit radius reaches √(1 − nᵢ²) along axis i; taken from the other two
                // columns, which does not cancel.
                let disc = |i: usize| (r[(i, 0)] * r[(i, 0)] + r[(i, 1)] * r[(i, 1)]).sqrt();
                self.aabb(none, Vector3::new(radius, radius, h), |i| r[(i, 2)].abs() * h + disc(i) * radius)
            }
        }
    }

    /// A half-space ends only along an axis that its normal is exactly parallel to.
    fn half_space(&self) -> Aabb {
        let normal = self.rotation.column(2);
        let mut aabb = Aabb::EVERYTHING;
        for axis in 0..3 {
            if normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0 {
                let t = self.translation[axis];
                let slack = SLACK * t.abs();
                if normal[axis] > 0.0 {
                    aabb.max[axis] = round_up(t + slack);
                } else {
                    aabb.min[axis] = round_down(t - slack);
                }
            }
        }
        aabb
    }

    /// What the turned local box and the sphere have in common; both hold the shape.
    fn bounded(&self, local: &Aabb, sphere: &BoundingSphere) -> Aabb {
        let (min, max) = (Vector3::from(local.min).cast::<f64>(), Vector3::from(local.max).cast::<f64>());
        let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
        let reach = min.abs().sup(&max.abs());
        let turned = self.aabb(center, reach, |i| {
            let row = self.rotation.row(i);
            row[0].abs() * half.x + row[1].abs() * half.y + row[2].abs() * half.z
        });
        let center = sphere.center.coords.cast::<f64>();
        let radius = f64::from(sphere.radius);
        let round = self.aabb(center, center.abs(), |_| radius);
        Aabb {
            min: std::array::from_fn(|i| turned.min[i].max(round.min[i])),
            max: std::array::from_fn(|i| turned.max[i].min(round.max[i])),
        }
    }
}

impl Shape {
    /// Box of the shape standing at `pose` (world, m), in time that does not depend on the number of
    /// triangles. The closed form for a primitive; for meshes and hulls what the turned local box
    /// and the bounding sphere have in common; infinite for a half-space, except along an axis that
    /// its normal is exactly parallel to.
    ///
    /// Holds every point `R·x + t` of the shape as computed in `f64`.
    pub fn aabb_at(&self, pose: &Isometry3<f64>) -> Aabb {
        match self {
            Shape::Primitive(primitive) => Placement::new(pose).primitive(primitive),
            Shape::Hull(hull) => {
                Placement::new(pose).bounded(&hull.mesh().aabb(), &hull.mesh().bounding_sphere())
            }
            Shape::Mesh(mesh) => Placement::new(pose).bounded(&mesh.aabb(), &mesh.bounding_sphere()),
            Shape::Field(field) => Placement::new(pose).bounded(&field.aabb(), &field.bounding_sphere()),
            Shape::Levels(levels) => Placement::new(pose).bounded(&levels.aabb(), &levels.bounding_sphere()),
            Shape::Particles(all) => Placement::new(pose).bounded(&all.aabb(), &all.bounding_sphere()),
            Shape::Composite(composite) => composite
                .children()
                .iter()
                .fold(Aabb::EMPTY, |aabb, (child, shape)| aabb.merged(&shape.aabb_at(&(pose * child)))),
        }
    }

    /// Box in the shape's own frame (m).
    pub fn aabb(&self) -> Aabb {
        match self {
            Shape::Primitive(primitive) => primitive.aabb(),
            Shape::Hull(hull) => hull.mesh().aabb(),
            Shape::Mesh(mesh) => mesh.aabb(),
            Shape::Field(field) => field.aabb(),
            Shape::Levels(levels) => levels.aabb(),
            Shape::Particles(particles) => particles.aabb(),
            Shape::Composite(_) => self.aabb_at(&Isometry3::identity()),
        }
    }

    /// Sphere around the shape in its own frame (m); of infinite radius where a half-space is part
    /// of it.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        match self {
            Shape::Primitive(primitive) => primitive.bounding_sphere(),
            Shape::Hull(hull) => hull.mesh().bounding_sphere(),
            Shape::Mesh(mesh) => mesh.bounding_sphere(),
            Shape::Field(field) => field.bounding_sphere(),
            Shape::Levels(levels) => levels.bounding_sphere(),
            Shape::Particles(particles) => particles.bounding_sphere(),
            Shape::Composite(composite) => {
                let spheres: Vec<(Point3<f64>, f64)> = composite
                    .children()
                    .iter()
                    .map(|(pose, shape)| {
                        let sphere = shape.bounding_sphere();
                        (pose * sphere.center.cast::<f64>(), f64::from(sphere.radius))
                    })
                    .collect();
                around(&spheres)
            }
        }
    }
}

/// A small sphere around spheres: around the middle of their box.
fn around(spheres: &[(Point3<f64>, f64)]) -> BoundingSphere {
    if spheres.iter().any(|(_, radius)| radius.is_infinite()) {
        return BoundingSphere { center: Point3::origin(), radius: f32::INFINITY };
    }
    let middle: [f64; 3] = std::array::from_fn(|axis| {
        let low = spheres.iter().map(|(c, r)| c[axis] - r).fold(f64::INFINITY, f64::min);
        let high = spheres.iter().map(|(c, r)| c[axis] + r).fold(f64::NEG_INFINITY, f64::max);
        0.5 * low + 0.5 * high
    });
    let center = Point3::from(middle.map(|x| x.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32));
    let from = center.cast::<f64>();
    let radius = spheres
        .iter()
        .map(|(c, r)| (c - from).norm() + r + SLACK * (c.coords.norm() + r))
        .fold(0.0, f64::max);
    BoundingSphere { center, radius: round_up(radius * (1.0 + SLACK)) }
}

#[cfg(test)]
mod tests;
