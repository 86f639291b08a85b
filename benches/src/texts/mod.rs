//! The texts suite: the workloads that papers print times of, at their sizes, and ours beside theirs.
//!
//! One file for each text. A text gives rows; the table holds them against what the text prints.

mod classics;
mod cloud;
mod device;
mod fly_through;
mod heidelberger;
pub(crate) mod scene;
mod watch;

use std::fmt::Write;

use serde::Serialize;

use crate::row::{self, Origin};

/// What to run.
pub struct Choice<'a> {
    /// Only workloads whose name holds this.
    pub scene: Option<&'a str>,
    /// Only contenders whose name holds one of these.
    pub who: &'a [String],
    pub threads: usize,
    pub rounds: usize,
    /// Frames of a workload are thinned out to about this many; 0 for all.
    pub frames: usize,
    /// Random placements of each classic test.
    pub placements: usize,
    /// What is said in every row.
    pub note: &'a str,
}

/// Random placements of each classic test, where no other number is asked for.
pub const PLACEMENTS: usize = 1000;

impl Choice<'_> {
    pub fn takes(&self, scene: &str) -> bool {
        self.scene.is_none_or(|wanted| scene.contains(wanted))
    }

    pub fn has(&self, who: &str) -> bool {
        self.who.is_empty() || self.who.iter().any(|w| who.contains(w.trim()))
    }
}

/// One contender in one workload.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TextRow {
    pub suite: &'static str,
    /// Whose text.
    pub text: &'static str,
    pub scene: String,
    pub who: String,
    pub threads: usize,
    pub frames: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    /// Means of the frames with and without a collision, where the workload has both.
    pub with_us: Option<f64>,
    pub without_us: Option<f64>,
    /// What the text prints for this contender's method (µs), and on what.
    pub printed_us: Option<f64>,
    pub printed_on: &'static str,
    /// Frames, points or pixels that were hit.
    pub hits: u64,
    /// Frames in which the exact answer is no and this one yes, and the other way round.
    pub false_hits: Option<usize>,
    pub missed_hits: Option<usize>,
    /// The same of a thousand questions.
    pub false_per_1000: Option<f64>,
    pub missed_per_1000: Option<f64>,
    /// The least and the greatest time of a frame.
    pub min_us: Option<f64>,
    pub max_us: Option<f64>,
    /// Of sets of bodies: how many are in it, its passes, pairs of boxes, those left of them, and those that touch.
    pub set_size: Option<usize>,
    pub passes: Option<u32>,
    pub box_pairs: Option<usize>,
    pub kept_pairs: Option<usize>,
    pub touching_pairs: Option<usize>,
    /// The device; empty on the CPU.
    pub adapter: String,
    /// Whether the CPU emulates it: then only the answers count.
    pub software: bool,
    pub hash: String,
    /// What else is to be known about the run.
    pub note: String,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

impl TextRow {
    /// A row of times (µs), one for each frame.
    pub fn new(text: &'static str, scene: &str, who: &str, choice: &Choice<'_>, times: &[f64]) -> TextRow {
        let [mean_us, median_us, p99_us, _] = row::summary(times);
        TextRow {
            suite: "texts",
            text,
            scene: scene.to_owned(),
            who: who.to_owned(),
            threads: choice.threads,
            frames: times.len(),
            mean_us,
            median_us,
            p99_us,
            ..TextRow::default()
        }
    }
}

/// Runs the workloads, each row told to `out` as soon as it is known.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut dyn FnMut(&TextRow),
) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = Vec::new();
    let mut keep = |new: Vec<TextRow>| {
        for mut row in new {
            (row.commit, row.machine) = (origin.commit.clone(), origin.machine.clone());
            (row.date, row.note) = (origin.date, choice.note.to_owned());
            out(&row);
            rows.push(row);
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let workloads = [fly_through::run, scene::run, cloud::run, heidelberger::run, classics::run];
    for workload in workloads {
        keep(pool.install(|| workload(choice))?);
    }
    Ok(rows)
}

/// One line.
pub fn print(row: &TextRow) {
    println!(
        "{:10} {:24} {:26} {} thread(s)  mean {:10.2}  median {:10.2}  p99 {:10.2} us over {} frames  {:>8} hits  {}{}",
        row.text,
        row.scene,
        row.who,
        row.threads,
        row.mean_us,
        row.median_us,
        row.p99_us,
        row.frames,
        row.hits,
        row.adapter,
        if row.software { " (software)" } else { "" },
    );
}

/// A Markdown table: the text's own time, ours, and how many times faster that is.
pub fn table(rows: &[TextRow]) -> String {
    let mut text = String::from(
        "\n| text, workload | contender | printed | here, mean | with hit | without | printed / here | false | missed | of 1,000 | min | max | pairs of boxes → kept → touching |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let micros = |t: Option<f64>| t.map_or_else(|| "–".to_owned(), |t| format!("{t:.1} µs"));
    let count = |n: Option<usize>| n.map_or_else(|| "–".to_owned(), |n| n.to_string());
    let of_thousand = |row: &TextRow| match (row.false_per_1000, row.missed_per_1000) {
        (Some(falsely), Some(missed)) => format!("{falsely:.1} + {missed:.1}"),
        _ => "–".to_owned(),
    };
    let pairs = |row: &TextRow| match (row.box_pairs, row.kept_pairs, row.touching_pairs) {
        (Some(boxes), Some(kept), Some(touching)) => format!("{boxes} → {kept} → {touching}"),
        _ => "–".to_owned(),
    };
    for row in rows {
        let device = match (row.adapter.as_str(), row.software) {
            ("", _) => String::new(),
            (name, true) => format!(" on {name}, software"),
            (name, false) => format!(" on {name}"),
        };
        let printed =
            row.printed_us.map_or_else(|| "–".to_owned(), |t| format!("{t:.0} µs ({})", row.printed_on));
        let faster = row.printed_us.map_or_else(|| "–".to_owned(), |t| format!("{:.1} ×", t / row.mean_us));
        let _ = writeln!(
            text,
            "| {}, {} | {}{device} | {printed} | {} | {} | {} | {faster} | {} | {} | {} | {} | {} | {} |",
            row.text,
            row.scene,
            row.who,
            micros(Some(row.mean_us)),
            micros(row.with_us),
            micros(row.without_us),
            count(row.false_hits),
            count(row.missed_hits),
            of_thousand(row),
            micros(row.min_us),
            micros(row.max_us),
            pairs(row),
        );
    }
    text
}
