//! Links that joints connect to a tree.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::error::{LinkageError, MOST_JOINT_TURN};
use super::joint::{Joint, JointKind};
use super::link_path::{LinkPath, MovingJoint};
use crate::FARTHEST;
use crate::canonical::checked_pose;

/// A tree of links: joint `k` carries link `k` and hangs on another link, or on the base.
///
/// A configuration has one value for each revolute (rad) and prismatic (m) joint, in the order of the links.
#[derive(Clone, Debug)]
pub struct Linkage {
    joints: Vec<Joint>,
    /// Of each joint's axes the third is what it moves about or along.
    frames: Vec<Matrix3<f64>>,
    /// Every link behind its parent.
    order: Vec<usize>,
    /// Where a joint's value is found.
    values: Vec<Option<usize>>,
    degrees: usize,
    base: Isometry3<f64>,
}

impl Linkage {
    /// Of the joints that carry its links, in any order.
    ///
    /// # Errors
    /// [`LinkageError`]: no joint, a parent that is not there or that hangs on its child, an origin or axis that cannot be used.
    pub fn new(joints: &[Joint]) -> Result<Linkage, LinkageError> {
        if joints.is_empty() {
            return Err(LinkageError::Empty);
        }
        let links = joints.len();
        let mut checked = Vec::with_capacity(links);
        for (link, joint) in joints.iter().enumerate() {
            if let Some(parent) = joint.parent.filter(|&parent| parent >= links) {
                return Err(LinkageError::UnknownParent { link, parent, links });
            }
            let origin =
                checked_pose(&joint.origin).map_err(|source| LinkageError::Origin { link, source })?;
            let refused = || LinkageError::Axis { link, axis: joint.axis.into() };
            // Scaled first, so that no square overflows or vanishes.
            let scaled = joint.axis / joint.axis.amax();
            let axis = scaled.try_normalize(0.1).filter(|axis| axis.iter().all(|x| x.is_finite()));
            checked.push(Joint { origin, axis: axis.ok_or_else(refused)?, ..*joint });
        }
        let (mut values, mut degrees) = (Vec::with_capacity(links), 0);
        for joint in &checked {
            let moves = joint.kind != JointKind::Fixed;
            values.push(moves.then_some(degrees));
            degrees += usize::from(moves);
        }
        let frames = checked.iter().map(|joint| frame_along(&joint.axis)).collect();
        let order = order(&checked)?;
        Ok(Linkage { joints: checked, frames, order, values, degrees, base: Isometry3::identity() })
    }

    /// The same links on a base that stands elsewhere (m, world; default: the world's origin).
    ///
    /// # Errors
    /// [`LinkageError::Base`].
    pub fn based_at(mut self, base: &Isometry3<f64>) -> Result<Linkage, LinkageError> {
        self.base = checked_pose(base).map_err(LinkageError::Base)?;
        Ok(self)
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.joints.len()
    }

    /// How many values a configuration has.
    pub fn degrees(&self) -> usize {
        self.degrees
    }

    /// The joints, their axes normalised.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Where the base stands (m, world).
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// Checks a configuration.
    ///
    /// # Errors
    /// [`LinkageError::Values`] or [`LinkageError::Value`].
    pub fn check(&self, values: &[f64]) -> Result<(), LinkageError> {
        if values.len() != self.degrees {
            return Err(LinkageError::Values { given: values.len(), degrees: self.degrees });
        }
        for (joint, place) in self.joints.iter().zip(&self.values) {
            let Some(place) = *place else { continue };
            let most = if joint.kind == JointKind::Revolute { MOST_JOINT_TURN } else { FARTHEST };
            let value = values[place];
            // What is not a number is within nothing.
            let within = value.abs() <= most;
            if !within {
                return Err(LinkageError::Value { joint: place, value });
            }
        }
        Ok(())
    }

    /// Where every link stands in a configuration that was found to be usable (m, world), in place of what `poses` held.
    pub fn poses(&self, values: &[f64], poses: &mut Vec<Isometry3<f64>>) {
        poses.clear();
        poses.resize(self.joints.len(), self.base);
        for &link in &self.order {
            let parent = self.joints[link].parent.map_or(self.base, |parent| poses[parent]);
            poses[link] = parent * self.moved(link, values);
        }
    }

    /// The nearest link that carries both; `None` is the base. A link carries itself.
    pub fn carrier(&self, a: usize, b: usize) -> Option<usize> {
        let mut of_a = Some(a);
        while let Some(link) = of_a {
            let mut of_b = Some(b);
            while let Some(other) = of_b {
                if other == link {
                    return Some(link);
                }
                of_b = self.joints[other].parent;
            }
            of_a = self.joints[link].parent;
        }
        None
    }

    /// How what stands at `child` (m) in a link's frame moves while the joints go evenly from one usable configuration to another:
    /// in the frame of a link that carries it, or in the world.
    pub fn path(
        &self,
        link: usize,
        carrier: Option<usize>,
        child: &Isometry3<f64>,
        [from, to]: [&[f64]; 2],
        path: &mut LinkPath,
    ) {
        path.clear();
        let mut at = Some(link);
        while let Some(link) = at.filter(|_| at != carrier) {
            path.links.push(link);
            at = self.joints[link].parent;
        }
        let base = if carrier.is_some() { Isometry3::identity() } else { self.base };
        (path.start, path.end) = (base, base);
        let mut fixed = (base.rotation.to_rotation_matrix().into_inner(), base.translation.vector);
        for place in (0..path.links.len()).rev() {
            let link = path.links[place];
            let joint = &self.joints[link];
            path.start *= self.moved(link, from);
            path.end *= self.moved(link, to);
            fixed = after(&fixed, &joint.origin);
            let Some(value) = self.values[link] else { continue };
            let rate = to[value] - from[value];
            if rate == 0.0 {
                fixed = after(&fixed, &self.displacement(link, from[value]));
                continue;
            }
            let frame = &self.frames[link];
            path.joints.push(MovingJoint {
                rotation: fixed.0 * frame,
                offset: fixed.1,
                revolute: joint.kind == JointKind::Revolute,
                from: from[value],
                rate,
            });
            fixed = (frame.transpose(), Vector3::zeros());
        }
        path.start *= child;
        path.end *= child;
        path.finish(after(&fixed, child));
    }

    /// A link in its parent's frame.
    fn moved(&self, link: usize, values: &[f64]) -> Isometry3<f64> {
        let origin = self.joints[link].origin;
        self.values[link].map_or(origin, |value| origin * self.displacement(link, values[value]))
    }

    fn displacement(&self, link: usize, value: f64) -> Isometry3<f64> {
        let axis = self.joints[link].axis;
        match self.joints[link].kind {
            JointKind::Revolute => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), value),
            ),
            JointKind::Prismatic => {
                Isometry3::from_parts(Translation3::from(axis * value), UnitQuaternion::identity())
            }
            JointKind::Fixed => Isometry3::identity(),
        }
    }
}

/// Every link behind its parent.
fn order(joints: &[Joint]) -> Result<Vec<usize>, LinkageError> {
    let mut order = Vec::with_capacity(joints.len());
    let mut placed = vec![false; joints.len()];
    for link in 0..joints.len() {
        let first = order.len();
        let mut at = Some(link);
        while let Some(link) = at.filter(|&link| !placed[link]) {
            if order.len() - first > joints.len() {
                return Err(LinkageError::Cycle { link });
            }
            order.push(link);
            at = joints[link].parent;
        }
        order[first..].reverse();
        order[first..].iter().for_each(|&link| placed[link] = true);
    }
    Ok(order)
}

/// Axes at right angles, the third along a unit vector.
fn frame_along(axis: &Vector3<f64>) -> Matrix3<f64> {
    let turn = Rotation3::rotation_between(&Vector3::z(), axis);
    // Opposite directions: any half turn does.
    turn.unwrap_or_else(|| Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)).into_inner()
}

/// A pose in the frame of another, as matrices.
fn after(outer: &(Matrix3<f64>, Vector3<f64>), inner: &Isometry3<f64>) -> (Matrix3<f64>, Vector3<f64>) {
    let rotation = inner.rotation.to_rotation_matrix().into_inner();
    (outer.0 * rotation, outer.0 * inner.translation.vector + outer.1)
}
