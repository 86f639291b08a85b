//! Rows of the families, and the cases that are wrong.

use std::fmt::Write;

use serde::Serialize;

use super::Family;
use super::verdict::Verdict;
use crate::contacts::verdict::percentile;

/// Shares of the ratios at which rows give them.
const SHARES: [f64; 4] = [0.01, 0.5, 0.99, 1.0];

/// The result of one variant of a family.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub family: String,
    pub variant: String,
    pub asked: usize,
    pub wrong: usize,
    /// Kinds of faults and how many cases have each. Remarks end with `?` and do not count.
    pub kinds: Vec<(String, usize)>,
    /// Depth over the length that the oracle knows, at 1, 50, 99 and 100 %.
    pub ratios: Option<[f64; 4]>,
}

/// Returns one row for each variant, and a last one for the family if it has several.
pub fn rows(family: &Family, verdicts: &[Verdict]) -> Vec<Row> {
    let of = |k: usize| verdicts.iter().filter(|v| v.variant == k).collect::<Vec<_>>();
    let named = |(k, name): (usize, &&str)| row(family.name, name, &of(k));
    let mut rows: Vec<Row> = family.variants.iter().enumerate().map(named).collect();
    rows.retain(|row| row.asked > 0);
    if rows.len() > 1 {
        rows.push(row(family.name, "all", &verdicts.iter().collect::<Vec<_>>()));
    }
    rows
}

fn row(family: &str, variant: &str, verdicts: &[&Verdict]) -> Row {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for fault in verdicts.iter().flat_map(|v| &v.faults) {
        let name = format!("{}{}", fault.kind, if fault.counts { "" } else { "?" });
        match kinds.iter_mut().find(|(kind, _)| *kind == name) {
            Some((_, number)) => *number += 1,
            None => kinds.push((name, 1)),
        }
    }
    kinds.sort();
    let mut ratios: Vec<f64> = verdicts.iter().filter_map(|v| v.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    Row {
        family: family.to_owned(),
        variant: variant.to_owned(),
        asked: verdicts.len(),
        wrong: verdicts.iter().filter(|v| v.is_wrong()).count(),
        kinds,
        ratios: (!ratios.is_empty()).then(|| SHARES.map(|share| percentile(&ratios, share))),
    }
}

/// Returns the rows as lines of a table.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let share = 100.0 * row.wrong as f64 / row.asked.max(1) as f64;
        let kinds: Vec<String> = row.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
        let ratios = row.ratios.map_or_else(String::new, |ratios| {
            format!("depth ratio {}", ratios.map(|r| format!("{r:.4}")).join(" / "))
        });
        let _ = writeln!(
            text,
            "{:10} {:16} asked {:5}  wrong {:5}  {share:6.2} %  {:34} {ratios}",
            row.family,
            row.variant,
            row.asked,
            row.wrong,
            kinds.join(", "),
        );
    }
    text
}

/// Returns the first wrong cases of a family, at most `most` of each variant.
pub fn wrong_cases(family: &Family, verdicts: &[Verdict], most: usize) -> String {
    let mut text = String::new();
    for (k, name) in family.variants.iter().enumerate() {
        let wrong = verdicts.iter().filter(|v| v.variant == k && v.is_wrong());
        for verdict in wrong.take(most) {
            let [x, y, z] = verdict.normal.into();
            let _ = writeln!(
                text,
                "  {} {name} case {}: depth {:.6}, normal [{x:.4}, {y:.4}, {z:.4}]",
                family.name, verdict.index, verdict.depth
            );
            for fault in &verdict.faults {
                let _ = writeln!(text, "    {}: {}", fault.kind, fault.reason);
            }
        }
    }
    text
}
