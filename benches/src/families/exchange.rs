//! Random closed pairs asked as (A, B) and as (B, A): the deepest manifold must be the same.

use impinge::query::QueryScratch;

use super::verdict::Verdict;
use super::{Task, pool};

/// Greatest relative difference of depths, and greatest angle between normals (degrees).
const DIFFERENCE: f64 = 0.01;
const ANGLE: f64 = 2.0;

/// Judges a pair both ways.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let case = pool::pair(task)?;
    let scratch = &mut QueryScratch::default();
    let contacts = case.contacts(scratch)?;
    let exchanged = case.exchange()?.contacts(scratch)?;
    let (Some(deepest), Some(other)) = (contacts.first(), exchanged.first()) else {
        return Ok(Verdict::without_manifold());
    };
    let ratio = deepest.depth / other.depth;
    let angle = deepest.normal.angle(&other.normal).to_degrees();
    let verdict = Verdict { ratio: Some(ratio), ..Verdict::of(deepest) };
    Ok(verdict
        .check((ratio - 1.0).abs() > DIFFERENCE, "depth", || {
            format!("exchanged, the depth is {:.6}", other.depth)
        })
        .check(angle > ANGLE, "normal", || format!("the exchanged normal is {angle:.1}° off")))
}
