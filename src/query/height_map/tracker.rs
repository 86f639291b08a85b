//! A query asked step by step.

use impinge_image_space::height_map::{Environment, OverlapSums, Profile};
use nalgebra::{Isometry3, Vector3};

use super::{HeightMapQuery, HeightMapScratch, add};
use crate::query::QueryError;

/// A [`HeightMapQuery`] asked step by step. With [`Directions::Follow`](super::Directions::Follow) every subshape is looked at against
/// the normal at which it was last met.
#[derive(Clone, Debug)]
pub struct HeightMapTracker<'q> {
    pub(super) query: &'q HeightMapQuery,
    /// The normal of the last answer of each subshape, in its frame.
    pub(super) normals: Vec<Option<Vector3<f64>>>,
    pub(super) scratch: HeightMapScratch,
}

impl HeightMapTracker<'_> {
    /// As [`HeightMapQuery::measure`].
    ///
    /// # Errors
    /// As there.
    pub fn measure<'e>(
        &mut self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
    ) -> Result<OverlapSums, QueryError> {
        let (HeightMapTracker { query, normals, scratch }, environment) = (self, environment.into());
        query.place(pose, environment, scratch)?;
        let mut sums = OverlapSums::default();
        for (index, normal) in normals.iter_mut().enumerate() {
            let used = match normal {
                Some(normal) if query.follow => {
                    let against = |profile: &Profile| -profile.plane().direction().dot(normal);
                    let profiles = query.subshapes[index].profiles.iter().map(against).enumerate();
                    let best = profiles.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                    best.map_or(0..1, |(direction, _)| direction..direction + 1)
                }
                _ => query.used(index),
            };
            let found = query.measure_subshape(index, used, environment, scratch);
            if let Some(hit) = found.at {
                *normal = Some(scratch.poses[index].inverse_transform_vector(&hit.normal.cast()));
            }
            add(&mut sums, found);
        }
        Ok(sums)
    }

    /// The normal at which a subshape was last met (its own frame, from the environment); `None` before.
    pub fn normal(&self, subshape: usize) -> Option<Vector3<f64>> {
        self.normals.get(subshape).copied().flatten()
    }
}
