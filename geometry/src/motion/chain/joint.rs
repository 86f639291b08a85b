//! The joint that carries a link.

use nalgebra::{Isometry3, Vector3};

/// What a joint lets its link do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointKind {
    /// Turns about its axis (rad).
    Revolute,
    /// Slides along its axis (m).
    Prismatic,
    /// Nothing: it has no value.
    Fixed,
}

/// The joint that carries a link, by the convention of URDF: where its value is 0 the link's frame is the joint's, and the link turns
/// about the axis, or slides along it, as the value says.
///
/// ```
/// use impinge_geometry::Joint;
/// use nalgebra::{Isometry3, Vector3};
///
/// let shoulder = Joint::revolute(Vector3::z());
/// let elbow = Joint::revolute(Vector3::y()).on(0).at(Isometry3::translation(0.4, 0.0, 0.0));
/// # let _ = (shoulder, elbow);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    pub(super) parent: Option<usize>,
    pub(super) origin: Isometry3<f64>,
    pub(super) kind: JointKind,
    pub(super) axis: Vector3<f64>,
}

impl Joint {
    /// Turns about an axis (joint's frame, of any length).
    pub fn revolute(axis: Vector3<f64>) -> Joint {
        Joint { parent: None, origin: Isometry3::identity(), kind: JointKind::Revolute, axis }
    }

    /// Slides along an axis (joint's frame, of any length; a value of 1 is a metre).
    pub fn prismatic(axis: Vector3<f64>) -> Joint {
        Joint { kind: JointKind::Prismatic, ..Joint::revolute(axis) }
    }

    /// Does not move.
    pub fn fixed() -> Joint {
        Joint { kind: JointKind::Fixed, ..Joint::revolute(Vector3::z()) }
    }

    /// Names the link that the joint hangs on (default: the base).
    pub fn on(mut self, parent: usize) -> Joint {
        self.parent = Some(parent);
        self
    }

    /// Says where the joint stands in its parent's frame (m; default: at its origin).
    pub fn at(mut self, origin: Isometry3<f64>) -> Joint {
        self.origin = origin;
        self
    }

    /// The link that it hangs on; `None` is the base.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Where it stands in its parent's frame (m).
    pub fn origin(&self) -> &Isometry3<f64> {
        &self.origin
    }

    /// What it lets its link do.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// Its axis (joint's frame).
    pub fn axis(&self) -> &Vector3<f64> {
        &self.axis
    }
}
