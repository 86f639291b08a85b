//! Skeletons: bodies of parts that joints connect.

use impinge_geometry::{ColliderId, JointKind, Linkage, PartId};
use nalgebra::{Isometry3, Vector3};

use crate::chain::ChainError;
use crate::{World, WorldError};

/// A body of parts that joints connect to a tree: an arm, a hand, an avatar. Each link is a [part](World::add_part) of the world, so that it may have
/// any number of colliders, and stands where the joints carry it; neighbours, a link and the one that it hangs on, never meet, and all others do.
///
/// A contact's colliders name the links: [`Skeleton::link_of`]. [`chain::Chain`](crate::chain::Chain) finds when the links of such a body first
/// meet something while its joints move; one skin over all bones is a [`Skin`](crate::Skin).
///
/// ```
/// use impinge::geometry::{Joint, Linkage};
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().backend(Backend::Cpu).build()?;
/// // Three bars of a metre, each turning about z at the end of the one before it.
/// let elbow = |on: usize| Joint::revolute(Vector3::z()).on(on).at(Isometry3::translation(1.0, 0.0, 0.0));
/// let joints = [Joint::revolute(Vector3::z()), elbow(0), elbow(1)];
/// let arm = world.add_skeleton(Linkage::new(&joints)?)?;
/// let bar = world.add_shape(Shape::cuboid([0.5, 0.05, 0.05])?)?;
/// for &part in arm.parts() {
///     world.add_collider(Collider::new(bar).of(part, Isometry3::translation(0.5, 0.0, 0.0)))?;
/// }
/// // Stretched out, each bar touches its neighbours; they do not meet.
/// assert_eq!(world.step().counts.touching, 0);
///
/// // It bends until the third bar lies on the first.
/// arm.place(&mut world, &[0.0, 2.2, 2.2])?;
/// assert_eq!(world.step().counts.touching, 1);
/// let links = world.manifolds()[0].colliders.map(|id| arm.link_of(&world, id));
/// assert_eq!(links, [Some(0), Some(2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Skeleton {
    linkage: Linkage,
    parts: Vec<PartId>,
}

impl World {
    /// Adds a skeleton: a part for each link, where all joints have the value 0, without members yet.
    ///
    /// # Errors
    /// [`WorldError::Pose`] where a link would stand too far away, or [`WorldError::Full`]. Nothing has been added then.
    pub fn add_skeleton(&mut self, linkage: Linkage) -> Result<Skeleton, WorldError> {
        let mut poses = Vec::new();
        linkage.poses(&vec![0.0; linkage.degrees()], &mut poses);
        let mut parts = Vec::with_capacity(poses.len());
        for pose in poses {
            match self.add_part(pose) {
                Ok(part) => parts.push(part),
                Err(error) => {
                    parts.into_iter().try_for_each(|part| self.remove_part(part))?;
                    return Err(error);
                }
            }
        }
        for (joint, &part) in linkage.joints().iter().zip(&parts) {
            if let Some(parent) = joint.parent() {
                self.set_neighbours(part, parts[parent], true)?;
            }
        }
        Ok(Skeleton { linkage, parts })
    }

    /// Makes two parts neighbours, whose members never meet, or no longer. Parts are no neighbours unless this is said of them.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`].
    pub fn set_neighbours(&mut self, a: PartId, b: PartId, neighbours: bool) -> Result<(), WorldError> {
        self.part_pose(a)?;
        self.part_pose(b)?;
        if self.state.neighbours.set(a, b, neighbours) {
            self.state.still = None;
        }
        Ok(())
    }

    /// Removes a skeleton, its parts and their members.
    ///
    /// # Errors
    /// [`WorldError::UnknownPart`] for the first part that is gone; those before it are removed then.
    pub fn remove_skeleton(&mut self, skeleton: Skeleton) -> Result<(), WorldError> {
        skeleton.parts.into_iter().try_for_each(|part| self.remove_part(part))
    }
}

impl Skeleton {
    /// The joints, and where they lead.
    pub fn linkage(&self) -> &Linkage {
        &self.linkage
    }

    /// The parts, one for each link.
    pub fn parts(&self) -> &[PartId] {
        &self.parts
    }

    /// The link that a collider of the world is a member of; `None` where it is of another body.
    pub fn link_of(&self, world: &World, id: ColliderId) -> Option<usize> {
        let (part, _) = world.collider(id).ok()?.of?;
        self.parts.iter().position(|own| *own == part)
    }

    /// Places all links as a configuration says (rad, m): a jump, as [`World::set_pose`] is.
    ///
    /// # Errors
    /// [`WorldError::Chain`] for values that are none of the joints', [`WorldError::UnknownPart`], or [`WorldError::Pose`], then of a link before which all others
    /// have been placed.
    pub fn place(&self, world: &mut World, values: &[f64]) -> Result<(), WorldError> {
        let poses = self.poses(values)?;
        self.parts.iter().try_for_each(|&part| world.part_pose(part).map(|_| ()))?;
        self.parts.iter().zip(poses).try_for_each(|(&part, pose)| world.set_part_pose(part, pose))
    }

    /// As [`Skeleton::place`], of links whose members are [fixed](crate::Collider::fixed) and that the program moves: solvers are told how fast each is
    /// ([`World::set_part_velocity`]) where the values change by `rates` (rad/s, m/s).
    ///
    /// # Errors
    /// As there, and [`WorldError::Velocity`].
    pub fn move_to(&self, world: &mut World, values: &[f64], rates: &[f64]) -> Result<(), WorldError> {
        self.linkage.check(rates).map_err(ChainError::from)?;
        self.place(world, values)?;
        let poses = self.poses(values)?;
        for (link, &part) in self.parts.iter().enumerate() {
            let [linear, angular] = self.velocity(link, &poses, rates);
            world.set_part_velocity(part, linear, angular)?;
        }
        Ok(())
    }

    fn poses(&self, values: &[f64]) -> Result<Vec<Isometry3<f64>>, WorldError> {
        self.linkage.check(values).map_err(ChainError::from)?;
        let mut poses = Vec::new();
        self.linkage.poses(values, &mut poses);
        Ok(poses)
    }

    /// The velocity of a link's origin (m/s) and its angular velocity (rad/s), both in the world: the sum over all joints that carry it.
    fn velocity(&self, link: usize, poses: &[Isometry3<f64>], rates: &[f64]) -> [Vector3<f64>; 2] {
        let joints = self.linkage.joints();
        let value = |link: usize| joints[..link].iter().filter(|j| j.kind() != JointKind::Fixed).count();
        let at = poses[link].translation.vector;
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        let mut carrier = Some(link);
        while let Some(own) = carrier {
            // A joint does not turn its own axis.
            let axis = poses[own].rotation * joints[own].axis();
            match joints[own].kind() {
                JointKind::Fixed => {}
                JointKind::Prismatic => linear += axis * rates[value(own)],
                JointKind::Revolute => {
                    let turn = axis * rates[value(own)];
                    angular += turn;
                    linear += turn.cross(&(at - poses[own].translation.vector));
                }
            }
            carrier = joints[own].parent();
        }
        [linear, angular]
    }
}
