//! Masses of colliders, in Avian's form.

use avian3d::prelude::{ComputeMassProperties3d, MassProperties3d};
use bevy::math::{Quat, Vec3};
use impinge::Shape;
use impinge::geometry::MassProperties;
use impinge::nalgebra::{Matrix3, Point3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};

use crate::collider::MeshCollider;

/// An inertia tensor along its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PrincipalInertia {
    /// Per unit of mass (m²).
    pub unit: Vec3,
    /// The axes in the shape's frame.
    pub frame: Quat,
}

impl PrincipalInertia {
    /// The mass at unit density of a shape, and its inertia; nothing of one without a volume, as a half-space is.
    pub fn of(shape: &Shape) -> (MassProperties, PrincipalInertia) {
        let none = MassProperties { volume: 0.0, center: Point3::origin(), inertia: Matrix3::zeros() };
        let mass = shape.mass_properties().unwrap_or(none);
        let inertia = if mass.volume > 0.0 { mass.inertia / mass.volume } else { mass.inertia };
        (mass, PrincipalInertia::of_tensor(inertia))
    }

    fn of_tensor(inertia: Matrix3<f64>) -> PrincipalInertia {
        let SymmetricEigen { eigenvalues, eigenvectors } = inertia.symmetric_eigen();
        let mut axes = eigenvectors;
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let [x, y, z, w] = <[f32; 4]>::from(turn.coords.cast::<f32>());
        PrincipalInertia { unit: vector(&eigenvalues), frame: Quat::from_xyzw(x, y, z, w).normalize() }
    }
}

fn vector(v: &Vector3<f64>) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

impl ComputeMassProperties3d for MeshCollider {
    fn mass(&self, density: f32) -> f32 {
        let (mass, _) = self.mass_properties_at_unit_density();
        mass.mass(f64::from(density)) as f32
    }

    fn unit_principal_angular_inertia(&self) -> Vec3 {
        self.mass_properties_at_unit_density().1.unit
    }

    fn local_inertial_frame(&self) -> Quat {
        self.mass_properties_at_unit_density().1.frame
    }

    fn center_of_mass(&self) -> Vec3 {
        vector(&self.mass_properties_at_unit_density().0.center.coords)
    }

    fn mass_properties(&self, density: f32) -> MassProperties3d {
        let mass = self.mass(density);
        MassProperties3d::new_with_local_frame(
            mass,
            self.principal_angular_inertia(mass),
            self.local_inertial_frame(),
            self.center_of_mass(),
        )
    }
}
