//! Links of an arm.

use impinge_geometry::TriMesh;
use nalgebra::{Point3, Vector3};

use super::skin::Skin;
use super::{Check, GeneratorError};

/// A turned spindle along z, from the origin to its length: thick at both ends, slender between. Closed, of
/// `32 · around` triangles less 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spindle {
    /// Length (m).
    pub length: f64,
    /// Radius of the ends (m).
    pub radius: f64,
    /// Radius in the middle (m).
    pub waist: f64,
    /// Corners of the cross-section.
    pub around: u32,
}

impl Default for Spindle {
    fn default() -> Spindle {
        Spindle { length: 0.4, radius: 0.075, waist: 0.045, around: 30 }
    }
}

impl Spindle {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, or a waist that is not below the radius.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("spindle");
        for (name, value) in [("length", self.length), ("radius", self.radius), ("waist", self.waist)] {
            check.length(name, value)?;
        }
        check.below("waist", self.waist, self.radius, "it must be below the radius")?;
        check.steps("around", self.around, 3, "a spindle needs 3 corners")?;
        let profile = |share: f64| {
            // Thick on a quarter of the length at both ends, and rounded at their rims.
            let aside = (2.0 * share - 1.0).abs();
            let rim = if aside > 0.9 { 1.0 - 0.35 * (10.0 * aside - 9.0) } else { 1.0 };
            let swell = ((aside - 0.4) / 0.2).clamp(0.0, 1.0);
            rim * (self.waist + (self.radius - self.waist) * swell * swell * (3.0 - 2.0 * swell))
        };
        let mut skin = Skin::default();
        for k in 0..=15 {
            let share = f64::from(k) / 15.0;
            let at = Point3::new(0.0, 0.0, share * self.length);
            skin.circle(at, Vector3::x(), Vector3::y(), profile(share), self.around);
        }
        skin.capped_mesh("spindle")
    }
}
