//! The broad phase suite: boxes in, pairs out, all contenders step by step in turn.

use std::time::Instant;

use cpu_time::ThreadTime;

use anyhow::{Context, bail};

use crate::boxes::{BoxScene, Boxes, SCENES};
use crate::peers::{self, Contender, brute_force};
use crate::row::{self, Origin, Row};

/// What to run.
pub struct Choice<'a> {
    pub scene: Option<&'a str>,
    pub who: &'a [String],
    pub threads: usize,
    pub steps: usize,
    pub warm_up: usize,
}

/// Runs the chosen scenes and hands each row to `out`.
pub fn run(choice: &Choice<'_>, origin: &Origin, out: &mut impl FnMut(&Row)) -> anyhow::Result<Vec<Row>> {
    let scenes: Vec<&BoxScene> =
        SCENES.iter().filter(|scene| choice.scene.is_none_or(|name| name == scene.name)).collect();
    if scenes.is_empty() {
        let names: Vec<_> = SCENES.iter().map(|scene| scene.name).collect();
        bail!("no such scene; there are {}", names.join(", "));
    }
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

fn run_scene(scene: &BoxScene, choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<Vec<Row>> {
    let mut boxes = Boxes::new(scene);
    let names: Vec<&str> = match choice.who {
        [] => peers::names(),
        who => who.iter().map(String::as_str).collect(),
    };
    let mut contenders = names
        .iter()
        .map(|name| peers::make(name, &boxes).with_context(|| format!("no contender {name} in this build")))
        .collect::<anyhow::Result<Vec<Box<dyn Contender>>>>()?;
    let mut times = vec![Vec::with_capacity(choice.steps); contenders.len()];
    let mut cpu = vec![0.0; contenders.len()];
    for step in 0..choice.warm_up + choice.steps {
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
                cpu[k] += cpu_start.elapsed().as_secs_f64() * 1e6;
            }
        }
    }
    check(scene, &boxes, &contenders)?;
    let row = |contender: &dyn Contender, times: &[f64], cpu: f64| {
        let [mean_us, median_us, p99_us, max_us] = row::summary(times);
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
            cpu_us: if choice.threads == 1 { cpu / times.len() as f64 } else { 0.0 },
            work: pairs.len(),
            memory: contender.memory(),
            hash: row::hash(pairs.iter().flat_map(|pair| [pair.a, pair.b])),
            commit: origin.commit.clone(),
            date: origin.date,
            machine: origin.machine.clone(),
        }
    };
    let measured = contenders.iter().zip(&times).zip(&cpu);
    Ok(measured.map(|((contender, times), cpu)| row(contender.as_ref(), times, *cpu)).collect())
}

/// Every list must hold the exact pairs at the end.
fn check(scene: &BoxScene, boxes: &Boxes, contenders: &[Box<dyn Contender>]) -> anyhow::Result<()> {
    let exact = brute_force(boxes);
    for contender in contenders {
        if let Some(pairs) = contender.pairs() {
            let missing = exact.iter().filter(|pair| pairs.binary_search(pair).is_err()).count();
            if missing > 0 {
                bail!("{} misses {missing} of {} pairs in {}", contender.who(), exact.len(), scene.name);
            }
        }
    }
    Ok(())
}
