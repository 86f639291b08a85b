//! Benchmarks: `cargo run --release -p impinge-benches -- SUITE`.
//!
//! All who stand in a scene are run step by step in turn in one process, so that the machine's
//! moods fall on all alike; compare ratios within a run.

mod arguments;
mod assembly;
mod bodies;
mod boxes;
mod broadphase;
mod contacts;
#[cfg(feature = "peers-cpp")]
mod cpp;
mod directions;
mod families;
mod gpu;
mod mesh_peers;
mod meshes;
mod motion;
mod parity;
mod peers;
mod placements;
mod planner;
mod report;
mod row;
mod shapes;
mod steps;
mod terrain;
mod texts;

use clap::Parser;

use arguments::{Arguments, Suite};
use mesh_peers::Query;
use row::{Origin, Row};

fn print(row: &Row, json: bool) {
    if json {
        println!("{}", serde_json::to_string(row).expect("a row is plain data"));
    } else {
        println!(
            "{:14} {:14} {} thread(s)  mean {:10.1}  median {:10.1}  p99 {:10.1}  max {:10.1}  cpu {:10.1} us, p99/mean {:.2}  build {:8.0} us  work p99/mean {:.2}  {:>9} pairs  {:6.1} MiB  {}",
            row.scene,
            row.who,
            row.threads,
            row.mean_us,
            row.median_us,
            row.p99_us,
            row.max_us,
            row.cpu_us,
            if row.cpu_us > 0.0 { row.p99_cpu_us / row.cpu_us } else { 0.0 },
            row.build_us,
            row.worst_work,
            row.work,
            row.memory as f64 / (1 << 20) as f64,
            row.hash
        );
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let origin = Origin::find();
    match arguments.suite {
        Suite::Broadphase => run_broadphase(&arguments, &origin),
        Suite::Threads => run_threads(&arguments, &origin),
        Suite::Meshes => run_meshes(&arguments, &origin),
        Suite::Contacts => run_contacts(&arguments, &origin),
        Suite::Parity => run_parity(&arguments, &origin),
        Suite::Placements => run_placements(&arguments),
        Suite::Families => run_families(&arguments),
        Suite::Planner => run_planner(&arguments, &origin),
        Suite::Motion => run_motion(&arguments, &origin),
        Suite::Bodies => run_bodies(&arguments, &origin),
        Suite::Shapes => run_shapes(&arguments, &origin),
        Suite::Assembly => run_assembly(&arguments, &origin),
        Suite::Gpu => run_gpu(&arguments, &origin),
        Suite::GpuModel => {
            let steps = arguments.steps.unwrap_or(10).max(1);
            gpu::model::run(arguments.adapter.as_deref(), steps, arguments.warm_up)
        }
        Suite::Steps => run_steps(&arguments, &origin),
        Suite::Terrain => run_terrain(&arguments, &origin),
        Suite::Growth => run_growth(&arguments, &origin),
        Suite::Texts => run_texts(&arguments, &origin),
        Suite::Directions => run_directions(&arguments, &origin),
        Suite::Report if arguments.check => report::check(),
        Suite::Report => report::write(),
    }
}

fn run_broadphase(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = broadphase::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        threads: arguments.threads.max(1),
        steps: arguments.steps,
        warm_up: arguments.warm_up,
    };
    let rows = broadphase::run(&choice, origin, &mut |row| print(row, arguments.json))?;
    if !arguments.json {
        println!("{}", broadphase::ratios(&rows));
    }
    if arguments.keep { row::keep(&rows, "broadphase") } else { Ok(()) }
}

fn run_threads(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = broadphase::Choice {
        scene: arguments.scene.as_deref(),
        who: &[],
        threads: 1,
        steps: arguments.steps,
        warm_up: arguments.warm_up,
    };
    let rows = broadphase::threads::run(&choice, origin)?;
    rows.iter().for_each(|row| print_json(row, arguments.json));
    if !arguments.json {
        print!("{}", broadphase::threads::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "threads") } else { Ok(()) }
}

fn run_meshes(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = meshes::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        queries: if arguments.query.is_empty() { &Query::ALL } else { &arguments.query },
        threads: arguments.threads.max(1),
        rounds: arguments.rounds.max(1),
    };
    let mut out = |row: &meshes::MeshRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => meshes::print(row),
    };
    let rows = meshes::run(&choice, origin, &mut out)?;
    if !arguments.json {
        println!("{}", meshes::table::ratios(&rows, &["fcl", "parry"]));
        println!("{}", meshes::texts::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "meshes") } else { Ok(()) }
}

fn run_assembly(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let Some(folder) = &arguments.assets else { anyhow::bail!("suite `assembly` needs --assets DIR") };
    let who = ["impinge", "impinge-world", "fcl", "parry"].map(str::to_owned);
    let known = mesh_peers::names();
    let who: Vec<String> = who.into_iter().filter(|name| known.contains(&name.as_str())).collect();
    let choice = meshes::Choice {
        scene: None,
        who: if arguments.who.is_empty() { &who } else { &arguments.who },
        queries: if arguments.query.is_empty() { &[Query::Contacts] } else { &arguments.query },
        threads: arguments.threads.max(1),
        rounds: arguments.rounds.max(1),
    };
    let mut out = |row: &meshes::MeshRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => meshes::print(row),
    };
    let scenes = assembly::scenes(folder)?.into_iter();
    let scenes = scenes.filter(|scene| arguments.scene.as_ref().is_none_or(|name| *name == scene.name));
    let rows = meshes::run_scenes(scenes.map(Ok), &choice, origin, &mut out)?;
    if !arguments.json {
        println!("{}", meshes::table::ratios(&rows, &["fcl", "parry"]));
    }
    if arguments.keep { row::keep(&rows, "assembly") } else { Ok(()) }
}

fn run_contacts(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = contacts::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        threads: arguments.threads.max(1),
        random_pairs: arguments.pairs,
    };
    if !arguments.resolution.is_empty() {
        let answers = contacts::resolution::run(&choice, &arguments.resolution)?;
        println!("{}", contacts::resolution::table(&answers, &arguments.resolution));
        return Ok(());
    }
    let mut out = |row: &contacts::ContactRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => contacts::print(row),
    };
    let rows = contacts::run(&choice, origin, &mut out)?;
    if !arguments.json {
        println!("{}{}\n", contacts::verdict::named(&rows), contacts::verdict::distribution(&rows));
        contacts::verdict::verdicts(&rows).iter().for_each(|line| println!("{line}"));
    }
    if arguments.keep { row::keep(&rows, "contacts") } else { Ok(()) }
}

fn run_parity(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = parity::Choice {
        scene: arguments.scene.as_deref(),
        adapter: arguments.adapter.as_deref(),
        threads: arguments.threads.max(1),
        random_pairs: arguments.pairs,
    };
    let answers = parity::run(&choice, origin)?;
    answers.rows.iter().for_each(|row| print_json(row, arguments.json));
    if !arguments.json {
        println!("{}\n{}", parity::table::truth(&answers), parity::table::differences(&answers));
    }
    if arguments.keep { row::keep(&answers.rows, "parity") } else { Ok(()) }
}

fn run_placements(arguments: &Arguments) -> anyhow::Result<()> {
    let choice = placements::Choice {
        count: arguments.count.unwrap_or(2000),
        seed: arguments.seed,
        folder: arguments.dir.as_deref(),
        linked: arguments.linked,
        threads: arguments.threads.max(1),
    };
    let all = placements::run(&choice, &mut |row| print_json(row, arguments.json))?;
    if !arguments.json {
        print!("{}", placements::table(&all, arguments.seed));
    }
    Ok(())
}

fn run_families(arguments: &Arguments) -> anyhow::Result<()> {
    let choice = families::Choice {
        only: arguments.only.as_deref(),
        count: arguments.count.unwrap_or(1000).max(1),
        seed: arguments.seed,
        resolution: arguments.resolution.first().copied().unwrap_or(32),
        case: arguments.case,
        threads: arguments.threads.max(1),
    };
    families::run(&choice, &mut |family, verdicts| {
        let rows = families::rows(family, verdicts);
        rows.iter().for_each(|row| print_json(row, arguments.json));
        if !arguments.json {
            print!("{}", families::table(&rows));
            print!("{}", families::wrong_cases(family, verdicts, arguments.show));
        }
    })
}

fn run_planner(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = planner::Choice {
        poses: arguments.count.unwrap_or(2000),
        seed: arguments.seed,
        rounds: arguments.rounds.max(1),
    };
    let rows = planner::run(&choice, origin)?;
    rows.iter().for_each(|row| print_json(row, arguments.json));
    if !arguments.json {
        print!("{}", planner::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "planner") } else { Ok(()) }
}

fn run_motion(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.queries {
        return motion::queries::run(folder, origin, &mut |row| match arguments.json {
            true => print_json(row, true),
            false => motion::queries::print(row),
        });
    }
    let choice = motion::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        rounds: arguments.rounds.max(1),
    };
    let mut out = |row: &motion::MotionRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => motion::print(row),
    };
    let rows = motion::run(&choice, origin, &mut out)?;
    if arguments.keep { row::keep(&rows, "motion") } else { Ok(()) }
}

fn run_bodies(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = bodies::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        steps: arguments.steps.unwrap_or(60).max(1),
        warm_up: arguments.warm_up,
        triangles: arguments.triangles,
        threads: arguments.threads,
    };
    let rows = bodies::run(&choice, origin, &mut |row| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => bodies::print(row),
    })?;
    if arguments.keep { row::keep(&rows, "bodies") } else { Ok(()) }
}

fn run_shapes(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = shapes::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        count: arguments.count.unwrap_or(2000).max(1),
    };
    let rows = shapes::run(&choice, origin, &mut |row| match arguments.json {
        true => print_json(row, true),
        false => shapes::print(row),
    })?;
    if arguments.keep { row::keep(&rows, "shapes") } else { Ok(()) }
}

fn run_gpu(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    if arguments.compare_model {
        let steps = arguments.steps.unwrap_or(20).max(1);
        return gpu::model::compare::run(arguments.adapter.as_deref(), steps, arguments.warm_up);
    }
    let choice = gpu::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        adapter: arguments.adapter.as_deref(),
        threads: arguments.threads.max(1),
        steps: arguments.steps.unwrap_or(60).max(1),
        warm_up: arguments.warm_up,
    };
    let mut out = |row: &gpu::GpuRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => gpu::print(row),
    };
    let rows = gpu::run(&choice, origin, &mut out)?;
    if arguments.keep { row::keep(&rows, "gpu") } else { Ok(()) }
}

fn run_terrain(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = terrain::Choice {
        bodies: arguments.bodies.unwrap_or(100).max(1),
        steps: arguments.steps.unwrap_or(180).max(3),
        who: &arguments.who,
        adapter: arguments.adapter.as_deref(),
    };
    let rows = terrain::run(&choice, origin)?;
    rows.iter().for_each(|row| match arguments.json {
        true => print_json(row, true),
        false => terrain::print(row),
    });
    if arguments.keep { row::keep(&rows, "terrain") } else { Ok(()) }
}

fn run_steps(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = steps::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        threads: arguments.threads.max(1),
        steps: arguments.steps.unwrap_or(600).max(1),
        bodies: arguments.bodies,
    };
    let rows = steps::run(&choice, origin, &mut |row| print_json(row, arguments.json))?;
    if !arguments.json {
        print!("{}", steps::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "steps") } else { Ok(()) }
}

fn run_growth(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let steps = arguments.steps.unwrap_or(240).max(2);
    let mut out = |row: &steps::GrowthRow| print_json(row, arguments.json);
    let rows = steps::growth(arguments.threads.max(1), steps, origin, &mut out)?;
    if !arguments.json {
        print!("{}", steps::growth_table(&rows));
    }
    if arguments.keep { row::keep(&rows, "growth") } else { Ok(()) }
}

fn print_json<R: serde::Serialize>(row: &R, json: bool) {
    if json {
        println!("{}", serde_json::to_string(row).expect("a row is plain data"));
    }
}

fn run_texts(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = texts::Choice {
        scene: arguments.scene.as_deref(),
        who: &arguments.who,
        threads: arguments.threads.max(1),
        rounds: arguments.rounds.max(1),
        frames: arguments.frames,
        placements: arguments.placements.unwrap_or(texts::PLACEMENTS).max(1),
        note: &arguments.note,
    };
    let mut out = |row: &texts::TextRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => texts::print(row),
    };
    let rows = texts::run(&choice, origin, &mut out)?;
    if !arguments.json {
        println!("{}", texts::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "texts") } else { Ok(()) }
}

fn run_directions(arguments: &Arguments, origin: &Origin) -> anyhow::Result<()> {
    let choice = directions::Choice {
        scene: arguments.scene.as_deref(),
        placements: arguments.placements.unwrap_or(600).max(1),
    };
    let mut out = |row: &directions::DirectionRow| match arguments.json {
        true => println!("{}", serde_json::to_string(row).expect("a row is plain data")),
        false => eprintln!("{} ({})", row.object, row.bounds),
    };
    let rows = directions::run(&choice, origin, &mut out)?;
    if !arguments.json {
        println!("{}", directions::table(&rows));
    }
    if arguments.keep { row::keep(&rows, "directions") } else { Ok(()) }
}
