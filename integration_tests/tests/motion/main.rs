//! Casts, sweeps and exits against samples of exact touching: never late, near at the time reported, and free where
//! they say so.

mod chains;
mod deforming;
mod files;
mod pairs;
mod shapes;
mod world;
