//! Questions about motion: rays, casts and sweeps at meshes, beside parry and FCL.
//!
//! All contenders are asked the same questions, chunk by chunk in turn, on one thread and warm; every row is of one scene,
//! query and contender. A query is a file of its own, which gives its scenes.

mod chain;
pub mod queries;
mod ray;
mod sweep;

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

use crate::row::{Origin, summary};

/// Questions that one contender is asked before the next one's turn.
const CHUNK: usize = 100;

/// What to run.
pub struct Choice<'c> {
    pub scene: Option<&'c str>,
    pub who: &'c [String],
    /// How often every question is asked.
    pub rounds: usize,
}

/// The questions of a query in a scene, and those who answer them.
pub struct MotionScene {
    pub name: String,
    pub query: String,
    pub questions: usize,
    /// What is printed in the literature for such a question, by its name in the rows (µs).
    pub printed_us: Vec<(&'static str, f64)>,
    pub contenders: Vec<Box<dyn MotionContender>>,
}

/// Answers questions by their number.
pub trait MotionContender {
    /// The name in the rows.
    fn who(&self) -> &'static str;
    /// The answer: a time, or infinity for none.
    fn ask(&mut self, question: usize) -> f64;
}

/// One contender in a scene.
#[derive(Clone, Debug, Serialize)]
pub struct MotionRow {
    pub suite: &'static str,
    pub scene: String,
    pub query: String,
    pub who: &'static str,
    pub questions: usize,
    /// Those with an answer.
    pub hits: usize,
    /// Times of a question (µs), each the mean of a chunk.
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    /// The median of impinge over this one; over a printed time the mean.
    pub impinge_over: f64,
    /// Answers that differ from impinge's by more than 1e-4 of them.
    pub differ: usize,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// Runs the scenes of every query.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&MotionRow),
) -> anyhow::Result<Vec<MotionRow>> {
    let mut rows = Vec::new();
    for name in ray::NAMES {
        if choice.scene.is_none_or(|scene| scene == name) {
            rows.extend(measure(ray::make(name)?, choice, origin, out));
        }
    }
    for name in sweep::NAMES {
        if choice.scene.is_none_or(|scene| scene == name) {
            for scene in sweep::make(name)? {
                rows.extend(measure(scene, choice, origin, out));
            }
        }
    }
    for name in chain::NAMES {
        if choice.scene.is_none_or(|scene| scene == name) {
            for scene in chain::make(name)? {
                rows.extend(measure(scene, choice, origin, out));
            }
        }
    }
    Ok(rows)
}

/// All contenders in turn.
fn measure(
    mut scene: MotionScene,
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&MotionRow),
) -> Vec<MotionRow> {
    scene.contenders.retain(|c| choice.who.is_empty() || choice.who.iter().any(|who| who == c.who()));
    let count = scene.contenders.len();
    let mut times = vec![Vec::new(); count];
    let mut answers = vec![vec![f64::NAN; scene.questions]; count];
    // The first round warms up.
    for round in 0..=choice.rounds {
        for first in (0..scene.questions).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(scene.questions);
            for (k, contender) in scene.contenders.iter_mut().enumerate() {
                let start = Instant::now();
                for question in chunk.clone() {
                    answers[k][question] = black_box(contender.ask(black_box(question)));
                }
                if round > 0 {
                    times[k].push(start.elapsed().as_secs_f64() * 1e6 / chunk.len() as f64);
                }
            }
        }
    }
    let ours = scene.contenders.iter().position(|c| c.who() == "impinge");
    let median = |k: usize| summary(&times[k])[1];
    let row = |k: usize, who: &'static str| {
        let [mean_us, median_us, p99_us, _] = summary(&times[k]);
        // Two that are infinite are the same, and one that is differs.
        let differs = |(own, other): (&f64, &f64)| {
            let off = (own - other).abs();
            own != other && (off.is_nan() || off > 1e-4 * own.abs().min(other.abs()))
        };
        MotionRow {
            suite: "motion",
            scene: scene.name.clone(),
            query: scene.query.clone(),
            who,
            questions: scene.questions,
            hits: answers[k].iter().filter(|time| time.is_finite()).count(),
            mean_us,
            median_us,
            p99_us,
            impinge_over: ours.map_or(f64::NAN, |ours| median(ours) / median_us),
            differ: ours.map_or(0, |ours| {
                answers[ours].iter().zip(&answers[k]).filter(|&pair| differs(pair)).count()
            }),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    let mut rows: Vec<MotionRow> =
        scene.contenders.iter().enumerate().map(|(k, contender)| row(k, contender.who())).collect();
    // A time printed elsewhere is no contender: nothing is known of its machine.
    let own = ours.map(|ours| rows[ours].clone());
    let printed = scene.printed_us.iter().zip(own.iter().cycle()).map(|(&(who, printed), own)| MotionRow {
        who,
        hits: 0,
        mean_us: printed,
        median_us: printed,
        p99_us: printed,
        impinge_over: own.mean_us / printed,
        differ: 0,
        ..own.clone()
    });
    rows.extend(printed);
    rows.iter().for_each(out);
    rows
}

/// One row in words.
pub fn print(row: &MotionRow) {
    println!(
        "{:16} {:20} {:16} median {:8.3}  mean {:8.3}  p99 {:8.3} us  {:6} of {:6} hit, {:4} differ; impinge takes {:.2} of it",
        row.scene,
        row.query,
        row.who,
        row.median_us,
        row.mean_us,
        row.p99_us,
        row.hits,
        row.questions,
        row.differ,
        row.impinge_over
    );
}
