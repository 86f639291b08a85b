//! Shared buffers: an answer may not depend on what the buffers were used for before.

use impinge::query::QueryScratch;

use super::bodies::block;
use super::verdict::Verdict;
use super::{Task, plates, pool, spikes, stream};

/// Pairs that the buffers are used for before.
const BEFORE: usize = 6;

/// Judges a pair with fresh buffers and with used ones.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let mut used = QueryScratch::default();
    for k in 0..BEFORE {
        let random = stream(task.seed ^ 0xb0f, BEFORE * task.index + k);
        let mut other = Task { random, variant: k % 5, ..*task };
        let case = match k % 3 {
            0 => pool::pair(&mut other)?,
            1 => spikes::sunk(&mut other)?.case,
            _ => {
                let plate = block([1.0, 0.5, 0.01]);
                plates::standing(&plate, &mut other)?
            }
        };
        let [a, b] = case.poses();
        case.query().at_with(a, b, &mut used)?;
        case.query().intersection_volume_with(a, b, &mut used)?;
    }
    let case = pool::pair(task)?;
    let [a, b] = case.poses();
    let fresh = case.query().at(a, b)?;
    let again = case.query().at_with(a, b, &mut used)?;
    let twice = case.query().at_with(a, b, &mut used)?;
    let contacts = case.contacts(&mut used)?;
    let verdict = contacts.first().map_or_else(Verdict::default, Verdict::of);
    Ok(verdict.check(fresh != again, "used", || "used buffers change the answer".to_owned()).check(
        again != twice,
        "twice",
        || "the second answer differs from the first".to_owned(),
    ))
}
