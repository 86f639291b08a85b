//! Patches to manifolds of at most four points, and the solver interface.
//!
//! Data flows one way: [`manifolds_after`] turns a pair's patches into [`Manifold`]s (each reduced by
//! [`reduce`], or held to the points that the last step chose), [`ContactMemory::carry`] gives their
//! points the names and impulses of the last step, [`rows`] hands them to a [`Solver`], and
//! [`write_back`] with [`ContactMemory::store`] keeps what it found. [`ContactEvents`] tells who
//! listens which colliders touch.

mod assembly;
mod counts;
mod error;
mod event;
mod hold;
mod hull;
mod manifold;
mod material;
mod material_table;
mod memory;
mod merge;
mod reduction;
mod rows;
mod seam;
mod settings;
mod solver;
mod tangents;
mod weights;

pub use assembly::{PairPlacement, manifolds, manifolds_after};
pub use counts::{CarryCounts, ContactCounts};
pub use error::{ContactError, MaterialError};
pub use event::{Contact, ContactEvent, ContactEvents, ContactPhase, EventCounts, Subscription};
pub use manifold::{ContactPoint, Manifold};
pub use material::{CombineRule, CombineRules, Material, PairMaterial};
pub use material_table::MaterialTable;
pub use memory::ContactMemory;
pub use reduction::{ReducedPoint, reduce};
pub use rows::{RowSide, rows, write_back};
pub use seam::Seams;
pub use settings::ContactSettings;
pub use solver::{ContactRow, Impulse, Solver};
pub use tangents::tangents;
