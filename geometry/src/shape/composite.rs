//! Several shapes that move as one.

use nalgebra::Isometry3;

use super::Shape;
use crate::{ShapeError, canonical};

/// Several shapes that move as one and never collide with each other.
#[derive(Clone, Debug)]
pub struct Composite {
    children: Vec<(Isometry3<f64>, Shape)>,
    /// One for each child.
    names: Vec<String>,
}

impl Composite {
    /// A composite of `children`, each with its pose in the composite's frame. Composites among
    /// them are flattened, so that [`Composite::children`] never holds one.
    ///
    /// # Errors
    /// [`ShapeError::EmptyComposite`], [`ShapeError::ParticlesInComposite`], or [`ShapeError::ChildPose`] for a pose that is
    /// not finite or leads beyond [`FARTHEST`](crate::FARTHEST).
    pub fn new(children: Vec<(Isometry3<f64>, Shape)>) -> Result<Composite, ShapeError> {
        Composite::named(children.into_iter().map(|(pose, shape)| (String::new(), pose, shape)).collect())
    }

    /// As [`Composite::new`], of children with names. A child of a composite among them is named `outer/inner`, or as the
    /// one of both that has a name.
    ///
    /// # Errors
    /// As [`Composite::new`].
    pub fn named(children: Vec<(String, Isometry3<f64>, Shape)>) -> Result<Composite, ShapeError> {
        let mut flat = Composite { children: Vec::with_capacity(children.len()), names: Vec::new() };
        for (child, (name, pose, shape)) in children.into_iter().enumerate() {
            let checked = |pose: &Isometry3<f64>| {
                canonical::checked_pose(pose).map_err(|source| ShapeError::ChildPose { child, source })
            };
            let pose = checked(&pose)?;
            match shape {
                Shape::Composite(inner) => {
                    for ((within, shape), below) in inner.children.iter().zip(&inner.names) {
                        flat.children.push((checked(&(pose * within))?, shape.clone()));
                        flat.names.push(joined(&name, below));
                    }
                }
                Shape::Particles(_) => return Err(ShapeError::ParticlesInComposite { child }),
                simple => {
                    flat.children.push((pose, simple));
                    flat.names.push(name);
                }
            }
        }
        if flat.children.is_empty() {
            return Err(ShapeError::EmptyComposite);
        }
        Ok(flat)
    }

    /// As [`Composite::named`], of children whose rotations were normalised before: they keep their bits.
    #[cfg(feature = "serde")]
    pub(super) fn restored(children: Vec<(String, Isometry3<f64>, Shape)>) -> Result<Composite, ShapeError> {
        let given: Vec<_> = children.iter().map(|(_, pose, _)| pose.rotation).collect();
        let nested = children.iter().any(|(.., shape)| matches!(shape, Shape::Composite(_)));
        let mut flat = Composite::named(children)?;
        if !nested {
            for ((pose, _), given) in flat.children.iter_mut().zip(given) {
                // What rounding leaves of a length of 1.
                if (given.quaternion().norm_squared() - 1.0).abs() <= 8.0 * f64::EPSILON {
                    pose.rotation = given;
                }
            }
        }
        Ok(flat)
    }

    /// The children, none of them a composite, with their poses in the composite's frame.
    pub fn children(&self) -> &[(Isometry3<f64>, Shape)] {
        &self.children
    }

    /// The names of the children, in their order; empty for those without one.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn joined(outer: &str, inner: &str) -> String {
    let between = if outer.is_empty() || inner.is_empty() { "" } else { "/" };
    format!("{outer}{between}{inner}")
}
