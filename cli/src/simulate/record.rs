//! The record of a simulation's steps.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use anyhow::Result;
use impinge::{ColliderId, RedoCounts};
use impinge_reference::{BodyId, Simulator, StepSummary};

use super::check::{MEASURED_STEPS, REST_AFTER, Touch};
use super::series::{Counts, Times};

/// Steps of the last second.
const LAST_SECOND: usize = 60;
/// Steps for which room is made at the start, at most.
const MOST_ROOM: u32 = 1 << 20;

/// Times, counts and contacts of a run.
pub struct Record {
    ids: Vec<BodyId>,
    bodies: BTreeMap<ColliderId, usize>,
    steps: u32,
    taken: u32,
    /// Stage names and their times. `step`, `detection` and `solver` are of whole steps; the stages
    /// between are those of a step's last detection.
    pub times: [(&'static str, Times); 10],
    /// What was counted.
    pub counts: [(&'static str, Counts); 12],
    /// Jobs between meshes that touched and whose contacts were asked of a GPU, those of them without a view on the CPU, and
    /// why others were redone.
    pub asked: u64,
    /// See `asked`.
    pub sampled: u64,
    /// Touching jobs that height maps answered, and those that they did not do for.
    pub height_maps: [u64; 2],
    /// See `asked`.
    pub redone: RedoCounts,
    /// What each pass of a GPU took in all steps by its own clock, of a step's last detection.
    pub passes: Vec<(&'static str, Duration)>,
    /// Greatest depth that contacts of awake bodies had (m).
    pub deepest: f64,
    /// Mean speed (m/s) and kinetic energy (J) of the steps of the last second.
    last: VecDeque<[f64; 2]>,
    touches: Vec<Touch>,
    /// Memory of the process, less what this record takes (bytes), once a second, up to the steps whose contacts are kept.
    memory: Vec<u64>,
}

impl Record {
    /// An empty record of a run of `steps` over the bodies `ids`.
    pub fn new(simulator: &Simulator, ids: &[BodyId], steps: u32) -> Result<Record> {
        let mut bodies = BTreeMap::new();
        for (index, &id) in ids.iter().enumerate() {
            bodies.insert(simulator.body(id)?.collider(), index);
        }
        let times = [
            "step",
            "detection",
            "boxes",
            "broadphase",
            "pairs",
            "midphase",
            "narrow",
            "contacts",
            "particles",
            "solver",
        ];
        let counts = [
            "pairs",
            "kept_pairs",
            "refreshed_pairs",
            "carried_pairs",
            "triangle_tests",
            "degenerate",
            "views",
            "touching",
            "manifolds",
            "points",
            "particle_contacts",
            "awake",
        ];
        // In one piece, so that what is written so far is all that they take.
        let room = steps.min(MOST_ROOM) as usize;
        Ok(Record {
            ids: ids.to_vec(),
            bodies,
            steps,
            taken: 0,
            times: times.map(|name| (name, Times::with_capacity(room))),
            counts: counts.map(|name| (name, Counts::with_capacity(room))),
            asked: 0,
            sampled: 0,
            height_maps: [0; 2],
            redone: RedoCounts::default(),
            passes: Vec::new(),
            deepest: 0.0,
            last: VecDeque::new(),
            touches: Vec::new(),
            memory: Vec::new(),
        })
    }

    /// Adds a step that took `time`.
    pub fn push(&mut self, simulator: &Simulator, done: &StepSummary, time: Duration) -> Result<()> {
        self.taken += 1;
        let (t, c) = (&done.report.times, &done.report.counts);
        let times = [
            time,
            done.detect_time,
            t.boxes,
            t.broadphase,
            t.pairs,
            t.midphase,
            t.narrow,
            t.contacts,
            t.particles,
            done.solve_time,
        ];
        self.times.iter_mut().zip(times).for_each(|((_, series), time)| series.push(time));
        let counts = [
            c.pairs,
            c.kept_pairs,
            c.refreshed_pairs,
            c.carried_pairs,
            c.triangle_tests,
            c.degenerate,
            c.views,
            c.touching,
            c.manifolds,
            c.points,
            c.point_contacts,
            done.awake as u64,
        ];
        self.counts.iter_mut().zip(counts).for_each(|((_, series), count)| series.push(count));
        self.last.push_back([done.mean_speed, done.kinetic_energy]);
        if self.last.len() > LAST_SECOND {
            self.last.pop_front();
        }
        self.asked += c.gpu_touching;
        self.sampled += c.gpu_manifolds;
        self.height_maps[0] += c.height_maps;
        self.height_maps[1] += c.past_height_maps;
        self.redone += c.redone;
        self.add_passes(simulator);
        self.deepest = self.deepest.max(done.deepest);
        if self.taken + MEASURED_STEPS > self.steps {
            self.keep_touches(simulator)?;
        } else if self.taken.is_multiple_of(LAST_SECOND as u32) {
            self.memory.extend(resident().map(|bytes| bytes.saturating_sub(self.own_bytes())));
        }
        Ok(())
    }

    #[cfg(feature = "gpu")]
    fn add_passes(&mut self, simulator: &Simulator) {
        let times = simulator.world().gpu_pass_times();
        self.passes.resize(self.passes.len().max(times.len()), ("", Duration::ZERO));
        for (own, (name, time)) in self.passes.iter_mut().zip(times) {
            *own = (name, own.1 + time);
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn add_passes(&mut self, _: &Simulator) {}

    /// For each step whether a body was awake when it began or ended.
    pub fn awake(&self) -> Vec<bool> {
        self.counts.iter().find(|(name, _)| *name == "awake").map_or(Vec::new(), |(_, counts)| counts.any())
    }

    /// Steps taken.
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// Whether so many steps were taken that bodies should be at rest.
    pub fn ended(&self) -> bool {
        self.taken >= REST_AFTER
    }

    /// Mean speed over the last second (m/s), once bodies should be at rest.
    pub fn mean_speed(&self) -> Option<f64> {
        self.mean_of_last(0)
    }

    /// Kinetic energy of all bodies, mean over the last second (J), once they should be at rest.
    pub fn mean_energy(&self) -> Option<f64> {
        self.mean_of_last(1)
    }

    fn mean_of_last(&self, what: usize) -> Option<f64> {
        let enough = self.ended() && self.last.len() == LAST_SECOND;
        enough.then(|| self.last.iter().map(|values| values[what]).sum::<f64>() / LAST_SECOND as f64)
    }

    /// The contacts of the measured steps.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// What the series take (bytes).
    fn own_bytes(&self) -> u64 {
        let step = self.times.len() * size_of::<Duration>() + self.counts.len() * size_of::<u64>();
        u64::from(self.taken) * step as u64
    }

    /// Memory of the process, less what this record takes (bytes), at the half of the run and at its end;
    /// `None` where the system does not tell, or the run was short.
    pub fn memory(&self) -> Option<[u64; 2]> {
        // A second later: the picture of the half has been painted by then.
        Some([*self.memory.get(self.memory.len() / 2 + 1)?, *self.memory.last()?])
    }

    /// Notes which bodies are in contact, and where the step has left them.
    fn keep_touches(&mut self, simulator: &Simulator) -> Result<()> {
        let manifolds = simulator.world().manifolds();
        for of_pair in manifolds.chunk_by(|m, n| m.colliders == n.colliders) {
            let [Some(&a), Some(&b)] = of_pair[0].colliders.map(|id| self.bodies.get(&id)) else { continue };
            let bodies = [a, b];
            let poses = [*simulator.body(self.ids[a])?.pose(), *simulator.body(self.ids[b])?.pose()];
            self.touches.push(Touch {
                bodies,
                poses,
                depth: of_pair.iter().fold(0.0, |depth, m| m.depth.max(depth)),
                normals: of_pair.iter().map(|m| m.normal).collect(),
            });
        }
        Ok(())
    }
}

/// Resident memory of this process (bytes), where the system tells.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| 1024 * kib)
}
