//! Public sets of vertex–face and edge–edge queries with rational truth: is any missed, and how near are false alarms?

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use impinge::query::{FeatureClearance, edge_edge, vertex_face};
use impinge_oracle::moving::{FeatureKind, RationalQuery, read_queries};
use serde::Serialize;

use crate::row::{Origin, summary};

/// The gap that may be left, as a part of a query's greatest coordinate.
const GAP: f64 = 1e-9;

/// Queries whose time is taken at once.
const CHUNK: usize = 100;

/// A file of queries.
#[derive(Clone, Debug, Serialize)]
pub struct QueryRow {
    pub suite: &'static str,
    /// The file, from the folder on.
    pub scene: String,
    pub query: &'static str,
    pub who: &'static str,
    pub questions: usize,
    /// Those that meet.
    pub meet: usize,
    /// Those of them that were said not to.
    pub missed: usize,
    /// Those that do not meet and were said to.
    pub alarms: usize,
    /// Answers at whose time the features are farther apart than the gap asked for.
    pub far: usize,
    /// The greatest of these distances, as a part of the greatest coordinate.
    pub farthest: f64,
    /// Times of a question (µs), each the mean of a chunk.
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// Answers all files below a folder whose path names `vertex-face` or `edge-edge`.
pub fn run(folder: &Path, origin: &Origin, out: &mut impl FnMut(&QueryRow)) -> anyhow::Result<()> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort_by(|p, q| p.0.cmp(&q.0));
    anyhow::ensure!(
        !files.is_empty(),
        "{}: no .csv file with `vertex-face` or `edge-edge` in its path",
        folder.display()
    );
    for (path, kind) in files {
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        let queries = read_queries(BufReader::new(file)).with_context(|| path.display().to_string())?;
        let scene = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        out(&answer(scene, kind, &queries, origin)?);
    }
    Ok(())
}

fn gather(folder: &Path, files: &mut Vec<(PathBuf, FeatureKind)>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "csv") {
            let name = path.to_string_lossy();
            let kinds = [("vertex-face", FeatureKind::VertexFace), ("edge-edge", FeatureKind::EdgeEdge)];
            let kind = kinds.iter().find(|(part, _)| name.contains(part)).map(|&(_, kind)| kind);
            files.extend(kind.map(|kind| (path, kind)));
        }
    }
    Ok(())
}

fn answer(
    scene: String,
    kind: FeatureKind,
    queries: &[RationalQuery],
    origin: &Origin,
) -> anyhow::Result<QueryRow> {
    let asked: Vec<_> = queries
        .iter()
        .map(|query| {
            let [from, to] = query.nearest();
            let size = from.iter().chain(&to).fold(f64::MIN_POSITIVE, |most, p| most.max(p.coords.amax()));
            (from, to, size, FeatureClearance { separation: 0.0, gap: GAP * size })
        })
        .collect();
    let (mut found, mut times) = (Vec::with_capacity(asked.len()), Vec::new());
    for chunk in asked.chunks(CHUNK) {
        let start = Instant::now();
        for (from, to, _, clearance) in chunk {
            let meeting = match kind {
                FeatureKind::VertexFace => vertex_face(from, to, clearance),
                FeatureKind::EdgeEdge => edge_edge(from, to, clearance),
            };
            found.push(black_box(meeting)?);
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / chunk.len() as f64);
    }
    let [mean_us, median_us, p99_us, _] = summary(&times);
    let both = || queries.iter().zip(&found);
    let distances = || {
        let of_both = found.iter().zip(&asked);
        of_both.filter_map(|(meeting, (_, _, size, _))| meeting.map(|meeting| meeting.distance / size))
    };
    Ok(QueryRow {
        suite: "motion",
        scene,
        query: match kind {
            FeatureKind::VertexFace => "vertex-face",
            FeatureKind::EdgeEdge => "edge-edge",
        },
        who: "impinge",
        questions: queries.len(),
        meet: queries.iter().filter(|query| query.meets).count(),
        missed: both().filter(|(query, meeting)| query.meets && meeting.is_none()).count(),
        alarms: both().filter(|(query, meeting)| !query.meets && meeting.is_some()).count(),
        far: distances().filter(|&distance| distance > GAP * (1.0 + 1e-9)).count(),
        farthest: distances().fold(0.0, f64::max),
        mean_us,
        median_us,
        p99_us,
        commit: origin.commit.clone(),
        date: origin.date,
        machine: origin.machine.clone(),
    })
}

/// One row in words.
pub fn print(row: &QueryRow) {
    println!(
        "{:40} {:12} {:7} queries, {:6} meet: {} missed, {} false alarms, {} answers farther than the gap (at most {:.1e} of the size); median {:.3}  mean {:.3}  p99 {:.3} us",
        row.scene,
        row.query,
        row.questions,
        row.meet,
        row.missed,
        row.alarms,
        row.far,
        row.farthest,
        row.median_us,
        row.mean_us,
        row.p99_us
    );
}
