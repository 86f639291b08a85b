//! How long a card takes for a step that was counted.

use impinge::gpu_narrow::operations::{Operations, PassOperations, WARP};

use super::cards::*;
use crate::gpu::counted::CountedStep;

/// What a pass has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Issue,
    Memory,
    Latency,
    Dispatch,
}

impl Bound {
    pub fn name(self) -> &'static str {
        match self {
            Bound::Issue => "arithmetic",
            Bound::Memory => "memory",
            Bound::Latency => "latency",
            Bound::Dispatch => "dispatch",
        }
    }
}

/// Time of a pass (s), and the bound that sets it.
pub fn pass_time(card: &Card, pass: &PassOperations, scale: f64) -> (f64, Bound) {
    if pass.dispatches == 0 {
        return (0.0, Bound::Dispatch);
    }
    let groups = pass.groups as f64 * scale;
    let issue = scale * issue_cycles(card, &pass.issued) / (card.units * card.clock);
    let memory = scale * (pass.all.loaded + pass.all.stored + 4 * pass.all.atomics) as f64 / card.memory;
    let resident = (card.threads / pass.threads as f64).min(card.shared_bytes / GROUP_BYTES).floor().max(1.0);
    let waves = (groups / (card.units * resident)).ceil();
    let latency = waves * latency_cycles(&pass.longest) / pass.groups as f64 / card.clock;
    let dispatch = DISPATCH * pass.dispatches as f64;
    let bounds = [
        (issue, Bound::Issue),
        (memory, Bound::Memory),
        (latency, Bound::Latency),
        (dispatch, Bound::Dispatch),
    ];
    let (_, bound) = bounds.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are four");
    (issue.max(memory).max(latency) + dispatch, bound)
}

/// Cycles of a unit for what is issued.
fn issue_cycles(card: &Card, issued: &Operations) -> f64 {
    let warp = f64::from(WARP);
    let arithmetic = issued.float as f64 / card.float
        + issued.integer as f64 / card.integer
        + issued.multiply as f64 / card.multiply
        + (issued.convert as f64 + SPECIAL_STEPS * issued.special as f64) / card.convert;
    let moved = (issued.shared + issued.local) as f64 / card.shared;
    // Atomics of a workgroup on one word follow each other.
    let atomics = (issued.shared_atomics + issued.atomics) as f64;
    warp * (arithmetic + moved + atomics / warp)
}

/// Cycles of one warp alone, each instruction waiting for the one before.
fn latency_cycles(longest: &Operations) -> f64 {
    ARITHMETIC_LATENCY * (longest.arithmetic() as f64 + (SPECIAL_STEPS - 1.0) * longest.special as f64)
        + MEMORY_LATENCY * (longest.accesses + longest.atomics) as f64
        + SHARED_LATENCY * ((longest.shared + longest.local) as f64 / 4.0 + longest.shared_atomics as f64)
        + BARRIER * longest.barriers as f64
        + BRANCH * longest.branches as f64
}

/// Time of the device for a step of so many pairs like those counted, submission and copies included (s).
pub fn step_time(card: &Card, step: &CountedStep, pairs: f64) -> f64 {
    let scale = pairs / step.pairs as f64;
    let passes: f64 = step.passes.iter().map(|pass| pass_time(card, pass, scale).0).sum();
    let bytes = scale * (step.bytes_up + step.bytes_down) as f64;
    passes + bytes / (LINK_SHARE * card.link) + card.submission * step.submissions as f64
}

/// The least number of pairs from which on a step with the device is shorter than one on `cores` of the CPU, of up to a million; a
/// pair costs `cpu` (s) on one core without the device and `host` with it.
pub fn crossing(card: &Card, step: &CountedStep, cpu: f64, host: f64, cores: f64) -> Option<f64> {
    let mut pairs: f64 = 1.0;
    while pairs <= 1e6 {
        if step_time(card, step, pairs) + pairs * host / cores < pairs * cpu / cores {
            return Some(pairs);
        }
        pairs = (pairs * 1.1).ceil();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::prelude::Parity;

    /// 1,000 workgroups of eight warps each with nothing but sums.
    fn sums(per_lane: u64) -> PassOperations {
        let of = |count| Operations { integer: count, ..Operations::default() };
        PassOperations {
            pass: "sums",
            groups: 1000,
            threads: 256,
            dispatches: 1,
            all: of(1000 * 256 * per_lane),
            issued: of(1000 * 8 * per_lane),
            longest: of(1000 * per_lane),
        }
    }

    #[test]
    fn a_full_device_is_bound_by_its_rate_and_an_empty_one_by_latency() {
        let card = &CARDS[0];
        let (time, bound) = pass_time(card, &sums(100_000), 1000.0);
        // 256e11 sums of lanes, at 46 × 64 × 2.475e9 a second.
        let wanted = 2.56e13 / (46.0 * 64.0 * 2.475e9) + DISPATCH;
        assert!(bound == Bound::Issue && (time / wanted - 1.0).abs() < 1e-9, "{time} {wanted} {bound:?}");
        let (time, bound) = pass_time(card, &sums(100_000), 0.001);
        let wanted = 4.5 * 1e5 / 2.475e9 + DISPATCH;
        assert!(bound == Bound::Latency && (time / wanted - 1.0).abs() < 1e-9, "{time} {wanted} {bound:?}");
    }

    #[test]
    fn a_device_pays_from_the_number_of_pairs_on_at_which_the_times_meet() {
        let step = CountedStep {
            parity: Parity::Meaning,
            passes: Vec::new(),
            pairs: 10,
            bytes_up: 0,
            bytes_down: 0,
            submissions: 1,
        };
        // 50 us of a submission; 10 us a pair saved on one core: six pairs.
        assert_eq!(crossing(&CARDS[0], &step, 11e-6, 1e-6, 1.0), Some(6.0));
        assert_eq!(crossing(&CARDS[0], &step, 1e-6, 1e-6, 1.0), None);
    }
}
