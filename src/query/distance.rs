//! How far apart are two shapes, and where are they nearest?

use impinge_exact::distance::{self, Feature, Proximity, Separation};
use impinge_geometry::Containment;
use impinge_geometry::Side;
use nalgebra::{Isometry3, Point3, Vector3};

use super::subshapes::{PlacedSubshapes, Poses};
use super::{PairQuery, QueryError, QueryMemory, QueryScratch};

/// How two shapes stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairDistance {
    /// They share no point.
    Apart(NearestPoints),
    /// Their surfaces share a point (exact for triangles), or one is inside the other: the distance is 0,
    /// and there are no nearest points to speak of.
    Touching {
        /// The first subshapes found to touch.
        subshapes: [u32; 2],
        /// A pair of their triangles that does, where both have triangles and the surfaces meet.
        triangles: Option<[u32; 2]>,
        /// Whether one is wholly inside the other.
        contained: bool,
    },
}

/// The nearest points of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoints {
    /// The distance (m).
    pub distance: f64,
    /// Unit, from A's point to B's (world).
    pub normal: Vector3<f64>,
    /// The nearest point of A (m, world).
    pub on_a: Point3<f64>,
    /// The nearest point of B (m, world).
    pub on_b: Point3<f64>,
    /// The nearest point of A in the frame of shape A (m).
    pub local_a: Point3<f64>,
    /// The nearest point of B in the frame of shape B (m).
    pub local_b: Point3<f64>,
    /// The features of A and of B that the points lie on.
    pub features: [Feature; 2],
    /// The subshapes they belong to: children of composites, 0 of a simple shape.
    pub subshapes: [u32; 2],
}

impl PairDistance {
    /// The distance (m): 0 where they touch.
    pub fn distance(&self) -> f64 {
        match self {
            PairDistance::Apart(nearest) => nearest.distance,
            PairDistance::Touching { .. } => 0.0,
        }
    }

    /// The nearest points; `None` where they touch.
    pub fn nearest(&self) -> Option<&NearestPoints> {
        match self {
            PairDistance::Apart(nearest) => Some(nearest),
            PairDistance::Touching { .. } => None,
        }
    }
}

impl PairQuery {
    /// The distance with A at `a` and B at `b` (m), and the points in which they are nearest.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let ball = Shape::sphere(0.25)?;
    /// let query = PairQuery::new(&cube, &ball, QuerySettings::default())?;
    /// let found = query.distance(&Isometry3::identity(), &Isometry3::translation(0.0, 2.0, 0.0))?;
    /// assert_eq!(found.distance(), 1.25);
    /// let nearest = found.nearest().ok_or("they are apart")?;
    /// assert_eq!((nearest.on_a.y, nearest.on_b.y), (0.5, 1.75));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`].
    pub fn distance(&self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<PairDistance, QueryError> {
        self.distance_with(a, b, &mut QueryScratch::default())
    }

    /// As [`PairQuery::distance`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn distance_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairDistance, QueryError> {
        self.distance_from(a, b, scratch, &mut QueryMemory::default())
    }

    /// As [`PairQuery::distance`] where the shapes are no farther apart than `bound` (m); `None` where
    /// they are, which is often known at once.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let [here, there] = [0.0, 1.25].map(|x| Isometry3::translation(x, 0.0, 0.0));
    /// assert!(query.distance_within(&here, &there, 0.25)?.is_some());
    /// assert!(query.distance_within(&here, &there, 0.125)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Bound`] for a bound that is negative or not a number.
    pub fn distance_within(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        bound: f64,
    ) -> Result<Option<PairDistance>, QueryError> {
        self.distance_within_with(a, b, bound, &mut QueryScratch::default())
    }

    /// As [`PairQuery::distance_within`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn distance_within_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        bound: f64,
        scratch: &mut QueryScratch,
    ) -> Result<Option<PairDistance>, QueryError> {
        self.within_from(a, b, bound, scratch, &mut QueryMemory::default())
    }

    pub(super) fn distance_from(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
        memory: &mut QueryMemory,
    ) -> Result<PairDistance, QueryError> {
        let found = self.within_from(a, b, f64::INFINITY, scratch, memory)?;
        // Only a distance that overflows is beyond every bound.
        Ok(found.unwrap_or_else(|| {
            let far = Point3::from([f64::INFINITY; 3]);
            PairDistance::Apart(NearestPoints {
                distance: f64::INFINITY,
                normal: Vector3::x(),
                on_a: -far,
                on_b: far,
                local_a: far,
                local_b: far,
                features: [Feature::Smooth; 2],
                subshapes: [0; 2],
            })
        }))
    }

    pub(super) fn within_from(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        bound: f64,
        scratch: &mut QueryScratch,
        memory: &mut QueryMemory,
    ) -> Result<Option<PairDistance>, QueryError> {
        if bound.is_nan() || bound < 0.0 {
            return Err(QueryError::Bound { bound });
        }
        let poses = Poses::new(a, b)?;
        let mut best = None;
        let mut least = bound;
        let mut look = |pair: &PlacedSubshapes<'_>| {
            let memory = &mut memory.of(self.subshape_counts(), pair.indices).distance;
            let (parts, frame, scratch) = (pair.parts, &pair.frame, &mut scratch.distance);
            // `touching` calls bodies apart whose bounding spheres are; exact tests, which round, must not contradict it.
            let found = if pair.gap > 0.0 {
                distance::distance_apart(parts, frame, least, memory, scratch).map(Proximity::Apart)
            } else {
                distance::distance(parts, frame, least, memory, scratch)
            };
            match found {
                // Among equals the first stays.
                Some(Proximity::Apart(found)) if best.is_none() || found.distance < least => {
                    least = found.distance;
                    best = Some(PairDistance::Apart(nearest(pair, &found)));
                }
                None | Some(Proximity::Apart(_)) => {}
                Some(Proximity::Touching { containment, triangles }) => {
                    least = 0.0;
                    let contained = containment != Containment::None;
                    best = Some(PairDistance::Touching { subshapes: pair.indices, triangles, contained });
                }
            }
            (least, matches!(best, Some(PairDistance::Touching { .. })))
        };
        if self.subshape_counts() == [1, 1] {
            let pair = poses.pair(&self.shapes, [0, 0]);
            if pair.gap <= bound {
                look(&pair);
            }
            return Ok(best);
        }
        // Those whose spheres are nearest first.
        let mut pairs: Vec<_> = poses.pairs(&self.shapes).filter(|pair| pair.gap <= bound).collect();
        pairs.sort_by(|p, q| p.gap.total_cmp(&q.gap).then(p.indices.cmp(&q.indices)));
        for pair in &pairs {
            let (least, touching) = look(pair);
            if touching {
                break;
            }
            if pair.gap > least {
                break;
            }
        }
        Ok(best)
    }
}

fn nearest(pair: &PlacedSubshapes<'_>, found: &Separation) -> NearestPoints {
    let [p, q] = &found.points;
    NearestPoints {
        distance: found.distance,
        normal: found.normal,
        on_a: pair.frame.to_world(p),
        on_b: pair.frame.to_world(q),
        local_a: pair.local(Side::A, p),
        local_b: pair.local(Side::B, q),
        features: found.features,
        subshapes: pair.indices,
    }
}
