//! Patches to manifolds of at most four points, and the solver interface.
//!
//! Data flows one way: [`manifolds_after`] turns a pair's patches into [`Manifold`]s (each reduced by
//! [`reduce`], or held to the points that the last step chose), [`ContactMemory::match_points`] gives their
//! points the keys and impulses of the last step, [`rows`] hands them to a [`Solver`], and
//! [`write_back`] with [`ContactMemory::store`] keeps its impulses. [`ContactEvents`] reports contacts
//! that begin, persist and end.

mod assembly;
mod contact;
mod counts;
mod error;
mod event;
mod hull;
mod indices;
mod manifold;
mod matches;
mod material;
mod material_table;
mod memory;
mod merge;
mod persistence;
mod placement;
mod reduction;
mod refresh;
mod remembered;
mod rows;
mod scratch;
mod seam;
mod sectors;
mod settings;
mod solver;
mod subscription;
mod surface;
mod tangents;
mod tilt;
mod tunables;
mod weights;

pub use assembly::{manifolds, manifolds_after};
pub use contact::{Contact, ContactEvent, ContactPhase, TouchSummary};
pub use counts::{ContactCounts, MatchCounts};
pub use error::{ContactError, MaterialError};
pub use event::{ContactEvents, EventCounts};
pub use manifold::{ContactPoint, Manifold};
pub use material::{CombineRule, CombineRules, Material, PairMaterial};
pub use material_table::MaterialTable;
pub use memory::ContactMemory;
pub use placement::PairPlacement;
pub use reduction::{ReducedPoint, reduce};
pub use refresh::{PairMotion, refresh};
pub use rows::{ROWS_WORTH_SHARING, RowSide, check_totals, rows, write_back};
pub use scratch::ContactScratch;
pub use seam::Seams;
pub use settings::ContactSettings;
pub use solver::{ContactRow, Impulse, Solver};
pub use subscription::Subscription;
pub use surface::SurfaceMotion;
pub use tangents::tangents;
