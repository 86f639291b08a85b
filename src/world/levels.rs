//! Level sets that change.

use impinge_geometry::{LevelEdit, ShapeId};
use impinge_midphase::PreparedShape;

use super::World;
use crate::WorldError;

impl World {
    /// Gives samples of a level set other values: those from `first` on (places along x, y and z), `count` along each axis, x fastest, then y,
    /// then z. All colliders that place the shape change with it; their names, pairs, impulses and what their pairs remember stay.
    /// It is a jump, as [`World::set_pose`] is: the next step finds the contacts of the values given last.
    ///
    /// Pairs whose boxes it does not reach keep their answers; those that it reaches are [`World::edited_pairs`] of the next step.
    ///
    /// Costs in proportion to the samples given, unless parts of the surface come, go, are joined or cut ([`LevelEdit::shells_changed`]), or
    /// something besides the world holds the level set, which is then copied.
    ///
    /// ```
    /// use impinge::geometry::{LevelSet, LevelSetSettings};
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// // A plate, half a metre thick.
    /// let settings = LevelSetSettings { spacing: [0.25; 3], origin: [-2.0, -2.0, -1.0] };
    /// let plate = |p: &Point3<f64>| (p.x.abs() - 1.6).max(p.y.abs() - 1.6).max(p.z.abs() - 0.25);
    /// let plate = LevelSet::from_function([17, 17, 9], &settings, plate)?;
    /// let ground = world.add_shape(plate)?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// world.add_collider(Collider::new(ground).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([0.0, 0.0, 0.7]))?;
    /// assert_eq!(world.step().counts.touching, 1);
    ///
    /// // A hole right through the plate, under the ball.
    /// world.edit_levels(ground, [4, 4, 0], [9, 9, 9], &[0.25; 729])?;
    /// assert_eq!(world.step().counts.touching, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Deform`] for a shape that is no level set, and for samples that it cannot take. Nothing
    /// has changed then.
    pub fn edit_levels(
        &mut self,
        shape: ShapeId,
        first: [u32; 3],
        count: [u32; 3],
        values: &[f32],
    ) -> Result<LevelEdit, WorldError> {
        let edit = |prepared: &mut PreparedShape| {
            prepared.edit_levels(|levels| levels.set_values(first, count, values))
        };
        self.edit(shape, edit, |edit| edit.changed)
    }

    /// As [`World::edit_levels`], of a level set of whole numbers ([`LevelSet::quantized`](impinge_geometry::LevelSet::quantized)).
    ///
    /// # Errors
    /// As there.
    pub fn edit_quantized_levels(
        &mut self,
        shape: ShapeId,
        first: [u32; 3],
        count: [u32; 3],
        values: &[i16],
    ) -> Result<LevelEdit, WorldError> {
        let edit = |prepared: &mut PreparedShape| {
            prepared.edit_levels(|levels| levels.set_quantized(first, count, values))
        };
        self.edit(shape, edit, |edit| edit.changed)
    }
}
