//! Families of mesh pairs, each judged by an oracle that shares no code with the contact core.
//!
//! A family takes a seed, an index and a resolution, and builds one pair from them. Its verdict
//! lists the faults of the answer that the public query gives. An index always gives the same case.

mod bodies;
mod buffers;
mod case;
mod clearance;
mod edges;
mod exchange;
mod ground;
mod hull;
mod plates;
mod pool;
mod resolution;
mod rings;
mod rods;
mod solid;
mod spikes;
mod stacks;
mod table;
mod threads;
mod tips;
mod translation;
mod verdict;

use std::panic::{AssertUnwindSafe, catch_unwind};

use impinge::QuerySettings;
use impinge_scenes::random::Random;
use rayon::prelude::*;

pub use table::{rows, table, wrong_cases};
use verdict::Verdict;

/// The part of the suite that runs.
pub struct Choice<'a> {
    /// Only the families whose names begin with this.
    pub only: Option<&'a str>,
    /// Cases of each family.
    pub count: usize,
    pub seed: u64,
    /// Columns per side of a view.
    pub resolution: u32,
    /// Only the case with this index.
    pub case: Option<usize>,
    pub threads: usize,
}

/// A family of pairs.
pub struct Family {
    pub name: &'static str,
    /// Names of its variants. Case `i` belongs to variant `i` modulo their number.
    pub variants: &'static [&'static str],
    judge: fn(&mut Task) -> anyhow::Result<Verdict>,
}

/// One case of a family.
pub struct Task {
    pub seed: u64,
    pub index: usize,
    pub variant: usize,
    pub settings: QuerySettings,
    pub random: Random,
}

impl Task {
    fn new(choice: &Choice<'_>, family: &Family, index: usize) -> Task {
        Task {
            seed: choice.seed,
            index,
            variant: index % family.variants.len(),
            settings: QuerySettings::default().resolution(choice.resolution),
            random: stream(choice.seed, index),
        }
    }
}

/// All families, in the order of their rows.
const FAMILIES: [Family; 11] = [
    Family { name: "plates", variants: &plates::VARIANTS, judge: plates::judge },
    Family { name: "rods", variants: &rods::VARIANTS, judge: rods::judge },
    Family { name: "spikes", variants: &spikes::VARIANTS, judge: spikes::judge },
    Family { name: "tips", variants: &tips::VARIANTS, judge: tips::judge },
    Family { name: "edges", variants: &edges::VARIANTS, judge: edges::judge },
    Family { name: "stacks", variants: &stacks::VARIANTS, judge: stacks::judge },
    Family { name: "rings", variants: &rings::VARIANTS, judge: rings::judge },
    Family { name: "threads", variants: &threads::VARIANTS, judge: threads::judge },
    Family { name: "resolution", variants: &["random"], judge: resolution::judge },
    Family { name: "exchange", variants: &["random"], judge: exchange::judge },
    Family { name: "buffers", variants: &["random"], judge: buffers::judge },
];

/// Runs the chosen families and hands the verdicts of each to `out`.
///
/// # Errors
/// Fails for a name that no family has, for settings out of range, and for a pair that cannot be
/// built.
pub fn run(choice: &Choice<'_>, out: &mut impl FnMut(&Family, &[Verdict])) -> anyhow::Result<()> {
    let is_chosen = |family: &Family| choice.only.is_none_or(|only| family.name.starts_with(only));
    if !FAMILIES.iter().any(is_chosen) {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        anyhow::bail!("no such family; there are {}", names.join(", "));
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    for family in FAMILIES.iter().filter(|family| is_chosen(family)) {
        let indices = choice.case.map_or(0..choice.count, |case| case..case + 1);
        let verdicts: Vec<Verdict> = threads.install(|| {
            let judge = |index| judged(choice, family, index);
            indices.into_par_iter().map(judge).collect::<anyhow::Result<_>>()
        })?;
        out(family, &verdicts);
    }
    Ok(())
}

/// Returns the verdict on one case. A panic counts as a fault.
fn judged(choice: &Choice<'_>, family: &Family, index: usize) -> anyhow::Result<Verdict> {
    let mut task = Task::new(choice, family, index);
    let judge = AssertUnwindSafe(|| (family.judge)(&mut task));
    let mut verdict = match catch_unwind(judge) {
        Ok(verdict) => verdict.map_err(|error| error.context(format!("{} {index}", family.name)))?,
        Err(_) => Verdict::default().with("panic", "the query panicked".to_owned()),
    };
    (verdict.index, verdict.variant) = (index, index % family.variants.len());
    Ok(verdict)
}

/// Returns the random numbers of a case.
fn stream(seed: u64, index: usize) -> Random {
    let first = seed.wrapping_mul(0x9e37_79b9).wrapping_add(index as u64);
    let mut random = Random::new(first ^ 0xfa31);
    // Neighbouring seeds share most bits. A second stream from drawn bits separates them.
    Random::new(random.bits() ^ random.bits().rotate_left(17))
}

/// Returns a number between two, every logarithm as likely.
fn log_between(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.unit())
}

/// Returns a number between two, every one as likely.
fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

#[cfg(test)]
mod tests;
