//! Mass properties of what a level set has inside.

use super::LevelSet;
use crate::mass::of_surface;
use crate::{MassError, MassProperties};

impl LevelSet {
    /// Mass properties at unit density of what the triangles bound, in the level set's frame.
    ///
    /// # Errors
    /// [`MassError::NoVolume`] where rounding leaves nothing.
    pub fn mass_properties(&self) -> Result<MassProperties, MassError> {
        of_surface(&self.aabb, self.triangles().map(|t| self.corners(t)))
    }
}
