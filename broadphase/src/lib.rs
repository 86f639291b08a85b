//! Incremental sweep-and-prune in columns: colliders in, sorted [`Pair`]s out.
//!
//! A grid over two axes, each of its columns sorted along the third. [`BroadPhase`] is the
//! structure; `column` holds the sweep, `plan` the choice of the grid, `update` the order of passes.

mod boxes;
mod broad_phase;
mod column;
mod compact;
mod cutter;
mod error;
mod events;
mod grid;
mod intake;
mod lanes;
mod layout;
mod listing;
mod lists;
mod margin;
mod membership;
mod pair;
mod pair_list;
mod parking;
mod plan;
mod query;
mod row;
mod settings;
mod stats;
mod sweeps;
mod update;
mod validate;

#[cfg(test)]
mod oracle;

pub use broad_phase::{BroadPhase, MAX_SLOT};
pub use error::BroadPhaseError;
pub use margin::Margin;
pub use pair::{Filter, Pair};
pub use parking::{Parking, Pool};
pub use query::{Queries, Ray, Touch};
pub use settings::BroadPhaseSettings;
pub use stats::Stats;
pub use validate::Violation;
