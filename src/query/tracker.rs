//! One pair followed from pose to pose.

use impinge_contacts::{ContactMemory, Manifold};
use nalgebra::Isometry3;

use super::memory::QueryMemory;
use super::subshapes::Poses;
use super::{PairDistance, PairQuery, QueryError, QueryScratch, check_margin, shapes_touch};
use crate::pair_memory::SubshapeMemories;

/// Follows one pair from pose to pose: what was found last is where the next search begins. Distances and touching do
/// not depend on what came before, but for which of several equally near places, or of several touching
/// triangles, is named. Contacts do as in a world: the same points are chosen again while they are good, and keep their keys.
///
/// It owns what it needs, and is used by one thread at a time.
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = PreparedShape::new(&Shape::cuboid([0.5; 3])?);
/// let mut tracker = PairQuery::between(&cube, &cube).tracker();
/// for step in 0..10 {
///     let x = 3.0 - 0.125 * f64::from(step);
///     let found = tracker.distance(&Isometry3::identity(), &Isometry3::translation(x, 0.0, 0.0))?;
///     assert_eq!(found.distance(), x - 1.0);
/// }
/// let at = |z: f64| [Isometry3::identity(), Isometry3::translation(0.0, 0.0, z)];
/// let [a, b] = at(0.99);
/// let keys: Vec<u64> = tracker.contacts(&a, &b)?[0].points.iter().map(|point| point.key).collect();
/// let [a, b] = at(0.989);
/// assert!(tracker.contacts(&a, &b)?[0].points.iter().map(|point| point.key).eq(keys));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PairTracker {
    query: PairQuery,
    scratch: QueryScratch,
    memory: QueryMemory,
    contacts: FollowedContacts,
    manifolds: Vec<Manifold>,
}

/// What is remembered of a pair's contacts.
#[derive(Debug, Default)]
pub(super) struct FollowedContacts {
    pub narrow: SubshapeMemories,
    pub points: ContactMemory,
}

impl PairQuery {
    /// Begins to follow the pair.
    pub fn tracker(&self) -> PairTracker {
        PairTracker {
            query: self.clone(),
            scratch: QueryScratch::default(),
            memory: QueryMemory::default(),
            contacts: FollowedContacts::default(),
            manifolds: Vec::new(),
        }
    }
}

impl PairTracker {
    /// The pair that is followed.
    pub fn query(&self) -> &PairQuery {
        &self.query
    }

    /// As [`PairQuery::touching`].
    ///
    /// # Errors
    /// As there.
    pub fn touching(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<bool, QueryError> {
        let shapes = self.query.shapes();
        Ok(shapes_touch(shapes, &Poses::new(a, b)?, &mut self.scratch, Some(&mut self.memory)))
    }

    /// As [`PairQuery::distance`].
    ///
    /// # Errors
    /// As there.
    pub fn distance(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<PairDistance, QueryError> {
        self.query.distance_from(a, b, &mut self.scratch, Some(&mut self.memory))
    }

    /// As [`PairQuery::distance_within`].
    ///
    /// # Errors
    /// As there.
    pub fn distance_within(
        &mut self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        bound: f64,
    ) -> Result<Option<PairDistance>, QueryError> {
        self.query.within_from(a, b, bound, &mut self.scratch, Some(&mut self.memory))
    }

    /// The contacts with A at `a` and B at `b` (m), as a world in its next step would give them. Collider 0 is A, collider
    /// 1 is B. Once the bodies are so far apart that nothing is looked for, the next contacts are new ones.
    ///
    /// # Errors
    /// [`QueryError::Pose`].
    pub fn contacts(&mut self, a: &Isometry3<f64>, b: &Isometry3<f64>) -> Result<&[Manifold], QueryError> {
        self.contacts_within(a, b, self.query.narrow.margin)
    }

    /// As [`PairTracker::contacts`], with contact points of negative depth where the bodies are closer than `margin` (m).
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Margin`] for a margin that is not from 0 to 1e30 m.
    pub fn contacts_within(
        &mut self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        margin: f64,
    ) -> Result<&[Manifold], QueryError> {
        let poses = Poses::new(a, b)?;
        let PairTracker { query, scratch, contacts, manifolds, .. } = self;
        let margin = check_margin(margin)?;
        scratch.take_back(manifolds);
        let answer = query.answer(&poses, margin, scratch, Some(contacts));
        *manifolds = answer.manifolds;
        contacts.points.match_points(manifolds, &mut scratch.contacts);
        Ok(manifolds)
    }

    /// Forgets what was found: the next contacts are new ones.
    pub fn forget(&mut self) {
        self.memory = QueryMemory::default();
        self.contacts = FollowedContacts::default();
        self.manifolds.clear();
    }
}
