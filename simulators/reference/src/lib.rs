//! A small rigid-body simulator on `impinge`: substepped sequential impulses with soft contacts.
//!
//! It is meant to be read: bodies fall, collide, slide, roll, stack and come to rest in a few hundred
//! lines, with every contact from an [`impinge::World`]. One [`Simulator::step`] is
//!
//! 1. [`World::step`](impinge::World::step): where do the bodies touch?
//! 2. [`World::solve`](impinge::World::solve) with this crate's [`Solver`](impinge::Solver): a few
//!    substeps, each of which integrates velocities, applies last substep's impulses, solves every
//!    contact once as a damped spring, moves the bodies, and solves once more without the spring's push
//!    (so that what pushed the bodies apart does not stay with them as speed).
//! 3. [Fast](BodyDesc::fast) bodies go no farther than to what they meet on their way, exchange an impulse with it, and go on
//!    ([`World::step_motion`](impinge::World::step_motion)).
//! 4. Bodies that have come to rest, and touch nothing that has not, go to sleep.
//!
//! Sources: Catto 2024, "Solver2D" and Box2D v3 (soft step, relaxing, restitution); Catto 2011, "Soft
//! Constraints"; Buss 2000, "Accurate and Efficient Simulation of Rigid-Body Rotations".
//!
//! ```
//! use impinge::prelude::*;
//! use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut sim = Simulator::new(World::builder().build()?, SimulatorSettings::default())?;
//! let floor = sim.world_mut().add_shape(Shape::half_space())?;
//! let ball = sim.world_mut().add_shape(Shape::sphere(0.5)?)?;
//! sim.add_body(BodyDesc::fixed(floor))?;
//! let ball = sim.add_body(BodyDesc::new(ball).position([0.0, 0.0, 1.0]))?;
//! for _ in 0..120 {
//!     sim.step(1.0 / 60.0)?;
//! }
//! assert!((sim.body(ball)?.pose().translation.z - 0.5).abs() < 1e-3);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]

mod body;
mod body_set;
mod contact;
mod contact_list;
mod direction;
mod error;
mod fast;
mod friction;
mod hinge;
mod hinge_constraint;
mod hinge_list;
mod motion;
mod powder;
mod rolling;
mod settings;
mod sheet;
mod simulator;
mod size;
mod sleep;
mod soft;
mod solver;
mod spin;
mod summary;
#[cfg(test)]
mod warm;

pub use body::{Body, BodyDesc, BodyId, Load};
pub use error::{SimulatorError, SolverError};
pub use hinge::{Hinge, HingeDesc, HingeId, Motor};
pub use powder::{Powder, PowderError, PowderSettings, PowderTimes};
pub use settings::SimulatorSettings;
pub use sheet::{Sheet, SheetBody, SheetContact, SheetError, SheetSettings};
pub use simulator::Simulator;
pub use summary::StepSummary;
