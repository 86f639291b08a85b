//! The summary of a step.

use std::time::Duration;

use impinge::{StepReport, StepStatus};

/// The summary of a step of the simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSummary {
    /// The world's report of the step's last detection.
    pub report: StepReport,
    /// The status flags of all the step's detections.
    pub status: StepStatus,
    /// Time in all detections of the step.
    pub detect_time: Duration,
    /// Time in all solves of the step.
    pub solve_time: Duration,
    /// How many times contacts were detected: more than once where bodies are fast.
    pub detections: u32,
    /// Pairs that changes of parts of shapes have reached, in all detections ([`World::edited_pairs`](impinge::World::edited_pairs)).
    pub edited_pairs: usize,
    /// Impacts of fast bodies on their ways.
    pub impacts: u64,
    /// Contact rows that were solved, those between sleeping bodies left out (last detection).
    pub rows: usize,
    /// Moving bodies that are awake.
    pub awake: usize,
    /// Moving bodies that are asleep.
    pub asleep: usize,
    /// Greatest depth among the contacts of awake bodies (m, last detection); 0 without contact.
    pub deepest: f64,
    /// Mean speed of the centres of mass of all moving bodies, sleeping ones too (m/s).
    pub mean_speed: f64,
    /// Greatest of these speeds (m/s).
    pub max_speed: f64,
    /// Kinetic energy of all bodies (J).
    pub kinetic_energy: f64,
}
