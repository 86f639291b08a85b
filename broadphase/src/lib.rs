//! Incremental sweep-and-prune in columns: colliders in, sorted [`Pair`]s out.
//!
//! A grid over two axes, each of its columns sorted along the third. [`BroadPhase`] is the
//! structure; `registry` holds the colliders, `grid` chooses the cells and assigns boxes to them, `sweep`
//! finds what changed in a column, `pairs` makes the lists, `query` answers questions, and `update` orders
//! the passes.

mod broad_phase;
mod error;
mod grid;
mod pairs;
mod query;
mod registry;
mod settings;
mod stats;
mod sweep;
mod update;
mod validate;

#[cfg(test)]
mod oracle;

pub use broad_phase::{BroadPhase, MAX_SLOT};
pub use error::BroadPhaseError;
pub use pairs::pair::{Filter, Pair};
pub use query::{Asker, Queries, Ray, Touch};
pub use registry::disable::{Disabling, Pool};
pub use registry::margin::Margin;
pub use settings::BroadPhaseSettings;
pub use stats::Stats;
pub use validate::Violation;
