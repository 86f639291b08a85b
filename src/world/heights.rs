//! Height fields that change.

use impinge_geometry::{FieldEdit, ShapeId};

use super::World;
use crate::WorldError;

impl World {
    /// Gives samples of a height field other heights (m): those from `first` on (place in a row, row), `count` along x and y, row by row; NaN
    /// is no terrain. All colliders that place the shape change with it; their names, pairs, impulses and what their pairs remember stay.
    /// It is a jump, as [`World::set_pose`] is: the next step finds the contacts of the heights given last.
    ///
    /// Pairs whose boxes it does not reach keep their answers; those that it reaches are [`World::edited_pairs`] of the next step.
    ///
    /// Costs in proportion to the samples given, unless terrain comes or goes ([`FieldEdit::gaps_changed`]), or something besides the world
    /// holds the field, which is then copied.
    ///
    /// ```
    /// use impinge::geometry::{HeightField, HeightFieldSettings};
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let field = HeightField::new([9, 9], vec![0.0; 81], &HeightFieldSettings::default())?;
    /// let ground = world.add_shape(field)?;
    /// let ball = world.add_shape(Shape::sphere(0.5)?)?;
    /// world.add_collider(Collider::new(ground).fixed(true))?;
    /// world.add_collider(Collider::new(ball).position([4.0, 4.0, 1.0]))?;
    /// assert_eq!(world.step().counts.touching, 0);
    ///
    /// // A mound rises under the ball.
    /// world.set_heights(ground, [3, 3], [3, 3], &[0.75; 9])?;
    /// assert_eq!(world.step().counts.touching, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Deform`] for a shape that is no height field, and for samples that it cannot take. Nothing
    /// has changed then.
    pub fn set_heights(
        &mut self,
        shape: ShapeId,
        first: [u32; 2],
        count: [u32; 2],
        heights: &[f32],
    ) -> Result<FieldEdit, WorldError> {
        let edit = |prepared: &mut impinge_midphase::PreparedShape| {
            prepared.edit_field(|field| field.set_heights(first, count, heights))
        };
        self.edit(shape, edit, |edit| edit.changed)
    }

    /// As [`World::set_heights`], of a field of whole numbers ([`HeightField::quantized`](impinge_geometry::HeightField::quantized)).
    ///
    /// # Errors
    /// As there.
    pub fn set_quantized_heights(
        &mut self,
        shape: ShapeId,
        first: [u32; 2],
        count: [u32; 2],
        values: &[u16],
    ) -> Result<FieldEdit, WorldError> {
        let edit = |prepared: &mut impinge_midphase::PreparedShape| {
            prepared.edit_field(|field| field.set_quantized(first, count, values))
        };
        self.edit(shape, edit, |edit| edit.changed)
    }
}
