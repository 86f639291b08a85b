//! Many poses of many pairs in one call, with flat answers.

use nalgebra::Isometry3;
use rayon::prelude::*;

use super::error::{BatchError, UnevenPoses};
use super::{PairQuery, QueryError, QueryScratch};

/// Questions that one worker takes at a time.
const CHUNK: usize = 64;

/// Pairs, and the poses of B in A's frame (m) at which each of them is asked about.
///
/// ```
/// use impinge::prelude::*;
/// use impinge::query::PoseBatch;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let [cube, ball] = [Shape::cuboid([0.5; 3])?, Shape::sphere(0.25)?].map(|shape| PreparedShape::new(&shape));
/// let pairs = [PairQuery::between(&cube, &cube), PairQuery::between(&cube, &ball)];
/// let poses: Vec<_> = (0..4).map(|k| Isometry3::translation(0.375 * f64::from(k), 0.0, 0.0)).collect();
/// let batch = PoseBatch::shared(&pairs, &poses);
/// // Those of the first pair, then those of the second.
/// assert_eq!(batch.ask(PairQuery::touching_with)?, [true, true, true, false, true, true, true, false]);
/// let contacts = batch.ask_flat(PairQuery::contacts_with)?;
/// assert_eq!(contacts.offsets(), [0, 1, 2, 3, 3, 4, 5, 6, 6]);
/// assert_eq!(contacts.of(2)[0].depth, 0.25);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PoseBatch<'p> {
    queries: &'p [PairQuery],
    poses: &'p [Isometry3<f64>],
    /// How many poses every pair is asked about.
    each: usize,
    /// How many poses farther the next pair's begin: none where all have the same.
    next: usize,
}

/// Answers of several items each, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatAnswers<T> {
    offsets: Vec<usize>,
    items: Vec<T>,
}

impl<T> FlatAnswers<T> {
    /// Where each answer's items begin, and in the end their number: one offset more than answers.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// All items.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The items of an answer. Panics where there is no such answer.
    pub fn of(&self, answer: usize) -> &[T] {
        &self.items[self.offsets[answer]..self.offsets[answer + 1]]
    }

    /// Offsets and items.
    pub fn into_parts(self) -> (Vec<usize>, Vec<T>) {
        (self.offsets, self.items)
    }
}

impl<'p> PoseBatch<'p> {
    /// One pair at each of `poses`.
    pub fn one(query: &'p PairQuery, poses: &'p [Isometry3<f64>]) -> PoseBatch<'p> {
        PoseBatch::shared(std::slice::from_ref(query), poses)
    }

    /// Every pair at each of `poses`.
    pub fn shared(queries: &'p [PairQuery], poses: &'p [Isometry3<f64>]) -> PoseBatch<'p> {
        PoseBatch { queries, poses, each: poses.len(), next: 0 }
    }

    /// Every pair at poses of its own, as many for each: the first pair's, then the second's.
    ///
    /// # Errors
    /// [`UnevenPoses`] unless the number of poses is a multiple of the number of pairs.
    pub fn own(queries: &'p [PairQuery], poses: &'p [Isometry3<f64>]) -> Result<PoseBatch<'p>, UnevenPoses> {
        if !poses.len().is_multiple_of(queries.len()) {
            return Err(UnevenPoses { poses: poses.len(), pairs: queries.len() });
        }
        let each = poses.len().checked_div(queries.len()).unwrap_or(0);
        Ok(PoseBatch { queries, poses, each, next: each })
    }

    /// How many questions there are: pairs times poses.
    pub fn len(&self) -> usize {
        self.queries.len() * self.each
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Asks `ask` about every pair at each of its poses, A standing at the origin, shared out to the threads of the current
    /// rayon pool. The answers come pair by pair in the order of the poses, and are the same for any number of threads.
    /// Every question that a [`PairQuery`] answers `_with` a scratch can be asked.
    ///
    /// # Errors
    /// The first question that cannot be answered.
    pub fn ask<T: Send>(
        &self,
        ask: impl Fn(&PairQuery, &Isometry3<f64>, &Isometry3<f64>, &mut QueryScratch) -> Result<T, QueryError>
        + Sync,
    ) -> Result<Vec<T>, BatchError> {
        let mut all = Vec::with_capacity(self.len());
        self.each_chunk(|answer, part: &mut Vec<T>| part.push(answer), ask, |part| all.extend(part))?;
        Ok(all)
    }

    /// As [`PoseBatch::ask`], of questions with a list for an answer.
    ///
    /// # Errors
    /// As there.
    pub fn ask_flat<T: Send>(
        &self,
        ask: impl Fn(
            &PairQuery,
            &Isometry3<f64>,
            &Isometry3<f64>,
            &mut QueryScratch,
        ) -> Result<Vec<T>, QueryError>
        + Sync,
    ) -> Result<FlatAnswers<T>, BatchError> {
        let mut flat = FlatAnswers { offsets: Vec::with_capacity(self.len() + 1), items: Vec::new() };
        flat.offsets.push(0);
        let add = |answer: Vec<T>, (counts, items): &mut (Vec<usize>, Vec<T>)| {
            counts.push(answer.len());
            items.extend(answer);
        };
        self.each_chunk(add, ask, |(counts, items)| {
            for count in counts {
                flat.offsets.push(flat.offsets[flat.offsets.len() - 1] + count);
            }
            flat.items.extend(items);
        })?;
        Ok(flat)
    }

    /// Answers chunk by chunk on the workers, and takes the chunks in their order. A chunk ends at the first question that
    /// cannot be answered, so that the first of all is told.
    fn each_chunk<T, P: Default + Send>(
        &self,
        add: impl Fn(T, &mut P) + Sync,
        ask: impl Fn(&PairQuery, &Isometry3<f64>, &Isometry3<f64>, &mut QueryScratch) -> Result<T, QueryError>
        + Sync,
        mut take: impl FnMut(P),
    ) -> Result<(), BatchError> {
        let answer = |scratch: &mut QueryScratch, chunk: usize| {
            let mut part = P::default();
            for index in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.len()) {
                let (pair, pose) = (index / self.each, index % self.each);
                let at = &self.poses[pair * self.next + pose];
                let answer = ask(&self.queries[pair], &Isometry3::identity(), at, scratch);
                add(answer.map_err(|source| BatchError { pair, pose, source })?, &mut part);
            }
            Ok(part)
        };
        let chunks = (0..self.len().div_ceil(CHUNK)).into_par_iter();
        let parts: Vec<Result<P, BatchError>> = chunks.map_init(QueryScratch::default, answer).collect();
        parts.into_iter().try_for_each(|part| part.map(&mut take))
    }
}
