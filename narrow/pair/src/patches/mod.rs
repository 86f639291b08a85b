//! From columns and contours to patches.

mod build;
mod flood;
mod join;
mod piece;

pub(crate) use build::{Draft, halfway, mean, patch, pressure_center};
pub(crate) use flood::{Flood, Inside};
pub(crate) use join::Join;
pub(crate) use piece::{PieceKind, Pieces};
