//! Settings of the simulator, each with its unit, usual value and danger.

use nalgebra::Vector3;

use crate::SimulatorError;

/// How bodies are simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatorSettings {
    /// Acceleration of free fall (m/s²).
    pub gravity: Vector3<f64>,
    /// Substeps per detection of contacts, at least 1; 8 is usual. More make contacts stiffer and
    /// stacks steadier, and cost in proportion.
    pub substeps: u32,
    /// Detections of contacts per step at most, at least 1. A step is split while a body would move by
    /// more than `max_travel`; after the first only pairs whose bodies come nearer to each other by more than half of that (of
    /// the thinner one's thickness) are looked at again ([`World::substep`](impinge::World::substep)).
    pub max_detections: u32,
    /// How far a body may move between two detections, relative to the thickness (twice the volume over
    /// the surface) of the thinnest moving body. Beyond about 1 thin bodies pass through each other.
    pub max_travel: f64,
    /// Whether contacts begin with the impulses that they ended the last step with; on is usual. Without, a
    /// heap needs several times as many substeps to bear its own weight.
    pub warm_starting: bool,
    /// Frequency of the contacts' springs (Hz); 60 is usual. It is lowered to a quarter of the substep
    /// rate where that is less. A body resting on a spring of 60 Hz sinks by 0.07 mm.
    pub contact_frequency: f64,
    /// Damping ratio of the contacts' springs; 10 is usual. The higher, the slower bodies that overlap
    /// are pushed apart.
    pub contact_damping: f64,
    /// Overlap that is left alone (m), so that resting bodies keep their contacts; half a millimetre
    /// suits bodies of decimetres.
    pub slop: f64,
    /// Overlap (m) beyond which bodies are also moved apart directly, without speed and without friction;
    /// four times the slop is usual. A body driven between two walls is held there by friction, however
    /// hard springs push it off either of them. Less than what bodies sink into each other by their weight
    /// shakes them.
    /// Of contacts of two moving bodies that face each other, deeper than half of this, each may be less deep: as much as lets a motion of
    /// this length free the bodies from both, but no less than half.
    pub correction_depth: f64,
    /// Approach speed under which nothing bounces (m/s); 0.5 is usual.
    pub restitution_threshold: f64,
    /// Lever arm of rolling (and spinning) resistance, relative to the smaller body's bounding radius;
    /// 0 turns it off. A ball stays put on slopes up to about this angle (rad). Points that bear the load resist by themselves
    /// what turns about an axis far from them: the lever about it is shortened by how far they stand from it.
    pub rolling_resistance: f64,
    /// Rate at which linear velocity decays (1/s).
    pub linear_damping: f64,
    /// Rate at which angular velocity decays (1/s).
    pub angular_damping: f64,
    /// Whether bodies at rest are put to sleep.
    pub sleeping: bool,
    /// Speed of a body's fastest point under which it may fall asleep (m/s); 0.05 is usual. A sleeper
    /// wakes when something that touches it is twice as fast.
    pub sleep_speed: f64,
    /// For how long it must stay under that (s).
    pub sleep_time: f64,
}

impl Default for SimulatorSettings {
    fn default() -> SimulatorSettings {
        SimulatorSettings {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            substeps: 8,
            max_detections: 4,
            max_travel: 0.75,
            warm_starting: true,
            contact_frequency: 60.0,
            contact_damping: 10.0,
            slop: 5e-4,
            correction_depth: 2e-3,
            restitution_threshold: 0.5,
            rolling_resistance: 0.02,
            linear_damping: 0.0,
            angular_damping: 0.0,
            sleeping: true,
            sleep_speed: 0.05,
            sleep_time: 0.5,
        }
    }
}

impl SimulatorSettings {
    /// The settings, if they can be used.
    ///
    /// # Errors
    /// [`SimulatorError::Setting`] names the first that is not finite or out of its range.
    pub fn checked(self) -> Result<SimulatorSettings, SimulatorError> {
        let not_negative = "it must be finite and not negative";
        let positive = "it must be finite and greater than 0";
        let ranges = [
            ("gravity.x", self.gravity.x, f64::NEG_INFINITY, "it must be finite"),
            ("gravity.y", self.gravity.y, f64::NEG_INFINITY, "it must be finite"),
            ("gravity.z", self.gravity.z, f64::NEG_INFINITY, "it must be finite"),
            ("substeps", f64::from(self.substeps), 1.0, "it must be at least 1"),
            ("max_detections", f64::from(self.max_detections), 1.0, "it must be at least 1"),
            ("max_travel", self.max_travel, f64::MIN_POSITIVE, positive),
            ("contact_frequency", self.contact_frequency, f64::MIN_POSITIVE, positive),
            ("contact_damping", self.contact_damping, 0.0, not_negative),
            ("slop", self.slop, 0.0, not_negative),
            ("correction_depth", self.correction_depth, 0.0, not_negative),
            ("restitution_threshold", self.restitution_threshold, 0.0, not_negative),
            ("rolling_resistance", self.rolling_resistance, 0.0, not_negative),
            ("linear_damping", self.linear_damping, 0.0, not_negative),
            ("angular_damping", self.angular_damping, 0.0, not_negative),
            ("sleep_speed", self.sleep_speed, 0.0, not_negative),
            ("sleep_time", self.sleep_time, 0.0, not_negative),
        ];
        match ranges.into_iter().find(|(_, value, least, _)| !(value.is_finite() && value >= least)) {
            Some((setting, value, _, remedy)) => Err(SimulatorError::Setting { setting, value, remedy }),
            None => Ok(self),
        }
    }
}
