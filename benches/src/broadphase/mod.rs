//! The broad phase suite: boxes in, pairs out, all contenders step by step in turn.

pub mod threads;

use std::time::Instant;

use cpu_time::ThreadTime;

use anyhow::{Context, bail};

use crate::boxes::{BoxScene, Boxes, SCENES};
use crate::peers::{self, Contender, Truth};
use crate::row::{self, Origin, Row};

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub threads: usize,
    /// Steps measured; by the size of the scene if none are named.
    pub steps: Option<usize>,
    pub warm_up: usize,
}

impl Choice<'_> {
    /// So many that all scenes together take minutes.
    fn steps_of(&self, scene: &BoxScene) -> usize {
        let usual = match scene.count {
            0..50_000 => 60,
            50_000..500_000 => 20,
            _ => 6,
        };
        self.steps.unwrap_or(usual).max(1)
    }
}

/// Runs the chosen scenes and hands each row to `out`.
pub fn run(choice: &Choice<'_>, origin: &Origin, out: &mut impl FnMut(&Row)) -> anyhow::Result<Vec<Row>> {
    let scenes = chosen(choice.scene)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(choice.threads).build()?;
    let mut rows = Vec::new();
    for scene in scenes {
        for row in pool.install(|| run_scene(scene, choice, origin))? {
            out(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The scenes of these names, or all.
fn chosen(names: Option<&str>) -> anyhow::Result<Vec<&'static BoxScene>> {
    let scenes: Vec<&BoxScene> =
        SCENES.iter().filter(|scene| names.is_none_or(|names| named(names, scene.name))).collect();
    if scenes.is_empty() {
        let names: Vec<_> = SCENES.iter().map(|scene| scene.name).collect();
        bail!("no such scene; there are {}", names.join(", "));
    }
    Ok(scenes)
}

/// Whether a scene is one of those named, with commas between.
fn named(names: &str, scene: &str) -> bool {
    names.split(',').any(|name| name == scene)
}

fn run_scene(scene: &BoxScene, choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<Vec<Row>> {
    let mut boxes = Boxes::new(scene);
    let names: Vec<&str> = match choice.who {
        [] => peers::names(scene.count),
        who => who.iter().map(String::as_str).collect(),
    };
    let mut contenders = Vec::new();
    let mut builds = Vec::new();
    for name in names {
        let (start, cpu_start) = (Instant::now(), ThreadTime::now());
        let contender = peers::make(name, &boxes);
        let elapsed = if choice.threads == 1 { cpu_start.elapsed() } else { start.elapsed() };
        builds.push(elapsed.as_secs_f64() * 1e6);
        contenders.push(contender.with_context(|| format!("no contender {name} in this build"))?);
    }
    let steps = choice.steps_of(scene);
    let mut work = vec![Vec::with_capacity(steps); contenders.len()];
    let mut times = work.clone();
    let mut cpu = work.clone();
    for step in 0..choice.warm_up + steps {
        boxes.step();
        for turn in 0..contenders.len() {
            // Who goes first changes from step to step.
            let k = (turn + step) % contenders.len();
            let cpu_start = ThreadTime::now();
            let start = Instant::now();
            contenders[k].step(&boxes.moved);
            let time = start.elapsed().as_secs_f64() * 1e6;
            if step >= choice.warm_up {
                times[k].push(time);
                cpu[k].push(cpu_start.elapsed().as_secs_f64() * 1e6);
                work[k].push(contenders[k].work() as f64);
            }
        }
    }
    check(scene, &boxes, &contenders)?;
    let row = |k: usize| {
        let (contender, times) = (contenders[k].as_ref(), &times[k]);
        let [mean_cpu, _, p99_cpu, _] = row::summary(&cpu[k]);
        let of_one_thread = |time: f64| if choice.threads == 1 { time } else { 0.0 };
        let [mean_us, median_us, p99_us, max_us] = row::summary(times);
        let [mean_work, _, p99_work, _] = row::summary(&work[k]);
        let pairs = contender.pairs().unwrap_or_default();
        Row {
            suite: "broadphase",
            scene: scene.name.to_string(),
            query: "step",
            who: contender.who().to_string(),
            threads: choice.threads,
            mean_us,
            median_us,
            p99_us,
            max_us,
            cpu_us: of_one_thread(mean_cpu),
            p99_cpu_us: of_one_thread(p99_cpu),
            build_us: builds[k],
            worst_work: if mean_work > 0.0 { p99_work / mean_work } else { 0.0 },
            work: pairs.len(),
            memory: contender.memory(),
            hash: row::hash(pairs.iter().flat_map(|pair| [pair.a, pair.b])),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    Ok((0..contenders.len()).map(row).collect())
}

/// Whose mean each of ours is compared with.
const AGAINST: [(&str, &str); 4] = [
    ("impinge", "parry"),
    ("impinge-sse2", "parry"),
    ("impinge-fat", "parry-fat"),
    ("impinge-fat-sse2", "parry-fat"),
];

/// Our time over parry's, a line for each scene: exact boxes, then fat ones, each with all
/// instructions and with SSE2 alone. Time on the processor where one thread worked.
pub fn ratios(rows: &[Row]) -> String {
    let mut table = String::from("\nscene          ");
    AGAINST.iter().for_each(|(ours, peer)| table += &format!(" {:>26}", format!("{ours}/{peer}")));
    let mut scenes: Vec<&str> = rows.iter().map(|row| row.scene.as_str()).collect();
    scenes.dedup();
    for scene in scenes {
        let time = |who: &str| {
            let row = rows.iter().find(|row| row.scene == scene && row.who == who)?;
            Some(if row.threads == 1 { row.cpu_us } else { row.mean_us })
        };
        table += &format!("\n{scene:15}");
        for (ours, peer) in AGAINST {
            let ratio = time(ours).zip(time(peer)).map(|(ours, peer)| format!("{:.3}", ours / peer));
            table += &format!(" {:>26}", ratio.unwrap_or_default());
        }
    }
    table
}

/// Every list must hold the exact pairs at the end, and ours, where boxes are exact, nothing else; what a
/// peer misses is said and does not end the run.
fn check(scene: &BoxScene, boxes: &Boxes, contenders: &[Box<dyn Contender>]) -> anyhow::Result<()> {
    let truth = Truth::new(boxes);
    for contender in contenders {
        if let Some(pairs) = contender.pairs() {
            let [missing, wrong] = truth.faults(&pairs);
            if missing > 0 || (wrong > 0 && contender.is_exact()) {
                let (who, of) = (contender.who(), truth.pairs.len());
                let fault = format!(
                    "{who} misses {missing} of {of} pairs in {} and has {wrong} wrong ones",
                    scene.name
                );
                if who.starts_with("impinge") {
                    bail!(fault);
                }
                eprintln!("{fault}");
            }
        }
    }
    Ok(())
}
