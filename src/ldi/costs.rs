//! The measured cost of each method of capturing on this machine, by the amount of work.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Capture, LdiJob};

/// How often each method is tried before one is chosen: the first time a driver compiles.
const TRIES: u32 = 2;

const METHODS: [Capture; 3] = [Capture::Software, Capture::Peeling, Capture::Unordered];

/// The least time of each method, and how often it was tried, by the size of the work.
#[derive(Debug, Default)]
pub(super) struct Costs {
    of: BTreeMap<u32, [(Duration, u32); METHODS.len()]>,
}

impl Costs {
    /// Binary digits of the triangles and pixels of some jobs: work of one size.
    pub fn work(jobs: &[LdiJob<'_>]) -> u32 {
        let of = |job: &LdiJob<'_>| {
            let [width, height] = job.view.pixels().map(u64::from);
            job.mesh.triangles().len() as u64 + width * height
        };
        jobs.iter().map(of).sum::<u64>().checked_ilog2().unwrap_or(0)
    }

    /// A method that was not tried often enough, else the fastest.
    pub fn choose(&self, work: u32) -> Capture {
        let Some(known) = self.of.get(&work) else { return METHODS[0] };
        let untried = known.iter().position(|(_, tries)| *tries < TRIES);
        let best = (0..METHODS.len()).min_by_key(|&k| known[k].0);
        METHODS[untried.or(best).unwrap_or(0)]
    }

    pub fn learn(&mut self, method: Capture, work: u32, took: Duration) {
        let Some(k) = METHODS.iter().position(|m| *m == method) else { return };
        let (least, tries) = &mut self.of.entry(work).or_insert([(Duration::MAX, 0); METHODS.len()])[k];
        *least = took.min(*least);
        *tries += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_tried_and_then_the_fastest_taken() {
        let mut costs = Costs::default();
        let took = |method| Duration::from_micros(if method == Capture::Peeling { 10 } else { 20 });
        let mut taken = Vec::new();
        for _ in 0..8 {
            let method = costs.choose(12);
            taken.push(method);
            costs.learn(method, 12, took(method));
        }
        for method in METHODS {
            assert!(taken[..6].iter().filter(|m| **m == method).count() == 2, "{taken:?}");
        }
        assert_eq!(taken[6..], [Capture::Peeling; 2]);
        // Of work of another size nothing is known.
        assert_eq!(costs.choose(13), Capture::Software);
    }
}
