//! The model's tables, as docs/GPU_MODEL.md has them.

use std::fmt::Write;

use impinge::gpu_narrow::operations::PassOperations;
use impinge::prelude::Parity;

use super::ModelledStep;
use super::cards::CARDS;
use super::estimate::{crossing, pass_time, step_time};
use crate::gpu::counted::CountedStep;

/// All tables of one parity.
pub fn all(modelled: &ModelledStep) -> String {
    let mut out = format!(
        "## `Parity::{}`, {} pairs\n\n",
        match modelled.parity {
            Parity::Bits => "Bits",
            Parity::Meaning => "Meaning",
        },
        modelled.step.pairs
    );
    counts(&modelled.step, &mut out);
    times(modelled, &mut out);
    crossings(modelled, &mut out);
    out
}

/// What was counted of other pairs.
pub fn counted(title: &str, step: &CountedStep) -> String {
    let mut out = format!("## {title}, {} pairs\n\n", step.pairs);
    counts(step, &mut out);
    out
}

fn passes(step: &CountedStep) -> impl Iterator<Item = &PassOperations> {
    step.passes.iter().filter(|pass| pass.dispatches > 0)
}

fn counts(step: &CountedStep, out: &mut String) {
    let pairs = step.pairs as f64;
    out.push_str(
        "| for a pair | workgroups × threads | operations | `f32` | whole | products | conversions | quotients, roots | loaded (B) | stored (B) | workgroup memory (B) | atomics | … in workgroups | barriers of a workgroup | lanes at work |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for pass in passes(step) {
        let all = &pass.all;
        let per = |count: u64| grouped(count as f64 / pairs);
        let _ = writeln!(
            out,
            "| {} | {:.2} × {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {:.0} % |",
            pass.pass,
            pass.groups as f64 / pairs,
            pass.threads,
            per(all.arithmetic()),
            per(all.float),
            per(all.integer),
            per(all.multiply),
            per(all.convert),
            per(all.special),
            per(all.loaded + all.uniform),
            per(all.stored),
            per(all.shared),
            per(all.atomics),
            per(all.shared_atomics),
            pass.longest.barriers as f64 / pass.groups as f64,
            100.0 * pass.utilisation(),
        );
    }
    let sum = |of: fn(&PassOperations) -> u64| passes(step).map(of).sum::<u64>() as f64 / pairs;
    let _ = writeln!(
        out,
        "\nAll passes: {} operations, {} B loaded, {} B stored a pair; {:.0} B up and {:.0} B down, {} submission(s).\n",
        grouped(sum(|pass| pass.all.arithmetic())),
        grouped(sum(|pass| pass.all.loaded + pass.all.uniform)),
        grouped(sum(|pass| pass.all.stored)),
        step.bytes_up as f64 / pairs,
        step.bytes_down as f64 / pairs,
        step.submissions
    );
}

fn times(modelled: &ModelledStep, out: &mut String) {
    for pairs in [100.0, 10_000.0] {
        let _ = write!(out, "| µs of a step of {pairs:.0} pairs |");
        CARDS.iter().for_each(|card| {
            let _ = write!(out, " {} |", card.name);
        });
        out.push_str("\n|---|---|---|---|\n");
        let scale = pairs / modelled.step.pairs as f64;
        for pass in passes(&modelled.step) {
            let _ = write!(out, "| {} |", pass.pass);
            for card in &CARDS {
                let (time, bound) = pass_time(card, pass, scale);
                let _ = write!(out, " {:.0} ({}) |", time * 1e6, bound.name());
            }
            out.push('\n');
        }
        out.push_str("| all, with submission and copies |");
        for card in &CARDS {
            let _ = write!(out, " **{:.0}** |", step_time(card, &modelled.step, pairs) * 1e6);
        }
        out.push_str("\n\n");
    }
}

fn crossings(modelled: &ModelledStep, out: &mut String) {
    let _ = writeln!(
        out,
        "A pair takes {:.0} µs of a core without the device, {:.0} µs with it (midphase to manifolds).\n",
        modelled.cpu * 1e6,
        modelled.host * 1e6
    );
    out.push_str("| pairs from which on the device pays | 2 cores | 16 cores |\n|---|---|---|\n");
    for card in &CARDS {
        let _ = write!(out, "| {} |", card.name);
        for cores in [2.0, 16.0] {
            let _ = match crossing(card, &modelled.step, modelled.cpu, modelled.host, cores) {
                Some(pairs) => write!(out, " {} |", grouped(pairs)),
                None => write!(out, " never |"),
            };
        }
        out.push('\n');
    }
    out.push('\n');
}

/// A number with commas between its thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        assert_eq!([0.4, 12.0, 999.6, 1_234_567.0].map(grouped), ["0", "12", "1,000", "1,234,567"]);
    }
}
