//! Objects that change their shape.

use impinge_geometry::Shape;
use impinge_image_space::height_map::{HeightMapError, Profile, waste};
use nalgebra::{Isometry3, Vector3};

use super::HeightMapQuery;

/// An object is looked at along another direction from where that wastes so much less than the one that it is looked at along.
const WORTH_TURNING: f64 = 0.9;

/// The directions that a subshape may be looked at along.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    candidates: Vec<Vector3<f64>>,
    /// The one that is compared next.
    next: usize,
}

impl Watch {
    pub fn new(candidates: Vec<Vector3<f64>>) -> Watch {
        Watch { candidates, next: 0 }
    }
}

impl HeightMapQuery {
    /// Draws the object's height maps again after it has changed its shape: a body that deforms, or one of which children have moved. What
    /// it is made of is as at the start, and so are pixels and directions, except where these were chosen ([`Directions::Auto`](super::Directions::Auto)): of each subshape one
    /// other candidate is then compared in each call, the next one in the next, and taken where it wastes a tenth less, so that the direction does
    /// not go to and fro between two that are alike. Gives how many subshapes are looked at along another direction from now on.
    ///
    /// No tree is built, of the object or of an [environment without one](crate::height_map::LooseObstacle).
    ///
    /// ```
    /// use impinge::height_map::{Environment, LooseObstacle, Topology};
    /// use impinge::prelude::*;
    /// use impinge::query::{Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let down = HeightMapSettings::default().directions(Directions::Given(vec![-Vector3::z()]));
    /// let mut query = HeightMapQuery::new(&Shape::cuboid([0.5, 0.5, 0.5])?, down)?;
    /// // A blade of grass, which is a line; it stands beside the box.
    /// let blade = [Point3::new(0.7, 0.0, -1.0), Point3::new(0.7, 0.0, 0.0)];
    /// let blade = [LooseObstacle { topology: Topology::Lines, places: &blade, corners: None, pose: Isometry3::identity(), body: 3 }];
    /// let around = Environment { loose: &blade, ..Environment::default() };
    /// let mut scratch = HeightMapScratch::default();
    /// assert!(!query.touching(&Isometry3::identity(), around, &mut scratch)?);
    ///
    /// // The box grows.
    /// query.redraw(&Shape::cuboid([0.75, 0.75, 0.5])?)?;
    /// assert!(query.touching(&Isometry3::identity(), around, &mut scratch)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`HeightMapError::Subshapes`] for another number of children where each has projections of its own, and as [`HeightMapQuery::new`] for a shape that
    /// cannot be drawn: the subshapes before it are drawn again then, it and those after it are as they were.
    pub fn redraw(&mut self, object: &Shape) -> Result<usize, HeightMapError> {
        let whole = [(Isometry3::identity(), object.clone())];
        let shapes = match object {
            Shape::Composite(composite) if self.per_subshape => composite.children(),
            _ => &whole,
        };
        let (given, expected) = (shapes.len(), self.subshapes.len());
        if given != expected {
            return Err(HeightMapError::Subshapes { given, expected });
        }
        let mut turned = 0;
        for (own, (pose, shape)) in self.subshapes.iter_mut().zip(shapes) {
            for profile in &mut own.profiles {
                profile.redraw(shape)?;
            }
            own.pose = *pose;
            let (Some(watch), [profile]) = (&mut own.watch, &mut own.profiles[..]) else { continue };
            let Some(&candidate) = watch.candidates.get(watch.next) else { continue };
            watch.next = (watch.next + 1) % watch.candidates.len();
            let now = profile.plane().direction();
            let wasted = |direction| waste(shape, direction, self.bounds);
            if candidate != now && wasted(candidate)? < WORTH_TURNING * wasted(now)? {
                *profile = Profile::new(shape, candidate, self.pixels)?;
                turned += 1;
            }
        }
        Ok(turned)
    }
}
