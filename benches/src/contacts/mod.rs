//! The contact suite: what contenders say about overlapping meshes, against the truth.

pub mod claim;
pub mod overlap;
pub mod quality;
pub mod resolution;
pub mod scene;
pub mod verdict;

use rayon::prelude::*;
use serde::Serialize;

use crate::row::Origin;
use claim::Who;
use quality::{Judge, Quality, hints};
use scene::{Case, Kind};

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub threads: usize,
    pub random_pairs: usize,
}

/// One contender in one case.
#[derive(Clone, Debug, Serialize)]
pub struct ContactRow {
    pub suite: &'static str,
    pub scene: &'static str,
    pub case: String,
    pub who: &'static str,
    /// The least translation that frees the pair (m).
    pub true_depth: f64,
    #[serde(flatten)]
    pub quality: Quality,
    pub commit: String,
    /// Seconds since 1970.
    pub date: u64,
    pub machine: String,
    #[serde(skip)]
    pub kind: Kind,
}

/// Runs the chosen cases and hands each row to `out`, in the order of the cases.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut impl FnMut(&ContactRow),
) -> anyhow::Result<Vec<ContactRow>> {
    for name in choice.who {
        if !Who::ALL.iter().any(|who| who.name() == name) {
            let names: Vec<_> = Who::ALL.iter().map(|who| who.name()).collect();
            anyhow::bail!("no contender {name} in this build; there are {}", names.join(", "));
        }
    }
    let cases = scene::cases(choice.scene, choice.random_pairs)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let mut rows = Vec::new();
    for some in cases.chunks(8) {
        let found: Vec<_> =
            pool.install(|| some.par_iter().map(|case| judge(case, choice, origin)).collect());
        found.iter().flatten().for_each(&mut *out);
        rows.extend(found.into_iter().flatten());
    }
    Ok(rows)
}

fn judge(case: &Case, choice: &Choice<'_>, origin: &Origin) -> Vec<ContactRow> {
    let asked = |who: &&Who| choice.who.is_empty() || choice.who.iter().any(|name| name == who.name());
    let claims: Vec<_> = Who::ALL
        .iter()
        .filter(asked)
        .map(|who| (*who, who.prepare(&case.meshes).contacts(&case.poses[0], &case.poses[1])))
        .collect();
    // Whoever knows a short separating translation may say so.
    let hints: Vec<_> = claims.iter().flat_map(|(_, contacts)| hints(contacts)).collect();
    let judge = Judge::new([&case.meshes[0], &case.meshes[1]], case.poses, &hints);
    let row = |(who, contacts): &(Who, Vec<claim::Contact>)| ContactRow {
        suite: "contacts",
        scene: case.kind.name(),
        case: case.name.clone(),
        who: who.name(),
        true_depth: judge.truth.distance,
        quality: judge.judge(contacts),
        commit: origin.commit.clone(),
        date: origin.date,
        machine: origin.machine.clone(),
        kind: case.kind,
    };
    claims.iter().map(row).collect()
}

/// One line.
pub fn print(row: &ContactRow) {
    let Quality { points, depth_ratio, backward, separation_ratio, left } = row.quality;
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"));
    println!(
        "{:26} true depth {:8.5}  {:18} {points:6} points  depth ratio {:>8}  {backward:5} backward  separation ratio {:>8}  left {:>8} %",
        row.case,
        row.true_depth,
        row.who,
        number(depth_ratio),
        number(separation_ratio),
        number(left),
    );
}

#[cfg(test)]
mod tests;
