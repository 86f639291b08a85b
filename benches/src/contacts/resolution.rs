//! What the resolution of a view is worth: impinge's depth and what it leaves, at several of them.

use std::fmt::Write;

use impinge::QuerySettings;
use rayon::prelude::*;

use super::Choice;
use super::claim::{Claimant, Contact};
use super::quality::{Judge, Quality, hints};
use super::scene::{self, Case, Kind};
use super::verdict::percentile;

/// What is said of one case at each resolution.
pub struct Answers {
    kind: Kind,
    at: Vec<Quality>,
}

/// Judges the chosen cases at each of some resolutions.
pub fn run(choice: &Choice<'_>, resolutions: &[u32]) -> anyhow::Result<Vec<Answers>> {
    let settings = |resolution: u32| QuerySettings::default().resolution(resolution);
    let cases = scene::cases(choice.scene, choice.random_pairs)?;
    if let Some(case) = cases.first() {
        for &resolution in resolutions {
            Claimant::impinge(&case.meshes, settings(resolution))?;
        }
    }
    let judge = |case: &Case| -> anyhow::Result<Answers> {
        let claims: Vec<Vec<Contact>> = resolutions
            .iter()
            .map(|&resolution| {
                let mut claimant = Claimant::impinge(&case.meshes, settings(resolution))?;
                Ok(claimant.contacts(&case.poses[0], &case.poses[1]))
            })
            .collect::<anyhow::Result<_>>()?;
        let hints: Vec<_> = claims.iter().flat_map(|contacts| hints(contacts)).collect();
        let judge = Judge::new([&case.meshes[0], &case.meshes[1]], case.poses, &hints);
        Ok(Answers { kind: case.kind, at: claims.iter().map(|contacts| judge.judge(contacts)).collect() })
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    pool.install(|| cases.par_iter().map(judge).collect())
}

/// A Markdown table: for each scene and resolution the depth over the truth and what is left.
pub fn table(answers: &[Answers], resolutions: &[u32]) -> String {
    let mut text = String::from("\n| scene | cases |");
    resolutions.iter().for_each(|r| {
        let _ = write!(text, " {r}: depth ÷ true | {r}: left % |");
    });
    let _ = writeln!(text, "\n|---|---|{}", "---|---|".repeat(resolutions.len()));
    for kind in Kind::ALL {
        let of: Vec<&Answers> = answers.iter().filter(|a| a.kind == kind).collect();
        if of.is_empty() {
            continue;
        }
        let _ = write!(text, "| {} | {} |", kind.name(), of.len());
        for k in 0..resolutions.len() {
            let spread = |value: &dyn Fn(&Quality) -> Option<f64>| {
                let mut values: Vec<f64> = of.iter().filter_map(|a| value(&a.at[k])).collect();
                values.sort_by(f64::total_cmp);
                [0.05, 0.5, 0.95].map(|share| format!("{:.3}", percentile(&values, share))).join(" / ")
            };
            let _ = write!(text, " {} | {} |", spread(&|q| q.depth_ratio), spread(&|q| q.left));
        }
        text.push('\n');
    }
    text
}
