//! The mesh suite: two meshes at many poses, all contenders pose by pose in turn.

pub mod measure;
pub mod poses;
pub mod scene;
pub mod table;
pub mod texts;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::mesh_peers::{self, MeshContender, Query};
use crate::row::{self, Origin, Row};
use measure::Times;

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub queries: &'a [Query],
    pub threads: usize,
    pub rounds: usize,
}

/// One measurement. `mean_us` is the mean over the poses of the best warm call.
#[derive(Clone, Debug, Serialize)]
pub struct MeshRow {
    #[serde(flatten)]
    pub row: Row,
    /// Mean over the poses of the best first call (µs).
    pub first_us: f64,
    /// Mean over all warm calls of all rounds (µs).
    pub all_us: f64,
    pub poses: usize,
    /// Poses at which the answer differs from impinge's; for distances, by more than 0.1 %.
    pub differences: Vec<usize>,
    /// Bytes held per triangle; 0 where it is not known.
    pub bytes_per_triangle: f64,
}

/// Runs the chosen scenes and hands each row to `out`.
pub fn run(
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut (impl FnMut(&MeshRow) + Send),
) -> anyhow::Result<Vec<MeshRow>> {
    let names = match choice.scene {
        Some(name) => vec![name.to_owned()],
        None => scene::names(),
    };
    run_scenes(names.iter().map(|name| scene::make(name)), choice, origin, out)
}

/// Runs some scenes and hands each row to `out`.
pub fn run_scenes(
    scenes: impl Iterator<Item = anyhow::Result<scene::MeshScene>>,
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut (impl FnMut(&MeshRow) + Send),
) -> anyhow::Result<Vec<MeshRow>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let mut rows = Vec::new();
    for scene in scenes {
        let scene = scene?;
        for row in pool.install(|| run_scene(&scene, choice, origin, out))? {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn run_scene(
    scene: &scene::MeshScene,
    choice: &Choice<'_>,
    origin: &Origin,
    out: &mut (impl FnMut(&MeshRow) + Send),
) -> anyhow::Result<Vec<MeshRow>> {
    let names: Vec<&str> = match choice.who {
        [] => mesh_peers::names(),
        who => who.iter().map(String::as_str).collect(),
    };
    let mut rows = Vec::new();
    for &query in choice.queries {
        let mut contenders = Vec::new();
        for name in &names {
            let made = mesh_peers::make(name, &scene.meshes);
            let made = made.with_context(|| {
                format!("no contender {name} in this build; there are {}", mesh_peers::names().join(", "))
            })?;
            if made.answers(query) {
                contenders.push(made);
            }
        }
        if contenders.is_empty() {
            continue;
        }
        let mut times = match (query, choice.threads) {
            (Query::Build, threads) => measure::builds(&mut contenders, threads, choice.rounds),
            (_, 1) => measure::in_turn(&mut contenders, query, &scene.placements, choice.rounds),
            _ => measure::in_parallel(&mut contenders, query, &scene.placements, choice.rounds),
        };
        for k in (0..times.len()).rev().filter(|&k| !times[k].complete()).collect::<Vec<_>>() {
            eprintln!(
                "{} {}: {} is too slow and was given up",
                scene.name,
                query.name(),
                contenders[k].who()
            );
            contenders.remove(k);
            times.remove(k);
        }
        let first = rows.len();
        for (contender, times) in contenders.iter().zip(&times) {
            rows.push(make_row(scene, query, contender.as_ref(), times, choice.threads, origin));
        }
        compare(&mut rows[first..], &times, query)?;
        rows[first..].iter().for_each(&mut *out);
    }
    Ok(rows)
}

fn make_row(
    scene: &scene::MeshScene,
    query: Query,
    contender: &dyn MeshContender,
    times: &Times,
    threads: usize,
    origin: &Origin,
) -> MeshRow {
    let [mean_us, median_us, p99_us, max_us] = row::summary(&times.best);
    let triangles: usize = scene.meshes.iter().map(|mesh| mesh.triangles().len()).sum();
    let memory = contender.memory();
    let work = match query {
        Query::Touching | Query::Pairs | Query::Contacts => times.answers.iter().sum::<f64>() as usize,
        Query::Distance | Query::Build => 0,
    };
    let hash = match query {
        Query::Build => String::new(),
        _ => row::hash(times.answers.iter().map(|&answer| (answer as f32).to_bits())),
    };
    MeshRow {
        row: Row {
            suite: "meshes",
            scene: scene.name.clone(),
            query: query.name(),
            who: contender.who().to_owned(),
            threads,
            mean_us,
            median_us,
            p99_us,
            max_us,
            cpu_us: 0.0,
            p99_cpu_us: 0.0,
            build_us: 0.0,
            worst_work: 0.0,
            work,
            memory,
            hash,
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        },
        first_us: row::summary(&times.first)[0],
        all_us: times.warm.0 / times.warm.1 as f64,
        poses: times.answers.len(),
        differences: Vec::new(),
        bytes_per_triangle: memory as f64 / triangles as f64,
    }
}

/// Notes where answers differ from impinge's, and stops where impinge differs from itself.
fn compare(rows: &mut [MeshRow], times: &[Times], query: Query) -> anyhow::Result<()> {
    let same = |x: f64, y: f64| match query {
        Query::Touching | Query::Pairs => x == y,
        Query::Distance => (x - y).abs() <= 1e-3 * y.abs().max(1e-3),
        Query::Build | Query::Contacts => true,
    };
    let Some(ours) = rows.iter().position(|row| row.row.who == "impinge") else { return Ok(()) };
    let reference = &times[ours].answers;
    for (row, times) in rows.iter_mut().zip(times) {
        let differs = |&p: &usize| !same(times.answers[p], reference[p]);
        row.differences = (0..times.answers.len()).filter(differs).collect();
        if row.row.who.starts_with("impinge") && !row.differences.is_empty() {
            bail!("{} and impinge disagree in {} at poses {:?}", row.row.who, row.row.scene, row.differences);
        }
    }
    Ok(())
}

/// One line.
pub fn print(row: &MeshRow) {
    let MeshRow { row, first_us, all_us, poses, differences, bytes_per_triangle } = row;
    let differ = match differences.len() {
        0 => String::new(),
        n => format!("  differs at {n} poses"),
    };
    println!(
        "{:22} {:9} {:14} {} thread(s)  mean {:10.2}  first {:10.2}  all {:10.2}  median {:10.2}  p99 {:10.2}  max {:10.2} us  {:>8} found at {poses} poses  {:5.1} B/triangle{differ}",
        row.scene,
        row.query,
        row.who,
        row.threads,
        row.mean_us,
        first_us,
        all_us,
        row.median_us,
        row.p99_us,
        row.max_us,
        row.work,
        bytes_per_triangle,
    );
}

#[cfg(test)]
mod tests;
