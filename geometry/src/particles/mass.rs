//! The mass of particles.

use nalgebra::{Matrix3, Vector3};

use super::Particles;
use crate::{MassError, MassProperties};

impl Particles {
    /// Mass properties at unit density. Balls that overlap count twice where they do.
    ///
    /// # Errors
    /// [`MassError::NoVolume`] for radii of which the volume underflows.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        let (mut volume, mut moment) = (0.0, Vector3::zeros());
        let balls = || {
            (0..).zip(&self.points).map(|(k, p)| {
                let r = f64::from(self.radius(k));
                (4.0 / 3.0 * std::f64::consts::PI * r * r * r, r, p.coords.cast::<f64>())
            })
        };
        for (v, _, p) in balls() {
            volume += v;
            moment += p * v;
        }
        if volume.is_nan() || volume <= 0.0 {
            return Err(MassError::NoVolume { volume });
        }
        let center = moment / volume;
        let mut inertia = Matrix3::zeros();
        for (v, r, p) in balls() {
            let d = p - center;
            let spread = Matrix3::from_diagonal_element(d.norm_squared() + 0.4 * r * r) - d * d.transpose();
            inertia += spread * v;
        }
        Ok(MassProperties { volume, center: center.into(), inertia })
    }
}
