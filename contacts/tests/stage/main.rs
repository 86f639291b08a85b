//! The contacts stage through its public face: patches in, manifolds, rows and memory out.

mod assembly;
mod events;
mod materials;
mod memory;
mod patches;
mod persistence;
mod reduction;
mod rows;
mod seam;
mod sectors;
mod warm;
