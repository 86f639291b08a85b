//! Several shapes that move as one.

use nalgebra::Isometry3;

use super::Shape;
use crate::{ShapeError, canonical};

/// Several shapes that move as one and never collide with each other.
#[derive(Clone, Debug)]
pub struct Composite {
    children: Vec<(Isometry3<f64>, Shape)>,
}

impl Composite {
    /// A composite of `children`, each with its pose in the composite's frame. Composites among
    /// them are flattened, so that [`Composite::children`] never holds one.
    ///
    /// # Errors
    /// [`ShapeError::EmptyComposite`], or [`ShapeError::ChildPose`] for a pose that is not finite
    /// or leads beyond [`FARTHEST`](crate::FARTHEST).
    pub fn new(children: Vec<(Isometry3<f64>, Shape)>) -> Result<Composite, ShapeError> {
        let mut flat = Vec::with_capacity(children.len());
        for (child, (pose, shape)) in children.into_iter().enumerate() {
            let checked = |pose: &Isometry3<f64>| {
                canonical::checked_pose(pose).map_err(|source| ShapeError::ChildPose { child, source })
            };
            let pose = checked(&pose)?;
            match shape {
                Shape::Composite(inner) => {
                    for (within, shape) in &inner.children {
                        flat.push((checked(&(pose * within))?, shape.clone()));
                    }
                }
                simple => flat.push((pose, simple)),
            }
        }
        if flat.is_empty() {
            return Err(ShapeError::EmptyComposite);
        }
        Ok(Composite { children: flat })
    }

    /// The children, none of them a composite, with their poses in the composite's frame.
    pub fn children(&self) -> &[(Isometry3<f64>, Shape)] {
        &self.children
    }
}
