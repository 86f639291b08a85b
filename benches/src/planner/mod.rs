//! What a motion planner asks a million times: does a gripper of several meshes touch any of many objects?
//!
//! All contenders are asked about the same poses, chunk by chunk in turn, on one thread. Merged meshes have their
//! vertices rounded to other places, and FCL knows of surfaces alone: a body inside another is free to it.

mod contender;
mod scene;

use std::time::Instant;

use serde::Serialize;

use crate::row::{Origin, summary};
use contender::contenders;
use scene::PlannerScene;

/// Poses that one contender is asked about before the next one's turn.
const CHUNK: usize = 1000;

/// What to run.
pub struct Choice {
    pub poses: usize,
    pub seed: u64,
    pub rounds: usize,
}

/// One contender's checks.
#[derive(Clone, Debug, Serialize)]
pub struct PlannerRow {
    pub suite: &'static str,
    pub who: &'static str,
    pub poses: usize,
    /// Poses at which the gripper touches something.
    pub touching: usize,
    /// Poses that it answers otherwise than the first one does.
    pub otherwise: usize,
    /// Checks per second: all poses of all rounds over all the time, and the median chunk's.
    pub per_second: f64,
    pub median_per_second: f64,
    /// Triangles of the gripper and of all objects.
    pub triangles: [usize; 2],
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// Asks all contenders about all poses.
pub fn run(choice: &Choice, origin: &Origin) -> anyhow::Result<Vec<PlannerRow>> {
    let scene = PlannerScene::new(choice.seed)?;
    let poses = scene.poses(choice.poses, choice.seed);
    let mut all = contenders(&scene)?;
    // Caches and buffers are warm before time is taken.
    for contender in &mut all {
        contender.ask(&poses[..poses.len().min(CHUNK)])?;
    }
    let mut times = vec![Vec::new(); all.len()];
    let mut total = vec![0.0; all.len()];
    let mut found = vec![Vec::with_capacity(poses.len()); all.len()];
    for round in 0..choice.rounds {
        for poses in poses.chunks(CHUNK) {
            for (k, contender) in all.iter_mut().enumerate() {
                let started = Instant::now();
                let answers = contender.ask(poses)?;
                let time = started.elapsed().as_secs_f64();
                times[k].push(time / poses.len() as f64);
                total[k] += time;
                if round == 0 {
                    found[k].extend(answers);
                }
            }
        }
    }
    let otherwise = |k: usize| found[0].iter().zip(&found[k]).filter(|(p, q)| p != q).count();
    let row = |k: usize| {
        let [_, median, ..] = summary(&times[k]);
        PlannerRow {
            suite: "planner",
            who: all[k].who(),
            poses: poses.len(),
            touching: found[k].iter().filter(|&&touches| touches).count(),
            otherwise: otherwise(k),
            per_second: (poses.len() * choice.rounds) as f64 / total[k],
            median_per_second: 1.0 / median,
            triangles: scene.triangles(),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    Ok((0..all.len()).map(row).collect())
}

/// The rows for people to read.
pub fn table(rows: &[PlannerRow]) -> String {
    let mut text = String::from(
        "| who | checks per second | median chunk | touching | otherwise |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let share = 100.0 * row.touching as f64 / row.poses.max(1) as f64;
        text += &format!(
            "| {} | {:.0} | {:.0} | {share:.1} % | {} |\n",
            row.who, row.per_second, row.median_per_second, row.otherwise
        );
    }
    if let [first, ..] = rows {
        text += &format!("{} poses; triangles {:?}\n", first.poses, first.triangles);
    }
    text
}
