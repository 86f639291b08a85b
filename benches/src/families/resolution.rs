//! Random closed pairs at several resolutions: no manifold may depend on the resolution.

use impinge::query::QueryScratch;
use impinge::{Manifold, QuerySettings};

use super::verdict::Verdict;
use super::{Task, pool};

const RESOLUTIONS: [u32; 4] = [8, 16, 32, 64];

/// Judges a pair at every resolution.
///
/// A manifold that differs in anything is wrong. Remarks tell how much differs: the number of
/// manifolds, a normal or a depth, the points, or nothing but names and sums.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let case = pool::pair(task)?;
    let scratch = &mut QueryScratch::default();
    let mut answers = Vec::new();
    for resolution in RESOLUTIONS {
        let case = case.with(QuerySettings::default().resolution(resolution))?;
        let [a, b] = case.poses();
        answers.push(case.query().contacts_with(a, b, scratch)?);
    }
    let contacts = case.contacts(scratch)?;
    let verdict = contacts.first().map_or_else(Verdict::default, Verdict::of);
    let deepest = |answer: &Vec<Manifold>| answer.iter().map(|m| m.depth).fold(0.0, f64::max);
    let depths: Vec<f64> = answers.iter().map(deepest).collect();
    let apart = |k: usize| (depths[k] / depths[0] - 1.0).abs() > 0.01;
    let kind = difference(&answers);
    Ok(verdict
        .check(kind.is_some(), "differs", || format!("depths at 8, 16, 32, 64 (m): {depths:?}"))
        .remark(kind.is_some(), kind.unwrap_or(""), || "the most that differs".to_owned())
        .remark((1..4).any(apart), "depth", || format!("depths (m): {depths:?}")))
}

/// Returns the most that differs between answers, if anything does.
fn difference(answers: &[Vec<Manifold>]) -> Option<&'static str> {
    let differ = |key: &dyn Fn(&Manifold) -> Vec<f64>| {
        let keys = |answer: &Vec<Manifold>| answer.iter().map(key).collect::<Vec<_>>();
        answers.iter().any(|answer| keys(answer) != keys(&answers[0]))
    };
    let points = |m: &Manifold| -> Vec<f64> {
        let all = m.points.iter();
        all.flat_map(|p| [p.position.x, p.position.y, p.position.z, p.depth]).collect()
    };
    if answers.iter().any(|answer| answer.len() != answers[0].len()) {
        Some("number")
    } else if differ(&|m| vec![m.normal.x, m.normal.y, m.normal.z, m.depth]) {
        Some("normal")
    } else if differ(&points) {
        Some("points")
    } else if answers.iter().any(|answer| *answer != answers[0]) {
        Some("names or sums")
    } else {
        None
    }
}
