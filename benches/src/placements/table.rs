//! Percentiles, histograms and the worst cases.

use std::fmt::Write;

use super::measure::{EXACT_ROUNDING, Measured};
use super::pool::RADIUS;
use crate::contacts::verdict::percentile;

/// How many of the worst cases are named.
const NAMED: usize = 30;

/// The report of all placements of a seed.
pub fn table(all: &[Measured], seed: u64) -> String {
    let mut text = String::new();
    let count = all.len().max(1) as f64;
    let said: Vec<&Measured> = all.iter().filter(|m| m.depth.is_some()).collect();
    let _ = writeln!(
        text,
        "{} placements of seed {seed}, {} without a manifold",
        all.len(),
        all.len() - said.len()
    );
    let share = |is: &dyn Fn(&Measured) -> bool| {
        let number = all.iter().filter(|m| is(m)).count();
        format!("{number} ({:.2} %)", 100.0 * number as f64 / count)
    };
    for limit in [0.01, 0.1, 0.5] {
        let over = share(&|m| m.left.is_some_and(|left| left > limit));
        let _ = writeln!(text, "overlap volume left, over {:.0} %: {over}", 100.0 * limit);
    }
    let measured = share(&|m| m.left.is_none());
    let _ = writeln!(text, "too little overlap for the lattice, or no manifold: {measured}");
    spread(&mut text, "depth ÷ least translation", said.iter().filter_map(|m| Some(m.depth? / m.least)));
    let _ = writeln!(text, "free at 1.001 of the depth: {}", share(&|m| m.frees));
    let _ = writeln!(text, "backward, more left after the depth: {}", share(&|m| m.backward));
    let _ = writeln!(text, "overlap grows over the first tenth of the depth: {}", share(&|m| m.grows));
    spread(&mut text, "relative error of the contacts' volume", all.iter().filter_map(|m| m.volume_error));
    spread(
        &mut text,
        "relative error of the volume asked for",
        all.iter().filter_map(|m| m.asked_volume_error),
    );
    let mut bounded: Vec<(f64, f64)> = all.iter().filter_map(|m| m.volume_off.zip(m.volume_bound)).collect();
    bounded.retain(|(_, bound)| bound.is_finite());
    let rounding = EXACT_ROUNDING * RADIUS.powi(3);
    let holding = bounded.iter().filter(|(off, bound)| *off <= bound + rounding).count();
    let _ = writeln!(
        text,
        "bound of the volume asked for holds: {holding} of {} summed up exactly",
        bounded.len()
    );
    let unbounded = share(&|m| m.volume_bound.is_some_and(f64::is_infinite));
    let _ = writeln!(text, "volume asked for without a bound: {unbounded}");
    let relative = |m: &Measured| Some(m.volume_bound? / m.exact_volume.filter(|volume| *volume > 0.0)?);
    let mut bounds: Vec<f64> = all.iter().filter_map(relative).collect();
    bounds.sort_by(f64::total_cmp);
    let [middle, most] = [0.5, 1.0].map(|share| percentile(&bounds, share));
    let _ = writeln!(text, "bound of the volume asked for, relative (50 %, most): {middle:.1e} {most:.1e}");
    spread(&mut text, "two lattices' volumes apart", all.iter().map(|m| m.volume_spread));
    let mut worst: Vec<&Measured> = all
        .iter()
        .filter(|m| m.depth.is_none() || m.left.is_some_and(|left| left > 0.5) || m.backward)
        .collect();
    worst.sort_by(|p, q| {
        q.left.unwrap_or(2.0).total_cmp(&p.left.unwrap_or(2.0)).then(p.number.cmp(&q.number))
    });
    let _ = writeln!(text, "over 50 % left, backward or without a manifold: {}", worst.len());
    for m in worst.iter().take(NAMED) {
        let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.4}"));
        let _ = writeln!(
            text,
            "  placement {:5} {} {}: depth {} of {:.5} m, left {}, {}{}",
            m.number,
            m.names[0],
            m.names[1],
            number(m.depth),
            m.least,
            number(m.left),
            if m.frees { "frees" } else { "does not free" },
            if m.backward { ", backward" } else { "" },
        );
    }
    text
}

fn spread(text: &mut String, what: &str, values: impl Iterator<Item = f64>) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = [0.01, 0.05, 0.5, 0.95, 0.99].map(|share| format!("{:.4}", percentile(&values, share)));
    let _ = writeln!(text, "{what} (1, 5, 50, 95, 99 %): {}", at.join(" "));
}
