//! Clouds of points against an environment: one map that all points share.
//!
//! The nearest surface of the environment is drawn once, as the points see it: along their direction of
//! travel ([`CloudView::Along`]), or from the middle of the cloud through the six faces of a cube
//! ([`CloudView::Around`]). Each point then costs one look into the map, however many triangles there are.
//! A point sees only what is nearest on its line: behind the first surface nothing is known, and a
//! point that starts there hits nothing.
//!
//! Source: Fabrizio, "Easy Real-Time Collision Detection". We differ in that a hit is the crossing of
//! the surface in this step, not the place behind it.

mod bounce;
mod draw;
mod hits;
mod lens;
mod map;
mod view;

#[cfg(test)]
mod tests;

pub use bounce::{Bounce, BounceError};
pub use hits::{CloudHit, Points};
pub use map::{CloudCounts, CloudMap};
pub use view::{CloudError, CloudView};
