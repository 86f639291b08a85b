//! Benchmarks: `cargo run --release -p impinge-benches -- SUITE`.
//!
//! All who stand in a scene are run step by step in turn in one process, so that the machine's
//! moods fall on all alike; compare ratios within a run.

mod boxes;
mod broadphase;
mod peers;
mod row;

use clap::{Parser, ValueEnum};

use row::{Origin, Row};

/// Measures impinge beside its peers.
#[derive(Parser)]
struct Arguments {
    /// What to measure.
    suite: Suite,
    /// Only this scene.
    #[arg(long)]
    scene: Option<String>,
    /// Only these contenders, with commas between.
    #[arg(long, value_delimiter = ',')]
    who: Vec<String>,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Steps measured.
    #[arg(long, default_value_t = 60)]
    steps: usize,
    /// Steps before those.
    #[arg(long, default_value_t = 10)]
    warm_up: usize,
    /// Print one line of JSON per row.
    #[arg(long)]
    json: bool,
    /// Add the rows to benches/results.
    #[arg(long)]
    keep: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    /// Moving boxes in, pairs out.
    Broadphase,
}

fn print(row: &Row, json: bool) {
    if json {
        println!("{}", serde_json::to_string(row).expect("a row is plain data"));
    } else {
        println!(
            "{:14} {:14} {} thread(s)  mean {:10.1}  median {:10.1}  p99 {:10.1}  max {:10.1}  cpu {:10.1} us  {:>9} pairs  {:6.1} MiB  {}",
            row.scene,
            row.who,
            row.threads,
            row.mean_us,
            row.median_us,
            row.p99_us,
            row.max_us,
            row.cpu_us,
            row.work,
            row.memory as f64 / (1 << 20) as f64,
            row.hash
        );
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let origin = Origin::find();
    let mut out = |row: &Row| print(row, arguments.json);
    let rows = match arguments.suite {
        Suite::Broadphase => {
            let choice = broadphase::Choice {
                scene: arguments.scene.as_deref(),
                who: &arguments.who,
                threads: arguments.threads.max(1),
                steps: arguments.steps.max(1),
                warm_up: arguments.warm_up,
            };
            broadphase::run(&choice, &origin, &mut out)?
        }
    };
    if arguments.keep {
        row::keep(&rows, "broadphase")?;
    }
    Ok(())
}
