//! What is said of pairs whose truth is known, by a world on the CPU and by one whose device samples the contacts.

mod placed;
mod scene;
pub mod table;

use anyhow::{Context, ensure};
use impinge::gpu_narrow::{AdapterChoice, choose};
use impinge::prelude::*;
use impinge_geometry::PairFrame;
use impinge_oracle::{Pair, common_volume};
use rayon::prelude::*;
use serde::Serialize;

use crate::contacts::quality::{Judge, hints};
use crate::row::Origin;
use placed::Claim;
use scene::Known;

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    /// Part of the adapter's name; `None` for any: rows say what it is.
    pub adapter: Option<&'a str>,
    pub threads: usize,
    /// Random pairs that overlap, and as many that are apart by a hair.
    pub random_pairs: usize,
}

/// One world about one pair.
#[derive(Clone, Debug, Serialize)]
pub struct ParityRow {
    pub suite: &'static str,
    pub scene: &'static str,
    pub case: String,
    pub who: &'static str,
    /// Whether the bodies touch, and whether the world says so.
    pub touches: bool,
    pub touching: bool,
    pub manifolds: usize,
    /// The greatest depth over the least translation that frees the pair.
    pub depth_ratio: Option<f64>,
    /// How far B must move along the deepest normal to be free, over the same.
    pub separation_ratio: Option<f64>,
    /// Points whose normal pushes B into A.
    pub backward: usize,
    /// The manifolds' volumes over the volume that the bodies share; `None` where that is nothing.
    pub volume_ratio: Option<f64>,
    /// The device that sampled the contacts; empty on the CPU.
    pub adapter: String,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// Who is asked, on which backend.
const WHO: [(&str, Backend, Parity); 2] =
    [("cpu", Backend::Cpu, Parity::Bits), ("meaning", Backend::Gpu, Parity::Meaning)];

/// What the worlds say of all pairs, and how many touching ones the device answered.
pub struct Answers {
    pub rows: Vec<ParityRow>,
    pub asked: u64,
    pub made: u64,
}

/// Asks both worlds about all chosen pairs in a step each.
pub fn run(choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<Answers> {
    let adapter = choice.adapter.map_or(AdapterChoice::Any, |name| AdapterChoice::Named(name.to_owned()));
    let adapter = choose(&adapter).context("the suite needs an adapter")?;
    let known = scene::known(choice.scene, choice.random_pairs)?;
    let mut said = Vec::new();
    let (mut asked, mut made) = (0, 0);
    for (_, backend, parity) in WHO {
        let builder = World::builder().backend(backend).adapter(&adapter.name).threads(choice.threads);
        let (claims, counts) = placed::ask(builder.parity(parity).build()?, &known)?;
        ensure!(counts.gpu_over_capacity == 0, "the device had no room for all pairs");
        (asked, made) = (counts.gpu_touching, counts.gpu_manifolds);
        said.push(claims);
    }
    ensure!(asked > 0, "no pair was asked of the device");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let rows = pool.install(|| {
        let judge = |(k, known): (usize, &Known)| {
            judge(known, [&said[0][k], &said[1][k]], [String::new(), adapter.name.clone()], origin)
        };
        known.par_iter().enumerate().flat_map_iter(judge).collect()
    });
    Ok(Answers { rows, asked, made })
}

/// A row of each world about a pair.
fn judge(known: &Known, claims: [&Claim; 2], adapters: [String; 2], origin: &Origin) -> Vec<ParityRow> {
    let meshes = [known.meshes[0].as_ref(), known.meshes[1].as_ref()];
    let frame = PairFrame::new(&known.poses[0], &known.poses[1]);
    let touches = Pair::new(meshes, &frame).touching();
    let volume = if touches { common_volume(meshes, &frame) } else { 0.0 };
    let judge = touches.then(|| {
        let hints: Vec<_> = claims.iter().flat_map(|claim| hints(&claim.points)).collect();
        Judge::new(meshes, known.poses, &hints)
    });
    let row = |((claim, adapter), (who, ..)): ((&Claim, String), (&'static str, Backend, Parity))| {
        let quality = judge.as_ref().map(|judge| judge.judge(&claim.points)).unwrap_or_default();
        ParityRow {
            suite: "parity",
            scene: known.scene,
            case: known.name.clone(),
            who,
            touches,
            touching: claim.touching,
            manifolds: claim.manifolds,
            depth_ratio: quality.depth_ratio,
            separation_ratio: quality.separation_ratio,
            backward: quality.backward,
            volume_ratio: (volume > 0.0).then(|| claim.volume / volume),
            adapter,
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    claims.into_iter().zip(adapters).zip(WHO).map(row).collect()
}

#[cfg(test)]
mod tests;
