//! Parts: colliders with places of their own that move as one.

use impinge_geometry::{ColliderId, MassProperties, PartId};
use nalgebra::{Isometry3, Vector3};

use super::{World, usable_pose};
use crate::collider::{CarriedVelocity, Membership, filter_part};
use crate::slots::Slots;
use crate::{Collider, WorldError};

/// The parts of a world.
#[derive(Debug, Default)]
pub(super) struct Parts(Slots<HeldPart>);

#[derive(Debug)]
struct HeldPart {
    pose: Isometry3<f64>,
    /// In the order in which they were added.
    members: Vec<ColliderId>,
}

impl Parts {
    fn get(&self, id: PartId) -> Result<&HeldPart, WorldError> {
        self.0.get(id.index, id.generation).ok_or(WorldError::UnknownPart { id })
    }

    /// A collider is a member no longer.
    pub fn leave(&mut self, id: PartId, member: ColliderId) {
        if let Some(part) = self.0.get_mut(id.index, id.generation) {
            part.members.retain(|id| *id != member);
        }
    }
}

impl World {
    /// Adds a part: a body of several colliders, each with its own shape, material and place, that move as one and never meet each other. It has
    /// no members yet; [`Collider::of`] makes them.
    ///
    /// A [composite](impinge_geometry::Composite) is one shape, searched by one tree, and has manifolds for pairs of its children; a part is
    /// several colliders, which have pairs, materials, groups, sensors and events each for itself, and may come and go.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().backend(Backend::Cpu).build()?;
    /// let floor = world.add_shape(Shape::half_space())?;
    /// world.add_collider(Collider::new(floor).fixed(true))?;
    /// // A dumb-bell: two balls on a bar that reaches into both.
    /// let [ball, bar] = [Shape::sphere(0.25)?, Shape::cuboid([0.5, 0.0625, 0.0625])?];
    /// let [ball, bar] = [world.add_shape(ball)?, world.add_shape(bar)?];
    /// let dumb_bell = world.add_part(Isometry3::translation(0.0, 0.0, 2.0))?;
    /// for x in [-0.5, 0.5] {
    ///     world.add_collider(Collider::new(ball).of(dumb_bell, Isometry3::translation(x, 0.0, 0.0)))?;
    /// }
    /// world.add_collider(Collider::new(bar).of(dumb_bell, Isometry3::identity()))?;
    /// assert_eq!(world.step().counts.touching, 0);
    ///
    /// world.set_part_pose(dumb_bell, Isometry3::translation(0.0, 0.0, 0.24))?;
    /// assert_eq!(world.step().counts.touching, 2);
    /// let mass = world.part_mass_properties(dumb_bell)?.ok_or("no members")?;
    /// assert!(mass.center.coords.norm() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Pose`], or [`WorldError::Full`].
    pub fn add_part(&mut self, pose: Isometry3<f64>) -> Result<PartId, WorldError> {
        let pose = usable_pose(&pose)?;
        let part = HeldPart { pose, members: Vec::new() };
        let (index, generation) = self.parts.0.insert(part).ok_or(WorldError::Full { what: "parts" })?;
        Ok(PartId { index, generation })
    }

    /// Removes a part and its members.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`].
    pub fn remove_part(&mut self, part: PartId) -> Result<(), WorldError> {
        for id in self.parts.get(part)?.members.clone() {
            self.remove_collider(id)?;
        }
        self.parts.0.remove(part.index, part.generation);
        self.state.neighbours.forget(part);
        Ok(())
    }

    /// The parts, in the order of their slots.
    pub fn parts(&self) -> impl Iterator<Item = PartId> {
        self.parts.0.iter().map(|(index, generation, _)| PartId { index, generation })
    }

    /// Where a part stands (m), its rotation normalised.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`].
    pub fn part_pose(&self, part: PartId) -> Result<Isometry3<f64>, WorldError> {
        self.parts.get(part).map(|part| part.pose)
    }

    /// The members of a part, in the order in which they were added.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`].
    pub fn members_of(&self, part: PartId) -> Result<&[ColliderId], WorldError> {
        self.parts.get(part).map(|part| &part.members[..])
    }

    /// Moves a part and all its members (m). As [`World::set_pose`] it is a jump.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`], or [`WorldError::Pose`], also where a member would stand too far away. Nothing has moved then.
    pub fn set_part_pose(&mut self, part: PartId, pose: Isometry3<f64>) -> Result<(), WorldError> {
        let pose = usable_pose(&pose)?;
        let places =
            self.members(part)?.into_iter().map(|(id, offset)| Ok((id, usable_pose(&(pose * offset))?)));
        let places: Vec<_> = places.collect::<Result<_, WorldError>>()?;
        for (id, place) in places {
            self.state.place(id, place)?;
        }
        if let Some(held) = self.parts.0.get_mut(part.index, part.generation) {
            held.pose = pose;
        }
        Ok(())
    }

    /// Says how fast a part is of which the members are [fixed](Collider::fixed) and that the program moves: the velocity of its origin (m/s) and its
    /// angular velocity (rad/s, world axes), from which each member has its own, where it stands now ([`World::set_velocity`]).
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`], or [`WorldError::Velocity`]. Nothing has changed then.
    pub fn set_part_velocity(
        &mut self,
        part: PartId,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> Result<(), WorldError> {
        let rotation = self.part_pose(part)?.rotation;
        let velocity = |offset: &Isometry3<f64>| CarriedVelocity {
            linear: linear + angular.cross(&(rotation * offset.translation.vector)),
            angular,
            belt: Vector3::zeros(),
        };
        velocity(&Isometry3::identity()).checked()?;
        let members = self.members(part)?;
        members.iter().try_for_each(|(_, offset)| velocity(offset).checked().map(|_| ()))?;
        for (id, offset) in members {
            self.set_velocity(id, velocity(&offset).linear, angular)?;
        }
        Ok(())
    }

    /// Gives a member another place (m) in the frame of its part.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], [`WorldError::OfNoPart`], or [`WorldError::Pose`]. Nothing has moved then.
    pub fn set_offset(&mut self, id: ColliderId, offset: Isometry3<f64>) -> Result<(), WorldError> {
        let offset = usable_pose(&offset)?;
        let Membership { part, .. } =
            self.state.collider(id)?.collider.of.ok_or(WorldError::OfNoPart { id })?;
        let place = usable_pose(&(self.part_pose(part)? * offset))?;
        self.state.collider_mut(id)?.collider.of = Some(Membership { part, offset });
        self.state.place(id, place)
    }

    /// Mass properties of a part at unit density, in its frame: of all members but sensors, each where it stands in the part. Members that overlap
    /// count twice where they do. `None` where there are none.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`], or [`WorldError::Mass`] for the first member that has none.
    pub fn part_mass_properties(&self, part: PartId) -> Result<Option<MassProperties>, WorldError> {
        let mut all: Option<MassProperties> = None;
        for (id, offset) in self.members(part)? {
            let held = self.state.collider(id)?;
            if held.collider.sensor {
                continue;
            }
            let shape = held.prepared.shape();
            let own = shape.mass_properties().map_err(|source| WorldError::Mass { id, source })?.at(&offset);
            all = Some(all.map_or(own, |sum| sum.merged(&own)));
        }
        Ok(all)
    }

    /// The members of a part with their offsets.
    pub(super) fn members(&self, part: PartId) -> Result<Vec<(ColliderId, Isometry3<f64>)>, WorldError> {
        let offset = |id: ColliderId| self.state.collider(id).ok()?.collider.of.map(|of| (id, of.offset));
        Ok(self.parts.get(part)?.members.iter().filter_map(|&id| offset(id)).collect())
    }

    /// Where a collider is to stand that is to be a member of a part.
    pub(super) fn take_place(&self, collider: &mut Collider) -> Result<(), WorldError> {
        if let Some(Membership { part, offset }) = collider.of {
            let offset = usable_pose(&offset)?;
            collider.of = Some(Membership { part, offset });
            collider.pose = self.part_pose(part)? * offset;
            collider.filter.part = Some(filter_part(part));
        }
        Ok(())
    }

    /// Notes a collider that was added as a member of its part, if it has one.
    pub(super) fn join_part(&mut self, id: ColliderId) {
        let of = self.state.collider(id).ok().and_then(|held| held.collider.of);
        let part = of.and_then(|Membership { part, .. }| self.parts.0.get_mut(part.index, part.generation));
        if let Some(part) = part {
            part.members.push(id);
        }
    }
}
