//! Thin plates that stand in a body: the body must be free after the reported translation.

use impinge::query::QueryScratch;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::bodies::{any, block};
use super::case::{Body, Case, Contact, joint_translation};
use super::solid::Solid;
use super::verdict::Verdict;
use super::{Task, between};

pub const VARIANTS: [&str; 5] = ["1:50", "1:100", "1:200", "1:500", "1:2000"];
/// Length of a plate or a rod over its thickness, for each variant.
pub const RATIOS: [f64; 5] = [50.0, 100.0, 200.0, 500.0, 2000.0];
/// Length that a translation has to spare, in sizes of the family.
const SPARE: f64 = 1e-6;
/// Placements tried for one case.
const TRIES: usize = 200;

/// Judges a plate in a body.
pub fn judge(task: &mut Task) -> anyhow::Result<Verdict> {
    let random = &mut task.random;
    let width = between(random, 0.5, 1.0);
    let plate = block([1.0, width, 1.0 / RATIOS[task.variant]]).refined_by_chance(random, 3_000);
    let case = standing(&plate, task)?;
    verdict(&case)
}

/// Places a solid that is long along x so that its end is at least 0.3 deep in a random body.
pub fn standing(long: &Solid, task: &mut Task) -> anyhow::Result<Case> {
    let random = &mut task.random;
    let body = any(random)?;
    for _ in 0..TRIES {
        let turns: [UnitQuaternion<f64>; 2] = [random.rotation(), random.rotation()];
        let lean = random.direction() * (0.3 * random.unit());
        let direction = (turns[1] * Vector3::x() + lean).normalize();
        let start = random.direction() * (0.3 * random.unit()) - direction * 2.5;
        let poses = [
            Isometry3::from_parts(Translation3::identity(), turns[0]),
            Isometry3::from_parts(Translation3::from(start), turns[1]),
        ];
        let bodies = [Body::Solid(body.clone()), Body::Solid(long.clone())];
        let mut case = Case::new(bodies, poses, task.settings, random)?;
        if case.push(&direction, 3.0, between(random, 0.3, 0.8))? {
            return Ok(case);
        }
    }
    anyhow::bail!("no placement of {TRIES} touches")
}

/// Judges whether the second body is free after the reported translation, and whether the depth
/// stays within a factor of two when A and B are exchanged.
pub fn verdict(case: &Case) -> anyhow::Result<Verdict> {
    let scratch = &mut QueryScratch::default();
    let contacts = case.contacts(scratch)?;
    let exchanged = case.exchange()?.contacts(scratch)?;
    let (Some(deepest), Some(other)) = (contacts.first(), exchanged.first()) else {
        return Ok(Verdict::default().with("none", "bodies that touch have no manifold".to_owned()));
    };
    let by_one = deepest.normal * (1.01 * deepest.depth + SPARE);
    let freed = !case.touches(&by_one, scratch)? || joint_frees(case, &contacts, scratch)?;
    let verdict = Verdict { depth: deepest.depth, normal: deepest.normal, ..Verdict::default() };
    let quotient = deepest.depth / other.depth;
    Ok(verdict
        .check(!freed, "held", || {
            format!("the bodies touch after the translation of {} manifolds", contacts.len())
        })
        .check(!(0.5..=2.0).contains(&quotient), "exchanged", || {
            format!("exchanged, the depth is {:.6}", other.depth)
        }))
}

/// Tests whether the shortest translation that satisfies all manifolds frees the bodies.
fn joint_frees(case: &Case, contacts: &[Contact], scratch: &mut QueryScratch) -> anyhow::Result<bool> {
    match joint_translation(contacts, SPARE) {
        Some(translation) => Ok(!case.touches(&translation, scratch)?),
        None => Ok(false),
    }
}
