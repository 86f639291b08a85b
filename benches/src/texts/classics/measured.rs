//! Times and errors of one test.

use std::time::Instant;

use super::super::{Choice, TextRow};
use crate::row::hash;

/// Answers of a test beside the exact ones.
#[derive(Default)]
pub struct Measured {
    times: Vec<f64>,
    answers: Vec<bool>,
    /// Questions asked: one for each answer of the exact test.
    asked: usize,
    falsely: usize,
    missed: usize,
}

impl Measured {
    /// Times a question; the answer is compared by [`Measured::compare`].
    pub fn time<T>(&mut self, ask: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let answer = ask();
        self.times.push(started.elapsed().as_secs_f64() * 1e6);
        answer
    }

    /// An answer beside the exact one.
    pub fn compare(&mut self, found: bool, exact: bool) {
        self.asked += 1;
        self.answers.push(found);
        self.falsely += usize::from(found && !exact);
        self.missed += usize::from(exact && !found);
    }

    /// Its row.
    pub fn row(&self, text: &'static str, scene: &str, who: &str, choice: &Choice<'_>) -> TextRow {
        let of_thousand = |count: usize| Some(1000.0 * count as f64 / self.asked.max(1) as f64);
        let least = self.times.iter().copied().fold(f64::INFINITY, f64::min);
        TextRow {
            hits: self.answers.iter().filter(|hit| **hit).count() as u64,
            false_hits: Some(self.falsely),
            missed_hits: Some(self.missed),
            false_per_1000: of_thousand(self.falsely),
            missed_per_1000: of_thousand(self.missed),
            min_us: Some(least),
            max_us: Some(self.times.iter().copied().fold(0.0, f64::max)),
            hash: hash(self.answers.iter().map(|hit| u32::from(*hit))),
            ..TextRow::new(text, scene, who, choice, &self.times)
        }
    }
}
