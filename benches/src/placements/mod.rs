//! The placement suite: thousands of random placements of closed meshes, and what is said about each against
//! the truth. Meshes are the generated ones and those of a folder; nothing is tuned to any of them.

mod measure;
mod place;
mod pool;
mod table;

use std::path::Path;

use rayon::prelude::*;

pub use measure::Measured;
pub use table::table;

/// What to run.
pub struct Choice<'a> {
    pub count: usize,
    pub seed: u64,
    /// A folder of further meshes.
    pub folder: Option<&'a Path>,
    /// Rings and knots in each other, in place of these.
    pub linked: bool,
    pub threads: usize,
}

/// Makes a placement of a pool, of a seed and a number.
type Place = fn(&[pool::Named], u64, usize) -> anyhow::Result<place::Placement>;

/// Runs the placements and hands each to `out`, in their order.
pub fn run(choice: &Choice<'_>, out: &mut impl FnMut(&Measured)) -> anyhow::Result<Vec<Measured>> {
    let (pool, place): (_, Place) = match choice.linked {
        true => (pool::rings()?, place::linked),
        false => (pool::meshes(choice.folder)?, place::placement),
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let mut all = Vec::with_capacity(choice.count);
    for first in (0..choice.count).step_by(16) {
        let numbers: Vec<usize> = (first..(first + 16).min(choice.count)).collect();
        let some: Vec<anyhow::Result<Measured>> = threads.install(|| {
            let one = |&number: &usize| measure::measure(&place(&pool, choice.seed, number)?);
            numbers.par_iter().map(one).collect()
        });
        for measured in some {
            let measured = measured?;
            out(&measured);
            all.push(measured);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
