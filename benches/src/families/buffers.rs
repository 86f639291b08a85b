//! Shared buffers: an answer may not depend on what the buffers were used for before.

use impinge::query::QueryScratch;

use super::verdict::Verdict;
use super::{Task, pool, stream};

/// Pairs that the buffers are used for before.
const BEFORE: usize = 6;

/// Judges a pair with fresh buffers and with used ones.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let mut used = QueryScratch::default();
    for k in 0..BEFORE {
        let random = stream(task.seed ^ 0xb0f, BEFORE * task.index + k);
        let case = pool::pair(&mut Task { random, ..*task })?;
        let [a, b] = case.poses();
        case.query().at_with(a, b, &mut used)?;
    }
    let case = pool::pair(task)?;
    let [a, b] = case.poses();
    let fresh = case.query().at(a, b)?;
    let again = case.query().at_with(a, b, &mut used)?;
    let twice = case.query().at_with(a, b, &mut used)?;
    let contacts = case.contacts(&mut used)?;
    let deepest = contacts.first();
    let verdict = Verdict {
        depth: deepest.map_or(0.0, |c| c.depth),
        normal: deepest.map(|c| c.normal).unwrap_or_default(),
        ..Verdict::default()
    };
    Ok(verdict.check(fresh != again, "used", || "used buffers give another answer".to_owned()).check(
        again != twice,
        "twice",
        || "the second answer differs from the first".to_owned(),
    ))
}
