//! Mass properties of the ground down to the bottom.

use super::HeightField;
use crate::mass::of_surface;
use crate::{MassError, MassProperties};

impl HeightField {
    /// Mass properties at unit density of the ground between terrain and bottom, in the field's frame.
    ///
    /// # Errors
    /// [`MassError::NoVolume`] where rounding leaves nothing.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        of_surface(&self.aabb(), self.triangles().map(|t| self.corners(t)))
    }
}
