//! Steps that a device and the workers share, as a Chrome trace: the passes of the device by its own timestamps and the spans of the
//! workers on one axis. Says how much of the device's time the workers had work.
//!
//! `cargo run --release --example overlap [-- BACKEND [FILE]]` (default: `gpu`, `out/overlap.json`; `hybrid` divides the pairs)

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use impinge::gpu_narrow::{AdapterChoice, choose};
use impinge::prelude::*;
use impinge_scenes::mesh::Torus;
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// Pairs of a step, and bodies of a row.
const PAIRS: usize = 1000;
const LONGEST: usize = 126;

/// What ran on which row of the trace, and when.
struct Bar {
    row: String,
    name: &'static str,
    span: [Instant; 2],
}

/// Collects the spans of the threads.
#[derive(Clone, Default)]
struct Bars(Arc<Mutex<Vec<Bar>>>);

/// When a span was first entered.
struct Entered(Instant);

impl<S: tracing::Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Bars {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let wanted = ["impinge::step", "broadphase", "midphase", "narrow", "contacts"];
        if let Some(span) = context.span(id).filter(|_| wanted.contains(&attributes.metadata().name())) {
            span.extensions_mut().insert(Entered(Instant::now()));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(Entered(begin)) = span.extensions_mut().remove() else { return };
        let row = std::thread::current().name().unwrap_or("thread").to_owned();
        let bar = Bar { row, name: span.name(), span: [begin, Instant::now()] };
        if let Ok(mut bars) = self.0.lock() {
            bars.push(bar);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let backend: Backend = arguments.next().as_deref().unwrap_or("gpu").parse()?;
    let file = arguments.next().map_or_else(|| PathBuf::from("out/overlap.json"), PathBuf::from);
    let bars = Bars::default();
    tracing_subscriber::registry().with(bars.clone()).init();
    let start = Instant::now();

    // A device that is software has to be named.
    let adapter = choose(&AdapterChoice::Any)?;
    let builder = World::builder().backend(backend).parity(Parity::Meaning).adapter(&adapter.name);
    let mut world = builder.build()?;
    let ring = world.add_shape(Torus { around: 24, across: 10, ..Torus::default() }.mesh()?)?;
    let bodies = PAIRS + PAIRS.div_ceil(LONGEST - 1);
    let ids = (0..bodies).map(|_| world.add_collider(Collider::new(ring))).collect::<Result<Vec<_>, _>>()?;
    println!("{}", world.adapter().unwrap_or_default());
    for step in 0..6 {
        for (k, &id) in ids.iter().enumerate() {
            let turn = UnitQuaternion::from_euler_angles(0.1 * k as f64, 0.01 * f64::from(step), 0.0);
            let at = Translation3::new(0.76 * (k % LONGEST) as f64, 2.0 * (k / LONGEST) as f64, 0.0);
            world.set_pose(id, Isometry3::from_parts(at, turn))?;
        }
        let seen = bars.0.lock().map_or(0, |bars| bars.len());
        let report = world.step();
        let passes = world.gpu_pass_spans();
        let mut all = bars.0.lock().map_err(|_| "a thread panicked")?;
        let work =
            || all[seen..].iter().filter(|bar| bar.name != "impinge::step" && bar.name != "broadphase");
        let device: Vec<[Instant; 2]> = passes.iter().map(|pass| [pass.begin, pass.end]).collect();
        let (busy, both) = overlap(&device, work().map(|bar| bar.span));
        println!(
            "step {step}: {} pairs, {} on the device in {} submissions; its passes take {:.1} ms, for {:.1} ms of which ({:.0} %) workers had work",
            report.counts.pairs,
            report.counts.gpu_jobs,
            report.counts.gpu_submissions,
            busy.as_secs_f64() * 1e3,
            both.as_secs_f64() * 1e3,
            100.0 * both.as_secs_f64() / busy.as_secs_f64().max(1e-9)
        );
        let of_device = passes.iter().map(|pass| Bar {
            row: "device".to_owned(),
            name: pass.pass,
            span: [pass.begin, pass.end],
        });
        all.extend(of_device);
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let bars = bars.0.lock().map_err(|_| "a thread panicked")?;
    std::fs::write(&file, trace(&bars, start)?)?;
    println!("{}: {} spans", file.display(), bars.len());
    Ok(())
}

/// For how long the device had work, and for how much of that so had a worker.
fn overlap(device: &[[Instant; 2]], workers: impl Iterator<Item = [Instant; 2]>) -> (Duration, Duration) {
    let mut ends: Vec<(Instant, usize, i32)> = Vec::new();
    let mut add = |side: usize, [begin, end]: [Instant; 2]| ends.extend([(begin, side, 1), (end, side, -1)]);
    device.iter().for_each(|span| add(0, *span));
    workers.for_each(|span| add(1, span));
    ends.sort();
    let (mut open, mut busy, mut both) = ([0; 2], Duration::ZERO, Duration::ZERO);
    for (k, &(at, side, change)) in ends.iter().enumerate() {
        if k > 0 && open[0] > 0 {
            let time = at - ends[k - 1].0;
            busy += time;
            both += if open[1] > 0 { time } else { Duration::ZERO };
        }
        open[side] += change;
    }
    (busy, both)
}

/// The trace: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, as `chrome://tracing` and
/// <https://ui.perfetto.dev> read it.
fn trace(bars: &[Bar], start: Instant) -> Result<String, std::fmt::Error> {
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    bars.iter().for_each(|bar| _ = rows.insert(&bar.row, 0));
    rows.values_mut().enumerate().for_each(|(k, row)| *row = k);
    let mut text = String::from("[\n");
    for (name, row) in &rows {
        writeln!(
            text,
            r#"{{"ph":"M","name":"thread_name","pid":1,"tid":{row},"args":{{"name":"{name}"}}}},"#
        )?;
    }
    for (k, bar) in bars.iter().enumerate() {
        let [begin, end] = bar.span.map(|at| at.saturating_duration_since(start).as_secs_f64() * 1e6);
        let (row, comma) = (rows[bar.row.as_str()], if k + 1 < bars.len() { "," } else { "" });
        writeln!(
            text,
            r#"{{"ph":"X","name":"{}","pid":1,"tid":{row},"ts":{begin:.3},"dur":{:.3}}}{comma}"#,
            bar.name,
            end - begin
        )?;
    }
    text.push_str("]\n");
    Ok(text)
}
