//! The simulator against closed forms: falling, resting, stacking, sliding, rolling, bouncing.

mod bad_input;
mod bounce;
mod driven;
mod fast;
mod flight;
mod heaps;
mod hinges;
mod powder;
mod rest;
mod scene;
mod slope;
mod wedge;
mod wheels;
