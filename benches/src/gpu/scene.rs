//! Worlds of rings in rows, each touching the next.

use std::time::Instant;

use anyhow::ensure;
use impinge::prelude::*;
use impinge::{ColliderId, StepCounts, StepTimes};
use impinge_scenes::mesh::Torus;

use super::host_time::HostTime;
use crate::row;

/// Rings in rows, each touching the next.
pub struct Rows {
    pub who: &'static str,
    pub world: World,
    ids: Vec<ColliderId>,
    /// Times of the measured steps (us).
    pub times: Vec<f64>,
    /// Of these, the host's time on the processor (s).
    pub host: f64,
    pub sum: StepTimes,
    /// Touching pairs of all measured steps, those asked of the device, and those that it made the contacts of.
    pub touching: u64,
    pub asked: u64,
    pub made: u64,
    /// Buffers made in them.
    pub buffers: u64,
    pub last: StepCounts,
    pub parity: Parity,
}

/// Bodies of a row. A row of n bodies has n − 1 pairs.
pub const LONGEST: usize = 501;

/// Where body `k` stands in a step.
pub fn pose(k: usize, step: usize) -> Isometry3<f64> {
    let (row, place) = (k / LONGEST, k % LONGEST);
    let turn = UnitQuaternion::from_euler_angles(0.1 * k as f64, 0.01 * step as f64, 0.0);
    Isometry3::from_parts(Translation3::new(0.76 * place as f64, 2.0 * row as f64, 0.0), turn)
}

impl Rows {
    pub fn new(who: &'static str, parity: Parity, mut world: World, pairs: usize) -> anyhow::Result<Rows> {
        let torus = world.add_shape(Torus::default().mesh()?)?;
        let bodies = pairs + pairs.div_ceil(LONGEST - 1);
        let ids = (0..bodies).map(|_| world.add_collider(Collider::new(torus))).collect::<Result<_, _>>()?;
        let (times, sum, last) = (Vec::new(), StepTimes::default(), StepCounts::default());
        Ok(Rows {
            who,
            world,
            ids,
            times,
            sum,
            host: 0.0,
            touching: 0,
            asked: 0,
            made: 0,
            buffers: 0,
            last,
            parity,
        })
    }

    pub fn step(&mut self, step: usize, measured: bool) -> anyhow::Result<()> {
        for (k, &id) in self.ids.iter().enumerate() {
            self.world.set_pose(id, pose(k, step))?;
        }
        let (started, host) = (Instant::now(), HostTime::now());
        let report = self.world.step();
        let time = started.elapsed().as_secs_f64() * 1e6;
        let host = host.elapsed();
        ensure!(report.counts.gpu_redone == 0, "{}: {:?}", self.who, self.world.gpu_fault());
        if measured {
            self.times.push(time);
            self.host += host;
            self.buffers += report.counts.gpu_buffers_created;
            let (sum, times) = (&mut self.sum, &report.times);
            sum.gpu += times.gpu;
            sum.gpu_stream += times.gpu_stream;
            sum.gpu_view += times.gpu_view;
            sum.gpu_layers += times.gpu_layers;
            sum.gpu_columns += times.gpu_columns;
            sum.gpu_wait += times.gpu_wait;
            sum.midphase += times.midphase;
            sum.narrow += times.narrow;
            sum.contacts += times.contacts;
            self.touching += report.counts.touching;
            self.asked += report.counts.gpu_touching;
            self.made += report.counts.gpu_manifolds;
        }
        self.last = report.counts;
        Ok(())
    }

    pub fn hash(&self) -> String {
        let numbers =
            self.world.manifolds().iter().flat_map(|m| [m.normal.x, m.normal.y, m.normal.z, m.depth]);
        row::hash(numbers.flat_map(|x| [(x.to_bits() >> 32) as u32, x.to_bits() as u32]))
    }
}
