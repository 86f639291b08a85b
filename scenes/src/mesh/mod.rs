//! Meshes made by formula: closed, outward, the same to the last bit on every machine.
//!
//! Each kind is a struct of its sizes with a usable `Default`, and a `mesh` function. All lengths
//! are metres; trigonometry is `libm`'s.

mod animal;
mod assembly;
mod blob;
mod blocks;
mod bowl;
mod dish;
mod fastening;
mod gear;
mod hand;
mod hook;
mod implicit;
mod involute;
mod knot;
mod limb;
mod link;
mod open_box;
mod pan;
mod pipes;
mod rope;
mod screw;
mod ship;
mod skin;
mod spindle;
mod terrain;
mod thread;
mod torus;
mod trial;
mod tunnel;

pub use animal::Animal;
pub use blob::Blob;
pub use bowl::Bowl;
pub use dish::Dish;
pub use fastening::{HoleBlock, Peg};
pub use gear::Gear;
pub use hand::{Hand, HandModel};
pub use hook::Hook;
pub use involute::InvoluteGear;
pub use knot::Knot;
pub use link::ChainLink;
pub use open_box::OpenBox;
pub use pan::Pan;
pub use pipes::Pipes;
pub use rope::Rope;
pub use screw::LeadScrew;
pub use ship::Ship;
pub use spindle::Spindle;
pub use terrain::Terrain;
pub use thread::{Bolt, Nut, Thread};
pub use torus::Torus;
pub use trial::{Trial, TrialKind};
pub use tunnel::Tunnel;

use impinge_geometry::MeshError;

/// A mesh that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeneratorError {
    /// A size or count cannot be used.
    #[error("{mesh}: {parameter} is {value}; {remedy}")]
    Parameter {
        /// The kind of mesh.
        mesh: &'static str,
        /// The field.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// The sizes are usable one by one but give no sound mesh.
    #[error("{mesh}: {source}")]
    Mesh {
        /// The kind of mesh.
        mesh: &'static str,
        /// What is wrong.
        source: MeshError,
    },
}

/// Checks one field of a kind of mesh.
struct Check(&'static str);

impl Check {
    fn fail(&self, parameter: &'static str, value: f64, remedy: &'static str) -> GeneratorError {
        GeneratorError::Parameter { mesh: self.0, parameter, value, remedy }
    }

    /// A length must be finite, greater than zero and small enough for `f32` arithmetic.
    fn length(&self, parameter: &'static str, value: f64) -> Result<(), GeneratorError> {
        let fits = value.is_finite() && value > 1e-12 && value < 1e12;
        if fits { Ok(()) } else { Err(self.fail(parameter, value, "it must be from 1e-12 to 1e12 m")) }
    }

    /// A length must be below another.
    fn below(
        &self,
        parameter: &'static str,
        value: f64,
        limit: f64,
        remedy: &'static str,
    ) -> Result<(), GeneratorError> {
        if value < limit { Ok(()) } else { Err(self.fail(parameter, value, remedy)) }
    }

    /// A count of steps must be from `least` to 65536.
    fn steps(
        &self,
        parameter: &'static str,
        value: u32,
        least: u32,
        remedy: &'static str,
    ) -> Result<(), GeneratorError> {
        if (least..=65_536).contains(&value) {
            Ok(())
        } else {
            Err(self.fail(parameter, f64::from(value), remedy))
        }
    }
}
