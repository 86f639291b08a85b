//! When do a vertex and a face, or two edges, first touch, every vertex moving on a line? In integers of any length.

mod first_contact;
mod polynomial;
mod query_set;
mod rational;

pub use first_contact::{FeatureKind, MovingFeatures};
pub use query_set::{QuerySetError, RationalQuery, read_queries, write_queries};
pub use rational::Rational;
