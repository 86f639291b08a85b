//! Many questions at once, and one pair followed from pose to pose.

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::memory::QueryMemory;
use super::subshapes::Poses;
use super::{PairDistance, PairQuery, QueryError, QueryScratch, shapes_touch};

/// Questions that one worker takes at a time.
const CHUNK: usize = 8;

/// A pair and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPair<'q> {
    /// The two shapes.
    pub query: &'q PairQuery,
    /// Pose of A (m).
    pub a: Isometry3<f64>,
    /// Pose of B (m).
    pub b: Isometry3<f64>,
}

/// Asks `ask` about every pair, shared out to the threads of the current rayon pool. The answers come in
/// the order of the pairs and are the same for any number of threads. Every question that a [`PairQuery`]
/// answers `_with` a scratch can be asked.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::query::{PlacedPair, query_many};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Shape::cuboid([0.5; 3])?;
/// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
/// let pairs: Vec<_> = (0..4)
///     .map(|k| PlacedPair {
///         query: &query,
///         a: Isometry3::identity(),
///         b: Isometry3::translation(0.5 * f64::from(k), 0.0, 0.0),
///     })
///     .collect();
/// let touching: Result<Vec<bool>, _> = query_many(&pairs, PairQuery::touching_with).into_iter().collect();
/// assert_eq!(touching?, [true, true, true, false]);
/// # Ok(())
/// # }
/// ```
pub fn query_many<T: Send>(
    pairs: &[PlacedPair<'_>],
    ask: impl Fn(&PairQuery, &Isometry3<f64>, &Isometry3<f64>, &mut QueryScratch) -> Result<T, QueryError> + Sync,
) -> Vec<Result<T, QueryError>> {
    pairs
        .par_iter()
        .with_min_len(CHUNK)
        .map_init(QueryScratch::default, |scratch, pair| ask(pair.query, &pair.a, &pair.b, scratch))
        .collect()
}

/// Follows one pair from pose to pose: what was found last is where the next search begins. Answers do
/// not depend on what came before, but for which of several equally near places, or of several touching
/// triangles, is named.
///
/// ```
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let cube = Shape::cuboid([0.5; 3])?;
/// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
/// let mut tracker = query.tracker();
/// for step in 0..10 {
///     let x = 3.0 - 0.125 * f64::from(step);
///     let found = tracker.distance(&Isometry3::identity(), &Isometry3::translation(x, 0.0, 0.0))?;
///     assert_eq!(found.distance(), x - 1.0);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PairTracker<'q> {
    query: &'q PairQuery,
    scratch: QueryScratch,
    memory: QueryMemory,
}

impl PairQuery {
    /// Begins to follow the pair.
    pub fn tracker(&self) -> PairTracker<'_> {
        PairTracker { query: self, scratch: QueryScratch::default(), memory: QueryMemory::default() }
    }
}

impl PairTracker<'_> {
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
}
