//! Many questions at once.

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::{PairQuery, QueryError, QueryScratch};

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
