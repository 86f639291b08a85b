//! What is remembered of pairs from step to step.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use avian3d::prelude::ContactGraph;
use bevy::ecs::prelude::{Entity, Res, Resource};
use impinge::nalgebra::Isometry3;
use impinge::query::{Lookahead, QueryScratch, SteppedPair};
use impinge::{BuildError, Manifold, PairQuery, PreparedShape, QuerySettings};

/// The pairs of [`MeshCollider`](crate::MeshCollider)s that Avian follows, with what impinge remembers of each; a pair is forgotten when
/// Avian's contact graph has it no longer.
#[derive(Resource, Debug, Default)]
pub struct FollowedPairs {
    pairs: Mutex<Pairs>,
    settings: QuerySettings,
}

type Pairs = HashMap<[Entity; 2], Arc<Mutex<SteppedPair>>>;

impl FollowedPairs {
    /// With these settings of pairs: resolution, points and manifolds. A margin set here is not used: Avian gives one with each call.
    /// Insert it before [`MeshCollisionPlugins`](crate::MeshCollisionPlugins).
    ///
    /// # Errors
    /// [`BuildError::Setting`] for settings out of range.
    pub fn with_settings(settings: QuerySettings) -> Result<FollowedPairs, BuildError> {
        let nothing = impinge::Shape::half_space();
        PairQuery::new(&nothing, &nothing, settings)?;
        Ok(FollowedPairs { settings: settings.margin(0.0), ..FollowedPairs::default() })
    }

    /// How many pairs are followed.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no pair is.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Pairs> {
        // Nothing is left half done where a thread panics.
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands `write` the manifolds of two colliders at their poses, none where they cannot stand there.
    pub(crate) fn contacts(
        &self,
        entities: [Entity; 2],
        shapes: [&PreparedShape; 2],
        poses: &[Isometry3<f64>; 2],
        ahead: Lookahead,
        write: impl FnOnce(&[Manifold]),
    ) {
        let begun = || Arc::new(Mutex::new(self.begin(shapes)));
        let pair = Arc::clone(self.lock().entry(entities).or_insert_with(begun));
        let mut pair = pair.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pair.query().prepared();
        if !(known[0].is_same(shapes[0]) && known[1].is_same(shapes[1])) {
            *pair = self.begin(shapes);
        }
        let found = with_scratch(|scratch| pair.contacts(&poses[0], &poses[1], ahead, scratch));
        write(found.unwrap_or(&[]));
    }

    fn begin(&self, [a, b]: [&PreparedShape; 2]) -> SteppedPair {
        let query = PairQuery::between(a, b);
        // They were found to be in range when they were set.
        SteppedPair::new(&query.with_settings(self.settings).unwrap_or(query))
    }
}

/// Forgets pairs that have ended.
pub(crate) fn forget_ended(followed: Res<FollowedPairs>, graph: Res<ContactGraph>) {
    followed.lock().retain(|[a, b], _| graph.contains(*a, *b));
}

/// Asks with the thread's buffers.
fn with_scratch<'p, T>(ask: impl FnOnce(&mut QueryScratch) -> T + 'p) -> T {
    thread_local! {
        static SCRATCH: RefCell<QueryScratch> = RefCell::default();
    }
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => ask(&mut scratch),
        Err(_) => ask(&mut QueryScratch::default()),
    })
}
