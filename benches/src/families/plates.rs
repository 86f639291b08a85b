//! Thin plates that stand in a body: the body must be free after the reported translation.

use anyhow::Result;
use impinge::query::QueryScratch;
use impinge_oracle::{Search, least_translation};
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
/// A translation is long that is this many times the least one found.
const LONG: f64 = 1.5;
/// Placements tried for one case.
const TRIES: usize = 200;

/// Judges a plate in a body.
pub fn judge(task: &mut Task) -> Result<Verdict> {
    let random = &mut task.random;
    let width = between(random, 0.5, 1.0);
    let plate = block([1.0, width, 1.0 / RATIOS[task.variant]]).refined_by_chance(random, 3_000);
    let case = standing(&plate, task)?;
    verdict(&case)
}

/// Places a solid that is long along x so that its end is at least 0.3 deep in a random body.
pub fn standing(long: &Solid, task: &mut Task) -> Result<Case> {
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
        if case.push(&direction, between(random, 0.3, 0.8))? {
            return Ok(case);
        }
    }
    anyhow::bail!("no placement of {TRIES} touches")
}

/// Judges whether the second body is free after the reported translation, and whether the depth
/// stays within a factor of two when A and B are exchanged.
pub fn verdict(case: &Case) -> Result<Verdict> {
    let scratch = &mut QueryScratch::default();
    let contacts = case.contacts(scratch)?;
    let exchanged = case.exchange()?.contacts(scratch)?;
    let (Some(deepest), Some(other)) = (contacts.first(), exchanged.first()) else {
        return Ok(Verdict::without_manifold());
    };
    let translation = freeing(case, &contacts, scratch)?;
    let least = least(case, &contacts, scratch)?;
    let ratio = translation.map(|length| length / least.min(length));
    let quotient = deepest.depth / other.depth;
    Ok(Verdict { ratio, ..Verdict::of(deepest) }
        .check(translation.is_none(), "held", || {
            let number = contacts.len();
            format!("{number} manifolds do not free the bodies, a translation of {least:.6} does")
        })
        .check(!(0.5..=2.0).contains(&quotient), "exchanged", || {
            format!("exchanged, the depth is {:.6}", other.depth)
        })
        .remark(ratio.is_some_and(|ratio| ratio > LONG), "long", || {
            format!("a translation of {least:.6} frees the bodies")
        }))
}

/// Returns the length of the translation that the manifolds ask for, if it frees the bodies: the
/// deepest one's, or else the shortest that satisfies all.
fn freeing(case: &Case, contacts: &[Contact], scratch: &mut QueryScratch) -> Result<Option<f64>> {
    let by_one = contacts[0].normal * (1.01 * contacts[0].depth + SPARE);
    for translation in [Some(by_one), joint_translation(contacts, SPARE)].into_iter().flatten() {
        if !case.touches(&translation, scratch)? {
            return Ok(Some(translation.norm()));
        }
    }
    Ok(None)
}

/// Returns the least translation that a coarse search finds.
fn least(case: &Case, contacts: &[Contact], scratch: &mut QueryScratch) -> Result<f64> {
    let hints: Vec<Vector3<f64>> = contacts.iter().map(|c| c.normal).collect();
    let search = Search { directions: 100, cones: 8, halvings: 12, ..Search::default() };
    let found = least_translation(&hints, 4.0, &search, |translation| {
        case.touches(translation, scratch).map(|touching| !touching)
    })?;
    Ok(found.distance)
}
