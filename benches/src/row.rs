//! Rows of results: printed, and kept with commit, date and machine.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde::Serialize;

/// One measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub suite: &'static str,
    pub scene: String,
    pub query: &'static str,
    pub who: String,
    pub threads: usize,
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    pub max_us: f64,
    /// Mean time on the processor; 0 where more than one thread works.
    pub cpu_us: f64,
    /// The 99th percentile of that; 0 where it is not measured.
    pub p99_cpu_us: f64,
    /// Time to take in all boxes and find the first pairs; on the processor where one thread works.
    pub build_us: f64,
    /// The 99th percentile of the work counters of a step over their mean; 0 where there are none.
    pub worst_work: f64,
    /// Pairs or contacts found.
    pub work: usize,
    pub memory: usize,
    pub hash: String,
    pub commit: String,
    /// Seconds since 1970.
    pub date: u64,
    pub machine: String,
}

/// Mean, median, 99th percentile and maximum of some times (µs).
pub fn summary(times: &[f64]) -> [f64; 4] {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |part: f64| sorted.get(((sorted.len() as f64 * part) as usize).min(sorted.len() - 1)).copied();
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    [mean, at(0.5).unwrap_or(0.0), at(0.99).unwrap_or(0.0), sorted.last().copied().unwrap_or(0.0)]
}

/// A hash of numbers (Fowler, Noll, Vo, FNV-1a, 64 bits).
pub fn hash(numbers: impl IntoIterator<Item = u32>) -> String {
    let hash = numbers
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub struct Origin {
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

impl Origin {
    /// The commit checked out, the time, and the processor.
    pub fn find() -> Origin {
        let commit = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output();
        let commit = commit.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string());
        let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Origin {
            commit: commit.unwrap_or_default(),
            date: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            machine: format!("{} x{cores}", model.unwrap_or("unknown").trim()),
        }
    }
}

/// Adds the rows to `benches/results/<suite>.jsonl`.
pub fn keep<R: Serialize>(rows: &[R], suite: &str) -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{suite}.jsonl"));
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    for row in rows {
        writeln!(file, "{}", serde_json::to_string(row)?)?;
    }
    Ok(())
}
