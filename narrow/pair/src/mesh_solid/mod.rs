//! A mesh and a primitive without triangles.

mod contacts;
mod given_views;
mod half_space;
mod hits;
mod round;
mod submerged;
mod touch_patch;

pub(crate) use contacts::{MeshSolidScratch, run, views};
