//! Particles in a world.

use impinge_contacts::PairMaterial;
use impinge_geometry::{ColliderId, ShapeId};
use impinge_pair::particles::PointContact;
use nalgebra::Point3;

use super::World;
use crate::WorldError;

/// The contacts of a collider of particles with another collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleContacts<'w> {
    /// The collider whose particles the contacts are of.
    pub particles: ColliderId,
    /// The other one; where both are particles, that of the higher slot. The same one where they are contacts among themselves.
    pub other: ColliderId,
    /// How their materials act together.
    pub material: PairMaterial,
    /// In the order of the particles, and of subshapes before that; among themselves in one that depends on where they stand, and on nothing else.
    pub contacts: &'w [PointContact],
}

impl World {
    /// Puts particles of a shape from index `first` on elsewhere (m, the colliders' frame), and gives how far one has moved at most (m). All
    /// colliders that place the shape change with it. It is a jump, as [`World::set_pose`] is.
    ///
    /// ```
    /// use impinge::geometry::Particles;
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let floor = world.add_shape(Shape::half_space())?;
    /// let floor = world.add_collider(Collider::new(floor).fixed(true))?;
    /// let drops = vec![Point3::new(0.0, 0.0, 0.3), Point3::new(1.0, 0.0, 0.3)];
    /// let drops = world.add_shape(Particles::new(drops, 0.1)?)?;
    /// let powder = world.add_collider(Collider::new(drops).collides_with_itself(true))?;
    /// assert_eq!(world.step().counts.point_contacts, 0);
    ///
    /// // The second one has fallen.
    /// world.set_particles(drops, 1, &[Point3::new(1.0, 0.0, 0.08)])?;
    /// assert_eq!(world.step().counts.point_contacts, 1);
    /// let pair = world.particle_contacts().next().ok_or("none")?;
    /// assert_eq!((pair.particles, pair.other, pair.contacts[0].particle), (powder, floor, 1));
    /// assert!((pair.contacts[0].depth - 0.02).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::UnknownShape`], or [`WorldError::Deform`] for a shape that is none of particles, and for particles that it does not have or
    /// that cannot be put there. Nothing has changed then.
    pub fn set_particles(
        &mut self,
        shape: ShapeId,
        first: usize,
        centers: &[Point3<f32>],
    ) -> Result<f64, WorldError> {
        let moved = self.deform(shape, |prepared| prepared.set_centers(first, centers), |moved| *moved)?;
        if let Some(held) = self.shapes.get(shape.index, shape.generation) {
            for slot in &held.colliders {
                self.state.clouds.forget_places(*slot);
            }
        }
        Ok(moved)
    }

    /// The contacts of particles that the last step found: those with other colliders in the order of the pairs, then those of particles among themselves
    /// ([`Collider::collides_with_itself`](crate::Collider::collides_with_itself)). No solver is given them.
    pub fn particle_contacts(&self) -> impl Iterator<Item = ParticleContacts<'_>> {
        let state = &*self.state;
        let pairs =
            state.memories.iter().filter(|memory| !memory.points.contacts.is_empty()).filter_map(|memory| {
                let [a, b] = memory.colliders;
                let first = state.collider(a).ok()?.prepared.particles().is_some();
                let [particles, other] = if first { [a, b] } else { [b, a] };
                self.particle_pair(particles, other, &memory.points.contacts)
            });
        let own = state.clouds.own_contacts().filter_map(|(slot, contacts)| {
            let id = super::id_at(&state.colliders, slot);
            self.particle_pair(id, id, contacts)
        });
        pairs.chain(own)
    }

    /// The contacts of the particles of one collider with another, given in either order, or of a collider's among themselves; none where there are
    /// none.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn particle_contacts_between(
        &self,
        a: ColliderId,
        b: ColliderId,
    ) -> Result<Option<ParticleContacts<'_>>, WorldError> {
        self.state.collider(a)?;
        self.state.collider(b)?;
        Ok(self
            .particle_contacts()
            .find(|pair| [pair.particles, pair.other] == [a, b] || [pair.particles, pair.other] == [b, a]))
    }

    fn particle_pair<'w>(
        &'w self,
        particles: ColliderId,
        other: ColliderId,
        contacts: &'w [PointContact],
    ) -> Option<ParticleContacts<'w>> {
        let of = |id: ColliderId| self.state.collider(id).ok().map(|held| &held.collider.material);
        let material = self.materials.combine(of(particles)?, of(other)?);
        Some(ParticleContacts { particles, other, material, contacts })
    }
}
