//! Random closed pairs at several resolutions: no manifold may depend on the resolution.

use impinge::QuerySettings;

use super::verdict::Verdict;
use super::{Task, pool};

const RESOLUTIONS: [u32; 4] = [8, 16, 32, 64];

/// Judges a pair at every resolution.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let case = pool::pair(task)?;
    let mut answers = Vec::new();
    for resolution in RESOLUTIONS {
        let case = case.with(QuerySettings::default().resolution(resolution))?;
        let [a, b] = case.poses();
        answers.push((case.query().contacts(a, b)?, case.contacts(&mut Default::default())?));
    }
    let depth = |k: usize| answers[k].1.first().map_or(0.0, |c| c.depth);
    let verdict = Verdict {
        depth: depth(2),
        normal: answers[2].1.first().map(|c| c.normal).unwrap_or_default(),
        ..Verdict::default()
    };
    let differs = answers.iter().any(|(manifolds, _)| *manifolds != answers[0].0);
    let depths = (0..4).map(depth);
    let (low, high) = depths.fold((f64::INFINITY, 0f64), |(low, high), d| (low.min(d), high.max(d)));
    let listed = || (0..4).map(|k| format!("{:.6}", depth(k))).collect::<Vec<_>>().join(", ");
    Ok(verdict.check(differs, "differs", || format!("depths at 8, 16, 32, 64: {}", listed())).remark(
        high > 1.01 * low,
        "depth",
        || format!("depths from {low:.6} to {high:.6}"),
    ))
}
