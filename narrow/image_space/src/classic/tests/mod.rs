//! The classic tests against the exact ones, and against arithmetic of their own.

mod cloth;
mod crowds;
mod dilation;
mod directions;
mod edges;
mod pairs;
mod placements;
mod plane;
mod tools;
