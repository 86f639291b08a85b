//! The table of truth: what each world gets right, scene by scene.

use std::fmt::Write;

use super::scene::scenes;
use super::{Answers, ParityRow, WHO};
use crate::contacts::verdict::percentile;

/// A Markdown table of percentiles 5, 50 and 95.
pub fn truth(answers: &Answers) -> String {
    let mut text = String::from(
        "| scene | pairs | who | touching right | manifolds | depth ÷ true | separation ÷ least | volume ÷ true | backward points |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for scene in scenes() {
        for (who, ..) in WHO {
            let of: Vec<&ParityRow> =
                answers.rows.iter().filter(|row| row.scene == scene && row.who == who).collect();
            if of.is_empty() {
                continue;
            }
            let spread = |value: &dyn Fn(&ParityRow) -> Option<f64>| {
                let mut values: Vec<f64> = of.iter().filter_map(|row| value(row)).collect();
                values.sort_by(f64::total_cmp);
                if values.is_empty() {
                    return "–".to_owned();
                }
                [0.05, 0.5, 0.95].map(|share| format!("{:.3}", percentile(&values, share))).join(" / ")
            };
            let right = of.iter().filter(|row| row.touches == row.touching).count();
            let _ = writeln!(
                text,
                "| `{scene}` | {} | {who} | {right} | {} | {} | {} | {} | {} |",
                of.len(),
                of.iter().map(|row| row.manifolds).sum::<usize>(),
                spread(&|row| row.depth_ratio),
                spread(&|row| row.separation_ratio),
                spread(&|row| row.volume_ratio),
                of.iter().map(|row| row.backward).sum::<usize>(),
            );
        }
    }
    text
}

/// In what the two worlds differ.
pub fn differences(answers: &Answers) -> String {
    let pairs: Vec<[&ParityRow; 2]> = answers.rows.chunks(2).map(|rows| [&rows[0], &rows[1]]).collect();
    let same = |is_same: &dyn Fn(&ParityRow, &ParityRow) -> bool| {
        pairs.iter().filter(|[cpu, gpu]| is_same(cpu, gpu)).count()
    };
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 0.01 * a.abs() + 1e-4,
        (a, b) => a.is_none() == b.is_none(),
    };
    format!(
        "Of {} pairs {} have the CPU's answer to touching, {} its number of manifolds, {} its depth within 1 %, {} its volume within 1 %. {} of {} touching pairs needed no view on the CPU.",
        pairs.len(),
        same(&|a, b| a.touching == b.touching),
        same(&|a, b| a.manifolds == b.manifolds),
        same(&|a, b| near(a.depth_ratio, b.depth_ratio)),
        same(&|a, b| near(a.volume_ratio, b.volume_ratio)),
        answers.made,
        answers.asked,
    )
}
