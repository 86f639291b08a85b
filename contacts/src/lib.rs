//! Patches to manifolds of at most four points, and the solver interface.
//!
//! Data flows one way: [`manifolds`] turns a pair's patches into [`Manifold`]s (each reduced by
//! [`reduce`]), [`ContactMemory::carry`] gives their points the impulses of the last step, [`rows`]
//! hands them to a [`Solver`], and [`write_back`] with [`ContactMemory::store`] keeps what it found.

mod assembly;
mod counts;
mod error;
mod hull;
mod manifold;
mod material;
mod memory;
mod merge;
mod reduction;
mod rows;
mod settings;
mod solver;
mod tangents;
mod weights;

pub use assembly::{PairPlacement, manifolds};
pub use counts::{CarryCounts, ContactCounts};
pub use error::{ContactError, MaterialError};
pub use manifold::{ContactPoint, Manifold};
pub use material::{CombineRule, CombineRules, Material, PairMaterial};
pub use memory::ContactMemory;
pub use reduction::{ReducedPoint, reduce};
pub use rows::{RowSide, rows, write_back};
pub use settings::ContactSettings;
pub use solver::{ContactRow, Impulse, Solver};
pub use tangents::tangents;
