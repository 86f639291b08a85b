//! Mass properties of closed shapes, per unit density.
//!
//! A closed surface is summed up as signed tetrahedra from one point to each triangle, whose
//! integrals of 1, x and x·xᵀ are polynomials of the corners: exact up to the rounding of `f64`.
//! The point is the middle of the surface's box, so that accuracy does not depend on where the shape
//! stands in its frame.
//!
//! Sources: Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", 1996; Eberly,
//! "Polyhedral Mass Properties (Revisited)", 2002.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::{Aabb, Composite, Primitive, Shape, TriMesh, canonical};

/// Why a shape has no mass properties.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// A half-space has no end.
    #[error("a half-space has no finite mass; give it to a body that does not move")]
    HalfSpace,
    /// The surface bounds no volume.
    #[error(
        "the mesh is a soup with {defects} defects and bounds no volume; close it, or give the mass properties by hand"
    )]
    Soup {
        /// How many defects its report holds.
        defects: usize,
    },
    /// The surface is closed but encloses nothing (two sheets back to back).
    #[error("the closed surface encloses a volume of {volume:e} m³; it must be greater than 0")]
    NoVolume {
        /// The volume found (m³).
        volume: f64,
    },
    /// A child of a composite has none.
    #[error("composite: child {child}: {source}")]
    Child {
        /// Index of the child.
        child: usize,
        /// What is wrong.
        source: Box<MassError>,
    },
}

/// Volume, centre and inertia of a solid, for a density of 1 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume (m³); the mass (kg) at unit density.
    pub volume: f64,
    /// Centre of mass (m), in the shape's frame.
    pub center: Point3<f64>,
    /// Inertia tensor about the centre, axes parallel to the shape's, per unit density (m⁵).
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Mass (kg) at a density (kg/m³).
    pub fn mass(&self, density: f64) -> f64 {
        self.volume * density
    }

    /// Inertia tensor about the centre (kg·m²) at a density (kg/m³).
    pub fn inertia_at(&self, density: f64) -> Matrix3<f64> {
        self.inertia * density
    }

    /// The density (kg/m³) at which the solid weighs `mass` (kg).
    pub fn density_for(&self, mass: f64) -> f64 {
        mass / self.volume
    }

    /// The properties of the solid standing at `pose`, in the frame the pose leads to.
    pub fn at(&self, pose: &Isometry3<f64>) -> MassProperties {
        let r = canonical::rotation(&pose.rotation);
        MassProperties {
            volume: self.volume,
            center: Point3::from(r * self.center.coords + pose.translation.vector),
            inertia: symmetric(r * self.inertia * r.transpose()),
        }
    }

    /// Inertia tensor about another point `p` (m) of the same frame, per unit density (m⁵), by the
    /// parallel axis theorem.
    pub fn inertia_about(&self, p: &Point3<f64>) -> Matrix3<f64> {
        self.inertia + steiner(&(self.center - p)) * self.volume
    }

    /// The properties of two solids as one, both in the same frame and of the same density. Where
    /// they overlap, the overlap counts twice.
    pub fn merged(&self, other: &MassProperties) -> MassProperties {
        let volume = self.volume + other.volume;
        let center = self.center + (other.center - self.center) * (other.volume / volume);
        MassProperties { volume, center, inertia: self.inertia_about(&center) + other.inertia_about(&center) }
    }
}

/// The inertia of a unit mass at `d` from the point of reference.
fn steiner(d: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose()
}

fn symmetric(m: Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

impl Shape {
    /// Mass properties at unit density, in the shape's frame. Children of a composite that overlap
    /// count twice where they do.
    ///
    /// # Errors
    /// [`MassError`] for half-spaces, soups, closed surfaces without volume, and composites that
    /// hold one of them.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        match self {
            Shape::Primitive(primitive) => primitive.mass_properties(),
            Shape::Hull(hull) => hull.mesh().mass_properties(),
            Shape::Mesh(mesh) => mesh.mass_properties(),
            Shape::Field(field) => field.mass_properties(),
            Shape::Levels(levels) => levels.mass_properties(),
            Shape::Particles(particles) => particles.mass_properties(),
            Shape::Composite(composite) => composite.mass_properties(),
        }
    }
}

impl Composite {
    /// Mass properties at unit density of all children, in the composite's frame. Children that
    /// overlap count twice where they do.
    ///
    /// # Errors
    /// [`MassError::Child`] for the first child that has none.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        let mut all: Option<MassProperties> = None;
        for (child, (pose, shape)) in self.children().iter().enumerate() {
            let one = shape
                .mass_properties()
                .map_err(|source| MassError::Child { child, source: Box::new(source) })?
                .at(pose);
            all = Some(all.map_or(one, |sum| sum.merged(&one)));
        }
        all.ok_or(MassError::NoVolume { volume: 0.0 })
    }
}

impl Primitive {
    /// Mass properties at unit density, by closed forms.
    ///
    /// # Errors
    /// [`MassError::HalfSpace`], and [`MassError::NoVolume`] for sizes that are not positive.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        let (volume, diagonal) = match *self {
            Primitive::HalfSpace => return Err(MassError::HalfSpace),
            Primitive::Sphere { radius } => {
                let r = f64::from(radius);
                let volume = 4.0 / 3.0 * PI * r * r * r;
                (volume, [0.4 * volume * r * r; 3])
            }
            Primitive::Cuboid { half } => {
                let [x, y, z] = half.map(f64::from);
                let volume = 8.0 * x * y * z;
                (volume, [y * y + z * z, z * z + x * x, x * x + y * y].map(|s| volume / 3.0 * s))
            }
            Primitive::Capsule { half_height, radius } => {
                let (h, r) = (f64::from(half_height), f64::from(radius));
                let (tube, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
                let across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
                (tube + ball, [across, across, tube * r * r / 2.0 + ball * 0.4 * r * r])
            }
            Primitive::Cylinder { half_height, radius } => {
                let (h, r) = (f64::from(half_height), f64::from(radius));
                let volume = 2.0 * PI * r * r * h;
                let across = volume * (r * r / 4.0 + h * h / 3.0);
                (volume, [across, across, volume * r * r / 2.0])
            }
        };
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(MassError::NoVolume { volume });
        }
        let inertia = Matrix3::from_diagonal(&Vector3::from(diagonal));
        Ok(MassProperties { volume, center: Point3::origin(), inertia })
    }
}

impl TriMesh {
    /// Mass properties at unit density of the volume that the closed surface bounds; shells that
    /// point inward inside others are cavities. Virtual faces of [`TriMesh::one_sided`] bound it too.
    ///
    /// # Errors
    /// [`MassError::Soup`], or [`MassError::NoVolume`] for a closed surface that encloses nothing.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        if !self.is_closed() {
            return Err(MassError::Soup { defects: self.report().defects.len() });
        }
        of_surface(&self.aabb(), self.triangles().iter().map(|t| t.map(|v| self.vertices()[v as usize])))
    }
}

/// The properties of what a closed surface bounds: its box, and the corners of all its triangles.
pub(crate) fn of_surface(
    aabb: &Aabb,
    triangles: impl Iterator<Item = [Point3<f32>; 3]>,
) -> Result<MassProperties, MassError> {
    let reference: Vector3<f64> =
        (Vector3::from(aabb.min).cast::<f64>() + Vector3::from(aabb.max).cast::<f64>()) * 0.5;
    let mut volume6 = 0.0;
    let mut magnitude = 0.0;
    let mut first = Vector3::zeros();
    let mut second = Matrix3::zeros();
    for corners in triangles {
        let [a, b, c] = corners.map(|p| p.coords.cast::<f64>() - reference);
        let volume = a.dot(&b.cross(&c));
        magnitude += permanent(&a, &b, &c);
        let sum = a + b + c;
        volume6 += volume;
        first += sum * volume;
        // ∫ x·xᵀ over the tetrahedron 0 a b c is V/20 (Σ xᵢ·xᵢᵀ + s·sᵀ), s the sum of corners.
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose();
        second += squares * volume;
    }
    let volume = volume6 / 6.0;
    // What rounding alone may leave of surfaces that cancel out.
    let noise = 8.0 * f64::EPSILON * magnitude;
    if !(volume > noise && volume.is_finite()) {
        return Err(MassError::NoVolume { volume });
    }
    let center = first / (24.0 * volume);
    let spread = symmetric(second / 120.0 - center * center.transpose() * volume);
    Ok(MassProperties {
        volume,
        center: Point3::from(reference + center),
        inertia: Matrix3::from_diagonal_element(spread.trace()) - spread,
    })
}

/// The products of the determinant `a·(b × c)` added up without their signs.
pub(crate) fn permanent(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> f64 {
    let [a, b, c] = [a.abs(), b.abs(), c.abs()];
    a.x * (b.y * c.z + b.z * c.y) + a.y * (b.z * c.x + b.x * c.z) + a.z * (b.x * c.y + b.y * c.x)
}

#[cfg(test)]
mod tests;
