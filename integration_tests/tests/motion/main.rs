//! Casts, sweeps and exits against samples of exact touching: never late, near at the time reported, and free where
//! they say so.

mod pairs;
mod shapes;
mod world;
