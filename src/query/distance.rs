//! How far apart are two shapes, and where are they nearest?

use impinge_exact::distance::{self, DistanceMemory, DistanceScratch, Feature, Proximity, Separation};
use impinge_geometry::Containment;
use impinge_geometry::Side;
use impinge_midphase::PreparedShape;
use nalgebra::{Isometry3, Point3, Vector3};

use super::memory::QueryMemory;
use super::subshapes::{PlacedSubshapes, Poses};
use super::{PairQuery, QueryError, QueryScratch};

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
        self.distance_from(a, b, scratch, None)
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
        self.within_from(a, b, bound, scratch, None)
    }

    pub(super) fn distance_from(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        scratch: &mut QueryScratch,
        memory: Option<&mut QueryMemory>,
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
        memory: Option<&mut QueryMemory>,
    ) -> Result<Option<PairDistance>, QueryError> {
        if bound.is_nan() || bound < 0.0 {
            return Err(QueryError::Bound { bound });
        }
        let (poses, shapes) = (Poses::new(a, b)?, self.shapes());
        let mut search = Search { shapes, poses, least: bound, best: None, memory };
        if shapes.iter().all(|shape| shape.parts().len() == 1) {
            search.visit([0, 0], &mut scratch.distance);
            return Ok(search.best);
        }
        // The distance of two subshapes that are near each other bounds the search for the nearest.
        let Some(first) = search.near_pair() else { return Ok(None) };
        search.visit(first, &mut scratch.distance);
        if search.is_touching() {
            return Ok(search.best);
        }
        let QueryScratch { part_pairs: near, gaps, distance, .. } = scratch;
        impinge_midphase::part_pairs(shapes, poses.both(), search.least, near);
        gaps.clear();
        gaps.extend(near.iter().filter(|&&pair| pair != first).map(|&pair| (poses.gap(shapes, pair), pair)));
        gaps.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        for &(gap, pair) in gaps.iter() {
            if search.is_touching() || gap > search.least {
                break;
            }
            search.visit(pair, distance);
        }
        Ok(search.best)
    }
}

/// The nearest subshapes so far.
struct Search<'s, 'm> {
    shapes: [&'s PreparedShape; 2],
    poses: Poses,
    /// Nothing farther is sought (m).
    least: f64,
    best: Option<PairDistance>,
    memory: Option<&'m mut QueryMemory>,
}

impl Search<'_, '_> {
    fn is_touching(&self) -> bool {
        matches!(self.best, Some(PairDistance::Touching { .. }))
    }

    /// Two subshapes with a small gap between their spheres: of B the nearest to A's first, of A the nearest to that.
    fn near_pair(&self) -> Option<[u32; 2]> {
        let gap = |pair| self.poses.gap(self.shapes, pair);
        let [of_a, of_b] = self.shapes.map(|shape| 0..shape.parts().len() as u32);
        let b = of_b.min_by(|&p, &q| gap([0, p]).total_cmp(&gap([0, q])))?;
        let a = of_a.min_by(|&p, &q| gap([p, b]).total_cmp(&gap([q, b])))?;
        Some([a, b])
    }

    /// Compares a pair of subshapes with the best so far; among equals the first stays.
    fn visit(&mut self, indices: [u32; 2], scratch: &mut DistanceScratch) {
        let pair = self.poses.pair(self.shapes, indices);
        if pair.gap > self.least {
            return;
        }
        let mut fresh = DistanceMemory::default();
        let memory = match self.memory.as_deref_mut() {
            Some(memory) => &mut memory.of(self.shapes, indices).distance,
            None => &mut fresh,
        };
        let (parts, frame) = (pair.parts, &pair.frame);
        // `touching` calls bodies apart whose bounding spheres are; exact tests, which round, must not contradict it.
        let found = if pair.gap > 0.0 {
            distance::distance_apart(parts, frame, self.least, memory, scratch).map(Proximity::Apart)
        } else {
            distance::distance(parts, frame, self.least, memory, scratch)
        };
        match found {
            Some(Proximity::Apart(found)) if self.best.is_none() || found.distance < self.least => {
                self.least = found.distance;
                self.best = Some(PairDistance::Apart(nearest(&pair, &found)));
            }
            None | Some(Proximity::Apart(_)) => {}
            Some(Proximity::Touching { containment, triangles }) => {
                self.least = 0.0;
                let contained = containment != Containment::None;
                self.best = Some(PairDistance::Touching { subshapes: indices, triangles, contained });
            }
        }
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
