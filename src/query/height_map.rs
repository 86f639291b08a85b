//! An object against its environment by height maps.

use impinge_geometry::Shape;
use impinge_geometry::canonical::checked_pose;
use impinge_image_space::height_map::{
    AgainstScratch, Bounds, Candidates, HeightMapError, Obstacle, Overlap, OverlapSums, Profile,
    best_direction, directions,
};
use nalgebra::{Isometry3, Vector3};

use super::QueryError;

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
pub struct HeightMapSettings {
    /// Pixels along the longer side of a height map (default 256).
    pub pixels: u32,
    /// What of the environment counts (default: what lies between the object's near and far surface).
    pub bounds: Bounds,
    /// The directions (default: the best of 26).
    pub directions: Directions,
    /// Every part of a composite has projections of its own, as an articulated object needs them
    /// (default: no, one for the whole).
    pub per_part: bool,
}

impl Default for HeightMapSettings {
    fn default() -> HeightMapSettings {
        HeightMapSettings {
            pixels: 256,
            bounds: Bounds::default(),
            directions: Directions::Auto(Candidates::default()),
            per_part: false,
        }
    }
}

/// What overlaps a part of the object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartOverlap {
    /// The part: the child of a composite with [`HeightMapSettings::per_part`], else 0.
    pub part: u32,
    /// Which of the part's directions ([`HeightMapQuery::profiles`]) it was seen along.
    pub direction: u32,
    /// What was seen.
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
/// let settings = HeightMapSettings { directions: down, ..HeightMapSettings::default() };
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
    parts: Vec<Projected>,
    bounds: Bounds,
    follow: bool,
}

/// A part with its profiles.
#[derive(Clone, Debug)]
struct Projected {
    /// Where it stands in the object.
    pose: Isometry3<f64>,
    profiles: Vec<Profile>,
}

/// Buffers of height map queries, to be used again.
#[derive(Clone, Debug, Default)]
pub struct HeightMapScratch {
    against: AgainstScratch,
    other: Overlap,
    poses: Vec<Isometry3<f64>>,
}

impl HeightMapScratch {
    /// What the last comparison of two maps cost.
    pub fn counts(&self) -> impinge_image_space::height_map::AgainstCounts {
        self.against.counts
    }
}

impl HeightMapQuery {
    /// Draws the object's own height maps.
    ///
    /// # Errors
    /// [`HeightMapError`] for directions or pixels that cannot be used, and for an object without an end.
    pub fn new(object: &Shape, settings: HeightMapSettings) -> Result<HeightMapQuery, HeightMapError> {
        let whole = [(Isometry3::identity(), object.clone())];
        let shapes = match object {
            Shape::Composite(composite) if settings.per_part => composite.children(),
            _ => &whole,
        };
        let part = |(pose, shape): &(Isometry3<f64>, Shape)| {
            let along = match &settings.directions {
                Directions::Auto(candidates) => vec![best_direction(shape, settings.bounds, *candidates)?],
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
            Ok(Projected { pose: *pose, profiles })
        };
        let parts = shapes.iter().map(part).collect::<Result<_, _>>()?;
        let follow = matches!(settings.directions, Directions::Follow(_));
        Ok(HeightMapQuery { parts, bounds: settings.bounds, follow })
    }

    /// How many parts have projections of their own.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The height maps of a part, in its own frame, one for each of its directions; none for a part that
    /// does not exist.
    pub fn profiles(&self, part: usize) -> &[Profile] {
        self.parts.get(part).map_or(&[], |part| &part.profiles)
    }

    /// Whether the object at `pose` overlaps an obstacle.
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Obstacle`] for the pose of an obstacle.
    pub fn touching(
        &self,
        pose: &Isometry3<f64>,
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<bool, QueryError> {
        self.place(pose, environment, scratch)?;
        Ok(self.any(environment, scratch))
    }

    /// As [`HeightMapQuery::touching`] for an articulated object: `poses` (world) of all its parts.
    ///
    /// # Errors
    /// As there, and [`QueryError::PartPoses`].
    pub fn touching_parts(
        &self,
        poses: &[Isometry3<f64>],
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<bool, QueryError> {
        self.place_parts(poses, environment, scratch)?;
        Ok(self.any(environment, scratch))
    }

    /// How much the object at `pose` overlaps obstacles, all parts together.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching`].
    pub fn measure(
        &self,
        pose: &Isometry3<f64>,
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<OverlapSums, QueryError> {
        self.place(pose, environment, scratch)?;
        let mut sums = OverlapSums::default();
        for part in 0..self.parts.len() {
            add(&mut sums, self.measure_part(part, self.used(part), environment, scratch));
        }
        Ok(sums)
    }

    /// What overlaps the object at `pose`, part by part; parts that nothing overlaps are left out.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching`].
    pub fn overlap(
        &self,
        pose: &Isometry3<f64>,
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<Vec<PartOverlap>, QueryError> {
        self.place(pose, environment, scratch)?;
        Ok(self.overlaps(environment, scratch))
    }

    /// As [`HeightMapQuery::overlap`] for an articulated object: `poses` (world) of all its parts.
    ///
    /// # Errors
    /// As [`HeightMapQuery::touching_parts`].
    pub fn overlap_parts(
        &self,
        poses: &[Isometry3<f64>],
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<Vec<PartOverlap>, QueryError> {
        self.place_parts(poses, environment, scratch)?;
        Ok(self.overlaps(environment, scratch))
    }

    /// Asks again and again, and remembers from which side the object was met.
    pub fn tracker(&self) -> HeightMapTracker<'_> {
        HeightMapTracker {
            query: self,
            normals: vec![None; self.parts.len()],
            scratch: HeightMapScratch::default(),
        }
    }

    fn overlaps(&self, environment: &[Obstacle], scratch: &mut HeightMapScratch) -> Vec<PartOverlap> {
        let parts = 0..self.parts.len();
        let of = |part| self.overlap_part(part, environment, scratch);
        parts.map(of).filter(|found| !found.overlap.pixels.is_empty()).collect()
    }

    fn any(&self, environment: &[Obstacle], scratch: &mut HeightMapScratch) -> bool {
        let HeightMapScratch { against, poses, .. } = scratch;
        self.parts.iter().enumerate().any(|(part, own)| {
            let used = &own.profiles[self.used(part)];
            used.iter().all(|profile| profile.meets(&poses[part], environment, self.bounds, against))
        })
    }

    /// The directions of a part that are asked without a tracker.
    fn used(&self, part: usize) -> std::ops::Range<usize> {
        if self.follow { 0..1 } else { 0..self.parts[part].profiles.len() }
    }

    fn measure_part(
        &self,
        part: usize,
        used: std::ops::Range<usize>,
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> OverlapSums {
        let HeightMapScratch { against, poses, .. } = scratch;
        let mut least: Option<OverlapSums> = None;
        for profile in &self.parts[part].profiles[used] {
            let sums = profile.measure(&poses[part], environment, self.bounds, against);
            if least.is_none_or(|least| sums.volume < least.volume) {
                least = Some(sums);
            }
            if sums.at.is_none() {
                break;
            }
        }
        least.unwrap_or_default()
    }

    fn overlap_part(
        &self,
        part: usize,
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> PartOverlap {
        let HeightMapScratch { against, other, poses } = scratch;
        let mut least = PartOverlap { part: part as u32, ..PartOverlap::default() };
        for index in self.used(part) {
            let profile = &self.parts[part].profiles[index];
            profile.overlap(&poses[part], environment, self.bounds, against, other);
            if index == 0 || other.volume < least.overlap.volume || other.pixels.is_empty() {
                least.direction = index as u32;
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
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<(), QueryError> {
        let pose = checked_pose(pose).map_err(|source| QueryError::Pose { side: 'A', source })?;
        scratch.poses.clear();
        scratch.poses.extend(self.parts.iter().map(|part| pose * part.pose));
        check(environment)
    }

    fn place_parts(
        &self,
        poses: &[Isometry3<f64>],
        environment: &[Obstacle],
        scratch: &mut HeightMapScratch,
    ) -> Result<(), QueryError> {
        if poses.len() != self.parts.len() {
            return Err(QueryError::PartPoses { given: poses.len(), parts: self.parts.len() });
        }
        scratch.poses.clear();
        for pose in poses {
            let pose = checked_pose(pose).map_err(|source| QueryError::Pose { side: 'A', source })?;
            scratch.poses.push(pose);
        }
        check(environment)
    }
}

/// A [`HeightMapQuery`] asked step by step. With [`Directions::Follow`] every part is looked at against
/// the normal at which it was last met.
#[derive(Clone, Debug)]
pub struct HeightMapTracker<'q> {
    query: &'q HeightMapQuery,
    /// The normal of the last answer of each part, in the part's frame.
    normals: Vec<Option<Vector3<f64>>>,
    scratch: HeightMapScratch,
}

impl HeightMapTracker<'_> {
    /// As [`HeightMapQuery::measure`].
    ///
    /// # Errors
    /// As there.
    pub fn measure(
        &mut self,
        pose: &Isometry3<f64>,
        environment: &[Obstacle],
    ) -> Result<OverlapSums, QueryError> {
        let HeightMapTracker { query, normals, scratch } = self;
        query.place(pose, environment, scratch)?;
        let mut sums = OverlapSums::default();
        for (part, normal) in normals.iter_mut().enumerate() {
            let used = match normal {
                Some(normal) if query.follow => {
                    let against = |profile: &Profile| -profile.plane().direction().dot(normal);
                    let profiles = query.parts[part].profiles.iter().map(against).enumerate();
                    let best = profiles.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                    best.map_or(0..1, |(index, _)| index..index + 1)
                }
                _ => query.used(part),
            };
            let found = query.measure_part(part, used, environment, scratch);
            if let Some(hit) = found.at {
                *normal = Some(scratch.poses[part].inverse_transform_vector(&hit.normal.cast()));
            }
            add(&mut sums, found);
        }
        Ok(sums)
    }

    /// The normal at which a part was last met (its own frame, from the environment); `None` before.
    pub fn normal(&self, part: usize) -> Option<Vector3<f64>> {
        self.normals.get(part).copied().flatten()
    }
}

fn add(sums: &mut OverlapSums, found: OverlapSums) {
    sums.area += found.area;
    sums.volume += found.volume;
    if found.deepest > sums.deepest {
        (sums.deepest, sums.at) = (found.deepest, found.at);
    }
}

fn check(environment: &[Obstacle]) -> Result<(), QueryError> {
    for (index, obstacle) in environment.iter().enumerate() {
        checked_pose(&obstacle.pose).map_err(|source| QueryError::Obstacle { index, source })?;
    }
    Ok(())
}
