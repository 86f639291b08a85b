//! An object against its environment by height maps.

mod redraw;
mod tracker;

use impinge_geometry::Shape;
use impinge_geometry::canonical::checked_pose;
use impinge_image_space::height_map::{
    AgainstScratch, Bounds, Candidates, Environment, HeightMapError, Overlap, OverlapSums, Profile,
    best_direction, directions,
};
use nalgebra::{Isometry3, Vector3};

use crate::config::claim_thread;

use super::QueryError;
use redraw::Watch;

pub use tracker::HeightMapTracker;

/// The directions along which an object is looked at, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Directions {
    /// The one of these candidates along which least of what is not the object counts as the object
    /// ([`best_direction`]).
    Auto(Candidates),
    /// These; with more than one, what overlaps does so along every one of them, and the answer is
    /// that of the direction along which least overlaps.
    Given(Vec<Vector3<f64>>),
    /// One of these candidates, another for every question: a [`HeightMapTracker`] looks against the
    /// normal of the last answer. Asked without a tracker, as [`Directions::Auto`].
    Follow(Candidates),
}

/// Settings of a [`HeightMapQuery`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeightMapSettings {
    /// Pixels along the longer side of a height map (default 256).
    pub pixels: u32,
    /// The part of the environment that counts (default: between the object's near and far surface).
    pub bounds: Bounds,
    /// The directions (default: the best of 26).
    pub directions: Directions,
    /// Every child of a composite has projections of its own, as an articulated object needs them
    /// (default: no, one for the whole).
    pub per_subshape: bool,
}

impl Default for HeightMapSettings {
    fn default() -> HeightMapSettings {
        HeightMapSettings {
            pixels: 256,
            bounds: Bounds::default(),
            directions: Directions::Auto(Candidates::default()),
            per_subshape: false,
        }
    }
}

impl HeightMapSettings {
    /// With so many pixels along the longer side of a height map.
    pub fn pixels(self, pixels: u32) -> HeightMapSettings {
        HeightMapSettings { pixels, ..self }
    }

    /// With this part of the environment taken into account.
    pub fn bounds(self, bounds: Bounds) -> HeightMapSettings {
        HeightMapSettings { bounds, ..self }
    }

    /// With these directions.
    pub fn directions(self, directions: Directions) -> HeightMapSettings {
        HeightMapSettings { directions, ..self }
    }

    /// With projections of its own for every child of a composite, or one for the whole.
    pub fn per_subshape(self, per_subshape: bool) -> HeightMapSettings {
        HeightMapSettings { per_subshape, ..self }
    }
}

/// The overlap with a subshape of the object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubshapeOverlap {
    /// The child of a composite with [`HeightMapSettings::per_subshape`], else 0.
    pub subshape: u32,
    /// Which of the subshape's directions ([`HeightMapQuery::profiles`]) it was seen along.
    pub direction: u32,
    /// The overlap seen along that direction.
    pub overlap: Overlap,
}

/// An object made ready to be held against environments by height maps: the cheap answer where the
/// object has few hollows that open sideways. Nothing is prepared of the environment but the trees of its
/// meshes.
///
/// | question | answer |
/// |---|---|
/// | [`HeightMapQuery::touching`] | yes or no, at the first pixel found |
/// | [`HeightMapQuery::measure`] | area, volume and depth of the overlap, and what lies deepest |
/// | [`HeightMapQuery::overlap`] | every pixel of it: what was hit, its normal, the caller's channels |
///
/// The answer is that of the pixels' centres: what is thinner than a pixel may be missed, and what lies in a
/// hollow of the object along the direction is taken to be inside. An object that lies wholly inside a
/// body of the environment is seen to overlap with [`Bounds::Terrain`] alone, unless it is a half-space, which
/// is solid from wherever it is looked at. [`crate::PairQuery`] is exact.
///
/// ```
/// use impinge::height_map::Obstacle;
/// use impinge::prelude::*;
/// use impinge::query::{Directions, HeightMapQuery, HeightMapScratch, HeightMapSettings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let down = Directions::Given(vec![-Vector3::z()]);
/// let settings = HeightMapSettings::default().directions(down);
/// let query = HeightMapQuery::new(&Shape::sphere(1.0)?, settings)?;
/// let ground = [Obstacle::new(&Shape::half_space(), Isometry3::identity(), 7)];
/// let mut scratch = HeightMapScratch::default();
/// let low = query.measure(&Isometry3::translation(0.0, 0.0, 0.9), &ground, &mut scratch)?;
/// assert_eq!(low.at.unwrap().body, 7);
/// assert!(!query.touching(&Isometry3::translation(0.0, 0.0, 1.1), &ground, &mut scratch)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HeightMapQuery {
    subshapes: Vec<Projected>,
    bounds: Bounds,
    follow: bool,
    pixels: u32,
    per_subshape: bool,
}

/// A subshape with its profiles.
#[derive(Clone, Debug)]
struct Projected {
    /// Where it stands in the object.
    pose: Isometry3<f64>,
    profiles: Vec<Profile>,
    /// Where the direction was chosen and may be another when the object has changed its shape.
    watch: Option<Watch>,
}

/// Buffers of height map queries, to be used again.
#[derive(Clone, Debug, Default)]
pub struct HeightMapScratch {
    against: AgainstScratch,
    other: Overlap,
    poses: Vec<Isometry3<f64>>,
}

impl HeightMapQuery {
    /// Draws the object's own height maps.
    ///
    /// # Errors
    /// [`HeightMapError`] for directions or pixels that cannot be used, and for an object without an end.
    pub fn new(object: &Shape, settings: HeightMapSettings) -> Result<HeightMapQuery, HeightMapError> {
        claim_thread();
        let whole = [(Isometry3::identity(), object.clone())];
        let shapes = match object {
            Shape::Composite(composite) if settings.per_subshape => composite.children(),
            _ => &whole,
        };
        let project = |(pose, shape): &(Isometry3<f64>, Shape)| {
            let mut watch = None;
            let along = match &settings.directions {
                Directions::Auto(candidates) => {
                    watch = Some(Watch::new(directions(shape, *candidates)));
                    vec![best_direction(shape, settings.bounds, *candidates)?]
                }
                Directions::Given(given) => given.iter().map(|d| pose.inverse_transform_vector(d)).collect(),
                Directions::Follow(candidates) => {
                    let best = best_direction(shape, settings.bounds, *candidates)?;
                    let others = directions(shape, *candidates).into_iter().filter(|d| *d != best);
                    std::iter::once(best).chain(others).collect()
                }
            };
            let profiles = along.into_iter().map(|d| Profile::new(shape, d, settings.pixels));
            let profiles = profiles.collect::<Result<Vec<_>, _>>()?;
            if profiles.is_empty() {
                return Err(HeightMapError::NoDirection);
            }
            Ok(Projected { pose: *pose, profiles, watch })
        };
        let subshapes = shapes.iter().map(project).collect::<Result<_, _>>()?;
        let follow = matches!(settings.directions, Directions::Follow(_));
        let HeightMapSettings { pixels, bounds, per_subshape, .. } = settings;
        Ok(HeightMapQuery { subshapes, bounds, follow, pixels, per_subshape })
    }

    /// How many subshapes have projections of their own.
    pub fn subshapes(&self) -> usize {
        self.subshapes.len()
    }

    /// The height maps of a subshape, in its own frame, one for each of its directions; none for one that
    /// does not exist.
    pub fn profiles(&self, subshape: usize) -> &[Profile] {
        self.subshapes.get(subshape).map_or(&[], |subshape| &subshape.profiles)
    }

    /// Whether the object at `pose` overlaps its environment: a list of obstacles, or an [`Environment`].
    ///
    /// # Errors
    /// [`QueryError::Pose`], [`QueryError::Obstacle`] for the pose of an obstacle, or [`QueryError::Loose`].
    pub fn touching<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        scratch: &mut HeightMapScratch,
    ) -> Result<bool, QueryError> {
        let environment = environment.into();
        self.place(pose, environment, scratch)?;
        Ok(self.any(environment, scratch))
    }

    /// As [`HeightMapQuery::touching`] for an articulated object: `poses` (world) of all its subshapes.
    ///
    /// # Errors
    /// As there, and [`QueryError::SubshapePoses`].
    pub fn touching_articulated<'e>(
        &self,
        poses: &[Isometry3<f64>],
        environment: impl Into<Environment<'e>>,
        scratch: &mut HeightMapScratch,
    ) -> Result<bool, QueryError> {
        let environment = environment.into();
        self.place_parts(poses, environment, scratch)?;
        Ok(self.any(environment, scratch))
    }

    /// How much the object at `pose` overlaps its environment, all subshapes together.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching`].
    pub fn measure<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        scratch: &mut HeightMapScratch,
    ) -> Result<OverlapSums, QueryError> {
        let environment = environment.into();
        self.place(pose, environment, scratch)?;
        let mut sums = OverlapSums::default();
        for index in 0..self.subshapes.len() {
            add(&mut sums, self.measure_subshape(index, self.used(index), environment, scratch));
        }
        Ok(sums)
    }

    /// The overlaps with the object at `pose`, subshape by subshape; empty ones are left out.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching`].
    pub fn overlap<'e>(
        &self,
        pose: &Isometry3<f64>,
        environment: impl Into<Environment<'e>>,
        scratch: &mut HeightMapScratch,
    ) -> Result<Vec<SubshapeOverlap>, QueryError> {
        let environment = environment.into();
        self.place(pose, environment, scratch)?;
        Ok(self.overlaps(environment, scratch))
    }

    /// As [`HeightMapQuery::overlap`] for an articulated object: `poses` (world) of all its subshapes.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching_articulated`].
    pub fn overlap_articulated<'e>(
        &self,
        poses: &[Isometry3<f64>],
        environment: impl Into<Environment<'e>>,
        scratch: &mut HeightMapScratch,
    ) -> Result<Vec<SubshapeOverlap>, QueryError> {
        let environment = environment.into();
        self.place_parts(poses, environment, scratch)?;
        Ok(self.overlaps(environment, scratch))
    }

    /// Asks again and again, and remembers from which side the object was met.
    pub fn tracker(&self) -> HeightMapTracker<'_> {
        HeightMapTracker {
            query: self,
            normals: vec![None; self.subshapes.len()],
            scratch: HeightMapScratch::default(),
        }
    }

    fn overlaps(&self, environment: Environment<'_>, scratch: &mut HeightMapScratch) -> Vec<SubshapeOverlap> {
        let subshapes = 0..self.subshapes.len();
        let of = |index| self.overlap_subshape(index, environment, scratch);
        subshapes.map(of).filter(|found| !found.overlap.pixels.is_empty()).collect()
    }

    fn any(&self, environment: Environment<'_>, scratch: &mut HeightMapScratch) -> bool {
        let HeightMapScratch { against, poses, .. } = scratch;
        self.subshapes.iter().enumerate().any(|(index, own)| {
            let used = &own.profiles[self.used(index)];
            used.iter().all(|profile| profile.meets(&poses[index], environment, self.bounds, against))
        })
    }

    /// The directions of a subshape that are asked without a tracker.
    fn used(&self, index: usize) -> std::ops::Range<usize> {
        if self.follow { 0..1 } else { 0..self.subshapes[index].profiles.len() }
    }

    fn measure_subshape(
        &self,
        index: usize,
        used: std::ops::Range<usize>,
        environment: Environment<'_>,
        scratch: &mut HeightMapScratch,
    ) -> OverlapSums {
        let HeightMapScratch { against, poses, .. } = scratch;
        let mut least: Option<OverlapSums> = None;
        for profile in &self.subshapes[index].profiles[used] {
            let sums = profile.measure(&poses[index], environment, self.bounds, against);
            if least.is_none_or(|least| sums.volume < least.volume) {
                least = Some(sums);
            }
            if sums.at.is_none() {
                break;
            }
        }
        least.unwrap_or_default()
    }

    fn overlap_subshape(
        &self,
        index: usize,
        environment: Environment<'_>,
        scratch: &mut HeightMapScratch,
    ) -> SubshapeOverlap {
        let HeightMapScratch { against, other, poses } = scratch;
        let mut least = SubshapeOverlap { subshape: index as u32, ..SubshapeOverlap::default() };
        for direction in self.used(index) {
            let profile = &self.subshapes[index].profiles[direction];
            profile.overlap(&poses[index], environment, self.bounds, against, other);
            if direction == 0 || other.volume < least.overlap.volume || other.pixels.is_empty() {
                least.direction = direction as u32;
                std::mem::swap(&mut least.overlap, other);
            }
            if least.overlap.pixels.is_empty() {
                break;
            }
        }
        least
    }

    fn place(
        &self,
        pose: &Isometry3<f64>,
        environment: Environment<'_>,
        scratch: &mut HeightMapScratch,
    ) -> Result<(), QueryError> {
        let pose = checked_pose(pose).map_err(|source| QueryError::Pose { side: 'A', source })?;
        scratch.poses.clear();
        scratch.poses.extend(self.subshapes.iter().map(|subshape| pose * subshape.pose));
        check(environment)
    }

    fn place_parts(
        &self,
        poses: &[Isometry3<f64>],
        environment: Environment<'_>,
        scratch: &mut HeightMapScratch,
    ) -> Result<(), QueryError> {
        if poses.len() != self.subshapes.len() {
            return Err(QueryError::SubshapePoses { given: poses.len(), subshapes: self.subshapes.len() });
        }
        scratch.poses.clear();
        for pose in poses {
            let pose = checked_pose(pose).map_err(|source| QueryError::Pose { side: 'A', source })?;
            scratch.poses.push(pose);
        }
        check(environment)
    }
}

fn add(sums: &mut OverlapSums, found: OverlapSums) {
    sums.area += found.area;
    sums.volume += found.volume;
    if found.deepest > sums.deepest {
        (sums.deepest, sums.at) = (found.deepest, found.at);
    }
}

fn check(environment: Environment<'_>) -> Result<(), QueryError> {
    for (index, obstacle) in environment.obstacles.iter().enumerate() {
        checked_pose(&obstacle.pose).map_err(|source| QueryError::Obstacle { index, source })?;
    }
    for (index, loose) in environment.loose.iter().enumerate() {
        loose.check().map_err(|source| QueryError::Loose { index, source })?;
    }
    Ok(())
}
