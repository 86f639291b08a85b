//! Particles, without a world: against shapes, among themselves, against others.

use std::sync::Arc;

use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{FARTHEST, Particles, ParticlesError, SimdLevel};
use impinge_pair::particles::{self, CloudIndex, ParticleScratch, PlacedCloud, PointContact, PointRange};
use nalgebra::{Isometry3, Point3};

use super::{PreparedShape, QueryError};

/// Particles that are asked about without a world. Answers are given into a list of the caller's, which is cleared first; they are the same for
/// any number of threads of the pool that is current.
///
/// ```
/// use impinge::geometry::Particles;
/// use impinge::prelude::*;
/// use impinge::query::{ParticleQuery, PointRange};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let row: Vec<Point3<f32>> = (0..10).map(|k| Point3::new(0.15 * k as f32, 0.0, 0.0)).collect();
/// let mut powder = ParticleQuery::new(Particles::new(row, 0.1)?);
/// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
/// let here = Isometry3::identity();
/// let mut contacts = Vec::new();
/// powder.against(&here, &cube, &here, &PointRange::default(), &mut contacts)?;
/// assert_eq!(contacts.len(), 4); // at 0, 0.15, 0.3 and 0.45; that at 0.6 only just touches, as `f32` has it
/// assert!((contacts[3].depth - 0.15).abs() < 1e-6 && contacts[3].normal.x == 1.0);
/// powder.themselves(&here, &PointRange::default(), &mut contacts)?;
/// assert_eq!(contacts.len(), 9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ParticleQuery {
    particles: Arc<Particles>,
    index: CloudIndex,
    scratch: ParticleScratch,
    simd: SimdLevel,
}

impl ParticleQuery {
    /// Makes particles ready.
    pub fn new(particles: impl Into<Arc<Particles>>) -> ParticleQuery {
        let (index, scratch) = (CloudIndex::default(), ParticleScratch::default());
        ParticleQuery { particles: particles.into(), index, scratch, simd: SimdLevel::detect() }
    }

    /// The vector instructions to use; no answer depends on them.
    #[doc(hidden)]
    pub fn simd(mut self, level: SimdLevel) -> ParticleQuery {
        self.simd = level;
        self
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Puts particles from index `first` on elsewhere (m), and gives how far one has moved at most (m).
    ///
    /// # Errors
    /// As [`Particles::set_centers`]; nothing has changed then.
    pub fn set_centers(&mut self, first: usize, centers: &[Point3<f32>]) -> Result<f64, ParticlesError> {
        let moved = Arc::make_mut(&mut self.particles).set_centers(first, centers)?;
        self.index.forget();
        Ok(moved)
    }

    /// Contacts of the particles, whose frame stands at `pose`, with a shape that stands at `shape_pose` (m, world): child by child of a composite, in
    /// the order of the particles.
    ///
    /// # Errors
    /// [`QueryError::Pose`], of the particles as A and the shape as B, or [`QueryError::Margin`].
    pub fn against(
        &mut self,
        pose: &Isometry3<f64>,
        shape: &PreparedShape,
        shape_pose: &Isometry3<f64>,
        range: &PointRange,
        out: &mut Vec<PointContact>,
    ) -> Result<(), QueryError> {
        let (pose, shape_pose) = (checked('A', pose)?, checked('B', shape_pose)?);
        check_range(range)?;
        out.clear();
        if particles::needs_order(shape.stages()) {
            self.index.make_order(&self.particles);
        }
        let cloud = PlacedCloud { particles: &self.particles, index: &self.index, pose: &pose };
        particles::against(cloud, shape.stages(), &shape_pose, range, &mut self.scratch, out);
        Ok(())
    }

    /// Contacts of the particles, whose frame stands at `pose` (m, world), with each other: each pair once, as a contact of the particle with the lower
    /// number. Their order depends on where they stand in their frame, and on nothing else.
    ///
    /// # Errors
    /// As [`ParticleQuery::against`].
    pub fn themselves(
        &mut self,
        pose: &Isometry3<f64>,
        range: &PointRange,
        out: &mut Vec<PointContact>,
    ) -> Result<(), QueryError> {
        let pose = checked('A', pose)?;
        check_range(range)?;
        out.clear();
        self.index.make_grid(&self.particles);
        let cloud = PlacedCloud { particles: &self.particles, index: &self.index, pose: &pose };
        particles::themselves(cloud, range, self.simd, &mut self.scratch, out);
        Ok(())
    }

    /// Contacts of the particles with those of another cloud (m, world), in their order.
    ///
    /// # Errors
    /// As [`ParticleQuery::against`].
    pub fn between(
        &mut self,
        pose: &Isometry3<f64>,
        other: &mut ParticleQuery,
        other_pose: &Isometry3<f64>,
        range: &PointRange,
        out: &mut Vec<PointContact>,
    ) -> Result<(), QueryError> {
        let (pose, other_pose) = (checked('A', pose)?, checked('B', other_pose)?);
        check_range(range)?;
        out.clear();
        other.index.make_grid(&other.particles);
        let a = PlacedCloud { particles: &self.particles, index: &self.index, pose: &pose };
        let b = PlacedCloud { particles: &other.particles, index: &other.index, pose: &other_pose };
        particles::between([a, b], range, &mut self.scratch, out);
        Ok(())
    }
}

fn checked(side: char, pose: &Isometry3<f64>) -> Result<Isometry3<f64>, QueryError> {
    checked_pose(pose).map_err(|source| QueryError::Pose { side, source })
}

fn check_range(range: &PointRange) -> Result<(), QueryError> {
    for margin in [range.margin, range.tolerance] {
        if !(0.0..=FARTHEST).contains(&margin) {
            return Err(QueryError::Margin { margin });
        }
    }
    Ok(())
}
