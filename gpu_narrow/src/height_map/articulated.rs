//! Objects of several subshapes, and with several projections of each, on the device.

use impinge_geometry::canonical::checked_pose;
use nalgebra::Isometry3;

use super::answer::{GpuOverlap, MapStatus};
use super::environment::GpuEnvironment;
use super::profile::GpuProfile;
use super::{MapEngine, MapError};

/// An object made of subshapes, each with height maps along one direction or several: one body that is looked at from several sides, or an articulated object
/// whose subshapes move.
///
/// What overlaps a subshape does so along every one of its directions, and the answer is that of the direction along which least overlaps:
/// what a `HeightMapQuery` with `Directions::Given` answers on the CPU.
#[derive(Debug)]
pub struct GpuArticulated {
    subshapes: Vec<Vec<GpuProfile>>,
}

/// The overlap with a subshape of an object on the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuSubshapeOverlap {
    /// Which subshape.
    pub subshape: u32,
    /// Which of its profiles it was seen by.
    pub direction: u32,
    /// The overlap seen by that profile. Where a direction was not evaluated, so was not the subshape.
    pub overlap: GpuOverlap,
}

impl GpuArticulated {
    /// An object of subshapes with their profiles. [`MapEngine::draw_object`] draws each profile from the subshape's pieces, again when these have changed.
    ///
    /// # Errors
    /// [`MapError::NoDirection`] for a subshape without a profile.
    pub fn new(subshapes: Vec<Vec<GpuProfile>>) -> Result<GpuArticulated, MapError> {
        if let Some(subshape) = subshapes.iter().position(Vec::is_empty) {
            return Err(MapError::NoDirection { subshape });
        }
        Ok(GpuArticulated { subshapes })
    }

    /// How many subshapes there are.
    pub fn subshapes(&self) -> usize {
        self.subshapes.len()
    }

    /// The profiles of a subshape; none for one that does not exist.
    pub fn profiles(&self, subshape: usize) -> &[GpuProfile] {
        self.subshapes.get(subshape).map_or(&[], Vec::as_slice)
    }
}

impl MapEngine {
    /// Where the subshapes of an object, which stand at `poses` (world), overlap the environment: those that do, in their order, and those
    /// that were not evaluated ([`MapStatus::NOT_EVALUATED`]). The next direction of a subshape is asked only where something overlaps along all
    /// before it.
    ///
    /// # Errors
    /// [`MapError::SubshapePoses`] unless there is a pose for each subshape, [`MapError::Pose`].
    pub fn overlap_articulated(
        &mut self,
        object: &GpuArticulated,
        poses: &[Isometry3<f64>],
        environment: &GpuEnvironment,
    ) -> Result<Vec<GpuSubshapeOverlap>, MapError> {
        let (given, subshapes) = (poses.len(), object.subshapes.len());
        if given != subshapes {
            return Err(MapError::SubshapePoses { given, subshapes });
        }
        let checked = |(subshape, pose): (usize, &Isometry3<f64>)| {
            checked_pose(pose).map_err(|error| MapError::Pose { subshape, error })
        };
        let poses: Vec<Isometry3<f64>> = poses.iter().enumerate().map(checked).collect::<Result<_, _>>()?;
        let mut found = Vec::new();
        for (index, (profiles, pose)) in object.subshapes.iter().zip(&poses).enumerate() {
            let least = self.least(profiles, pose, environment);
            if !least.overlap.hits.is_empty() || least.overlap.status.contains(MapStatus::NOT_EVALUATED) {
                found.push(GpuSubshapeOverlap { subshape: index as u32, ..least });
            }
        }
        Ok(found)
    }

    /// The overlap seen by the profile by which least overlaps.
    fn least(
        &mut self,
        profiles: &[GpuProfile],
        pose: &Isometry3<f64>,
        environment: &GpuEnvironment,
    ) -> GpuSubshapeOverlap {
        let mut least = GpuSubshapeOverlap::default();
        for (direction, profile) in profiles.iter().enumerate() {
            let overlap = self.overlap(profile, pose, environment);
            let last = overlap.hits.is_empty();
            if direction == 0 || last || overlap.volume < least.overlap.volume {
                least = GpuSubshapeOverlap { direction: direction as u32, overlap, ..least };
            }
            if last {
                break;
            }
        }
        least
    }
}
