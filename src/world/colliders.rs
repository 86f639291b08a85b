//! Colliders: added, removed, looked at, and changed.

use std::sync::Arc;

use impinge_broadphase::{BroadPhaseError, Filter};
use impinge_contacts::Material;
use impinge_geometry::{Aabb, ColliderId, PartId, ShapeId};
use impinge_pair::NarrowMethod;
use nalgebra::{Isometry3, Vector3};

use super::{HeldCollider, StepState, World, usable_pose};
use crate::collider::Membership;
use crate::margin::box_margin;
use crate::{Collider, WorldError};

/// A collider as it stands in a world; see [`World::collider`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColliderView {
    /// Its name.
    pub id: ColliderId,
    /// The shape that it places.
    pub shape: ShapeId,
    /// Where it stands (m), its rotation normalised.
    pub pose: Isometry3<f64>,
    /// Whether it is fixed: fixed colliders never collide with each other.
    pub fixed: bool,
    /// Whether it is a sensor.
    pub sensor: bool,
    /// Whether its pairs are swept ([`Collider::fast`]).
    pub fast: bool,
    /// Motions of pairs by no more than this are not swept (m, [`Collider::sweep_beyond`]).
    pub sweep_beyond: f64,
    /// Whether steps say where its mesh meets itself ([`Collider::collides_with_itself`]).
    pub collides_with_itself: bool,
    /// The part it belongs to by the caller's number: colliders of one part never collide with each other.
    pub part: Option<u32>,
    /// The part of the world that it is a member of ([`Collider::of`]), and its pose there.
    pub of: Option<(PartId, Isometry3<f64>)>,
    /// The groups it is in, a bit each.
    pub groups: u32,
    /// The groups it may collide with, a bit each.
    pub mask: u32,
    /// Its material.
    pub material: Material,
    /// How its contacts are found ([`Collider::narrow_method`]).
    pub narrow_method: NarrowMethod,
    /// Its contact tolerance (m); `None` for the world's.
    pub tolerance: Option<f64>,
    /// The caller's own number.
    pub user_data: u64,
    /// Velocity of its origin, as the program says ([`World::set_velocity`]; m/s).
    pub linear_velocity: Vector3<f64>,
    /// Angular velocity, as the program says (rad/s, world axes).
    pub angular_velocity: Vector3<f64>,
    /// Velocity of a belt along its surface ([`Collider::surface_velocity`]; m/s, the collider's frame).
    pub surface_velocity: Vector3<f64>,
}

impl World {
    /// Adds a collider.
    ///
    /// # Errors
    /// [`WorldError`] for an unknown shape, a pose or velocity that is not finite, a material or tolerance that is
    /// not a number or negative, or when no more colliders can be named.
    pub fn add_collider(&mut self, mut collider: Collider) -> Result<ColliderId, WorldError> {
        self.take_place(&mut collider)?;
        collider.pose = usable_pose(&collider.pose)?;
        collider.material = collider.material.checked()?;
        check_tolerance(collider.tolerance)?;
        if collider.sweep_beyond.is_nan() || collider.sweep_beyond < 0.0 {
            return Err(WorldError::SweepBeyond { length: collider.sweep_beyond });
        }
        collider.carried = collider.carried.checked()?;
        let shape = collider.shape;
        let on_device = self.device_bounds(shape);
        let held = self
            .shapes
            .get_mut(shape.index, shape.generation)
            .ok_or(WorldError::UnknownShape { id: shape })?;
        let state = &mut *self.state;
        let prepared = Arc::clone(&held.prepared);
        let margin = box_margin(&prepared, collider.fast, &state.config);
        let full = WorldError::Full { what: "colliders" };
        let (index, _) = state.colliders.next_name().ok_or(full.clone())?;
        let entry = HeldCollider {
            collider,
            prepared,
            moved: false,
            edit: None,
            deformed: false,
            revision: 0,
            travel: 0.0,
            own: None,
            on_device,
        };
        let aabb = entry.aabb().grown(margin);
        state.broadphase.insert(&[(index, aabb, entry.collider.filter)]).map_err(|error| match error {
            BroadPhaseError::SlotTooHigh { .. } => full.clone(),
            other => WorldError::Boxes(other),
        })?;
        let (index, generation) = state.colliders.insert(entry).ok_or(full)?;
        held.colliders.insert(index);
        if let Some(held) = state.colliders.at_mut(index) {
            state.own_meetings.set(index, held);
            state.clouds.set(index, held);
        }
        state.mark(index);
        let id = ColliderId { index, generation };
        self.join_part(id);
        Ok(id)
    }

    /// Removes a collider. Its manifolds are gone at once, its pairs end with the next step.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<(), WorldError> {
        let unknown = WorldError::UnknownCollider { id };
        let state = &mut *self.state;
        let held = state.colliders.remove(id.index, id.generation).ok_or(unknown.clone())?;
        if let Some(Membership { part, .. }) = held.collider.of {
            self.parts.leave(part, id);
        }
        state.broadphase.remove(&[id.index]).map_err(|_| unknown)?;
        state.manifolds.retain(|m| !m.colliders.contains(&id));
        state.second_sides = Default::default();
        state.own_meetings.forget(id.index);
        state.clouds.remove(id.index);
        self.release(held.collider.shape, id.index);
        Ok(())
    }

    /// The colliders, in the order of their slots.
    pub fn colliders(&self) -> impl Iterator<Item = ColliderId> {
        self.state.colliders.iter().map(|(index, generation, _)| ColliderId { index, generation })
    }

    /// Everything that is known of a collider.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn collider(&self, id: ColliderId) -> Result<ColliderView, WorldError> {
        self.state.collider(id).map(|held| held.view(id))
    }

    /// Where a collider stands (m), its rotation normalised.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn pose(&self, id: ColliderId) -> Result<Isometry3<f64>, WorldError> {
        self.state.collider(id).map(|held| held.collider.pose)
    }

    /// The shape that a collider places.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn shape_of(&self, id: ColliderId) -> Result<ShapeId, WorldError> {
        self.state.collider(id).map(|held| held.collider.shape)
    }

    /// The box around a collider where it stands now (m), rounded outward to `f32`, without any margin;
    /// half-spaces have bounds that are infinite.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn aabb(&self, id: ColliderId) -> Result<Aabb, WorldError> {
        self.state.collider(id).map(|held| held.prepared.aabb_at(&held.collider.pose))
    }

    /// Moves a collider (m), a fixed one, too. That is a jump: nothing between the two poses is touched, and solvers see
    /// no velocity but what [`World::set_velocity`] says.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], [`WorldError::Pose`], or [`WorldError::OfPart`] for a member of a part.
    pub fn set_pose(&mut self, id: ColliderId, pose: Isometry3<f64>) -> Result<(), WorldError> {
        let pose = usable_pose(&pose)?;
        let state = &mut *self.state;
        check_alone(id, state.collider(id)?.collider.of)?;
        state.place(id, pose)
    }

    /// Gives a collider another shape. What its pairs remember of the old one is dropped: contacts that go on
    /// start without impulses.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], [`WorldError::UnknownShape`], or [`WorldError::Boxes`] where the shape
    /// has no box at the collider's pose.
    pub fn set_shape(&mut self, id: ColliderId, shape: ShapeId) -> Result<(), WorldError> {
        let prepared = Arc::clone(&self.held_shape(shape)?.prepared);
        let on_device = self.device_bounds(shape);
        let state = &mut *self.state;
        let held = state.collider_mut(id)?;
        if held.collider.shape == shape {
            return Ok(());
        }
        let aabb = prepared.aabb_at(&held.collider.pose);
        if !aabb.is_valid() {
            return Err(WorldError::Boxes(BroadPhaseError::InvalidAabb { slot: id.index, aabb }));
        }
        let old = std::mem::replace(&mut held.collider.shape, shape);
        (held.prepared, held.on_device) = (prepared, on_device);
        held.forget_own_pairs();
        held.revision = held.revision.wrapping_add(1);
        if let Some(held) = state.colliders.at(id.index) {
            state.clouds.set(id.index, held);
        }
        state.mark(id.index);
        if let Some(new) = self.shapes.get_mut(shape.index, shape.generation) {
            new.colliders.insert(id.index);
        }
        self.release(old, id.index);
        Ok(())
    }

    /// Fixes a collider, or sets it free: fixed colliders never collide with each other.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_fixed(&mut self, id: ColliderId, fixed: bool) -> Result<(), WorldError> {
        self.set_filter(id, |filter| filter.is_static = fixed)
    }

    /// Changes the part that a collider belongs to; `None` for one on its own. Colliders of one part never
    /// collide with each other.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::OfPart`] for a member of a part of the world.
    pub fn set_part(&mut self, id: ColliderId, part: Option<u32>) -> Result<(), WorldError> {
        check_alone(id, self.state.collider(id)?.collider.of)?;
        self.set_filter(id, |filter| filter.part = part.map(u64::from))
    }

    /// Changes the groups a collider is in and those it may collide with, a bit each.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_groups(&mut self, id: ColliderId, groups: u32, mask: u32) -> Result<(), WorldError> {
        self.set_filter(id, |filter| (filter.groups, filter.mask) = (groups, mask))
    }

    /// Makes a collider a sensor ([`Collider::sensor`]), or a solid body again.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_sensor(&mut self, id: ColliderId, sensor: bool) -> Result<(), WorldError> {
        let held = self.state.collider_mut(id)?;
        if held.collider.sensor != sensor {
            held.collider.sensor = sensor;
            self.state.mark(id.index);
        }
        Ok(())
    }

    /// Changes how contacts of a collider are found ([`Collider::narrow_method`]).
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_narrow_method(&mut self, id: ColliderId, method: NarrowMethod) -> Result<(), WorldError> {
        let held = self.state.collider_mut(id)?;
        if held.collider.method != method {
            held.collider.method = method;
            self.state.mark(id.index);
        }
        Ok(())
    }

    /// Changes a collider's contact tolerance (m); `None` for the world's.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Tolerance`] for one that is negative or not finite.
    pub fn set_tolerance(&mut self, id: ColliderId, tolerance: Option<f64>) -> Result<(), WorldError> {
        check_tolerance(tolerance)?;
        let held = self.state.collider_mut(id)?;
        if held.collider.tolerance != tolerance {
            held.collider.tolerance = tolerance;
            self.state.mark(id.index);
        }
        Ok(())
    }

    /// Changes what a collider is made of, from the next [`World::solve`] on.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`], or [`WorldError::Material`] for a coefficient that is negative or
    /// not finite.
    pub fn set_material(&mut self, id: ColliderId, material: Material) -> Result<(), WorldError> {
        let material = material.checked()?;
        self.state.collider_mut(id)?.collider.material = material;
        Ok(())
    }

    /// Changes the caller's own number of a collider, from the next [`World::contacts`], [`World::solve`] and
    /// step on.
    ///
    /// # Errors
    /// [`WorldError::UnknownCollider`].
    pub fn set_user_data(&mut self, id: ColliderId, user_data: u64) -> Result<(), WorldError> {
        let state = &mut *self.state;
        state.collider_mut(id)?.collider.user_data = user_data;
        // Events carry it, so the next step compares its contacts.
        state.still = None;
        Ok(())
    }

    /// Changes a collider's filter, in the broad phase, too.
    fn set_filter(&mut self, id: ColliderId, change: impl FnOnce(&mut Filter)) -> Result<(), WorldError> {
        let state = &mut *self.state;
        let mut filter = state.collider(id)?.collider.filter;
        change(&mut filter);
        state.broadphase.set_filter(id.index, filter).map_err(|_| WorldError::UnknownCollider { id })?;
        state.collider_mut(id)?.collider.filter = filter;
        Ok(())
    }

    /// The collider in a slot places a shape no longer.
    fn release(&mut self, shape: ShapeId, slot: u32) {
        if let Some(held) = self.shapes.get_mut(shape.index, shape.generation) {
            held.colliders.remove(&slot);
        }
    }
}

impl StepState {
    /// A collider.
    pub fn collider(&self, id: ColliderId) -> Result<&HeldCollider, WorldError> {
        self.colliders.get(id.index, id.generation).ok_or(WorldError::UnknownCollider { id })
    }

    pub(super) fn collider_mut(&mut self, id: ColliderId) -> Result<&mut HeldCollider, WorldError> {
        self.colliders.get_mut(id.index, id.generation).ok_or(WorldError::UnknownCollider { id })
    }

    /// Puts a collider elsewhere, at a pose that can be used.
    pub(super) fn place(&mut self, id: ColliderId, pose: Isometry3<f64>) -> Result<(), WorldError> {
        let held = self.collider_mut(id)?;
        if held.collider.pose != pose {
            held.collider.pose = pose;
            self.mark(id.index);
        }
        Ok(())
    }
}

impl HeldCollider {
    /// What a caller sees of it.
    pub fn view(&self, id: ColliderId) -> ColliderView {
        let Collider {
            shape,
            pose,
            filter,
            material,
            tolerance,
            user_data,
            sensor,
            fast,
            method,
            sweep_beyond,
            carried,
            meets_itself,
            of,
        } = self.collider;
        ColliderView {
            id,
            shape,
            pose,
            fixed: filter.is_static,
            sensor,
            fast,
            narrow_method: method,
            sweep_beyond,
            collides_with_itself: meets_itself,
            part: filter.part.and_then(|part| u32::try_from(part).ok()),
            of: of.map(|Membership { part, offset }| (part, offset)),
            groups: filter.groups,
            mask: filter.mask,
            material,
            tolerance,
            user_data,
            linear_velocity: carried.linear,
            angular_velocity: carried.angular,
            surface_velocity: carried.belt,
        }
    }
}

/// Whether a collider is a member of no part, so that it can be placed by itself.
pub(super) fn check_alone(id: ColliderId, of: Option<Membership>) -> Result<(), WorldError> {
    match of {
        None => Ok(()),
        Some(Membership { part, .. }) => Err(WorldError::OfPart { id, part }),
    }
}

fn check_tolerance(tolerance: Option<f64>) -> Result<(), WorldError> {
    match tolerance {
        Some(tolerance) if !(tolerance.is_finite() && tolerance >= 0.0) => {
            Err(WorldError::Tolerance { tolerance })
        }
        _ => Ok(()),
    }
}
