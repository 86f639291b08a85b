//! What a scene demands of its simulation, besides what all demand.

use nalgebra::{Point3, Vector3};

use super::Container;

/// A demand of one scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// From the half of the run on, no point of a moving body wanders farther than `drift` (m), and at the
    /// end all bodies together have no more kinetic energy than `energy` (J).
    Still {
        /// Farthest way (m).
        drift: f64,
        /// Kinetic energy, the mean over the last second (J).
        energy: f64,
    },
    /// Over the second half of the run, one hinge turns by `ratio` times what another does.
    Ratio {
        /// Index of the hinge that drives.
        driver: usize,
        /// Index of the hinge that is driven.
        driven: usize,
        /// Turns of the driven one for a turn of the driver; negative where it turns the other way.
        ratio: f64,
        /// Greatest relative error.
        within: f64,
    },
    /// A body that turns about an axis moves along it by a pitch with every turn.
    Screw {
        /// Index of the body.
        body: usize,
        /// The axis, unit: the way the body goes when it turns by the right hand.
        axis: Vector3<f64>,
        /// Way per turn (m).
        pitch: f64,
        /// Greatest relative error.
        within: f64,
    },
    /// From the half of the run on, a body's origin stays near a place.
    Seated {
        /// Index of the body.
        body: usize,
        /// The place (m, world).
        place: Point3<f64>,
        /// How near (m).
        within: f64,
    },
    /// At the end the middles of all moving bodies are in a space.
    Kept(Container),
}
