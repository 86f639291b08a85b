//! The classic tests against the exact ones, and against arithmetic of their own.

mod pairs;
mod placements;
