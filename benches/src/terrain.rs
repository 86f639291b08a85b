//! A terrain of half a million triangles under many bodies: contacts by height maps beside the exact method.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use cpu_time::ProcessTime;
use impinge::prelude::*;
use impinge::{ColliderId, NarrowMethod};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::mesh::{Blob, Gear, Terrain, Torus};
use impinge_scenes::random::Random;
use serde::Serialize;

use crate::row::{Origin, summary};

/// What to run.
pub struct Choice<'a> {
    pub bodies: usize,
    pub steps: usize,
    /// Only these, if any.
    pub who: &'a [String],
    /// Part of the device's name; `None` for any.
    pub adapter: Option<&'a str>,
}

/// Cells along an edge of the terrain: 2 · 500² triangles.
const CELLS: u32 = 500;

/// Half an edge (m), and how thick the ground is (m).
const HALF: f64 = 25.0;
const THICKNESS: f32 = 2.0;

const DT: f64 = 1.0 / 60.0;

/// Methods, and whether a device samples their views.
const WHO: [(&str, NarrowMethod, bool); 4] = [
    ("exact", NarrowMethod::Exact, false),
    ("height-map", NarrowMethod::HeightMap, false),
    ("exact-device", NarrowMethod::Exact, true),
    ("height-map-device", NarrowMethod::HeightMap, true),
];

/// One method.
#[derive(Clone, Debug, Serialize)]
pub struct TerrainRow {
    pub suite: &'static str,
    pub method: &'static str,
    /// The device; empty on the CPU.
    pub adapter: String,
    pub bodies: usize,
    pub steps: usize,
    /// Time of a step on the processor, narrow phase to contacts (us), by the workers' clocks.
    pub mean_us: f64,
    pub median_us: f64,
    pub p99_us: f64,
    /// Of that, for a touching pair.
    pub us_per_pair: f64,
    /// Time of a step on the processor, solver included (us).
    pub step_us: f64,
    /// Depths of manifolds over the last third of the steps (mm): median, and most.
    pub depth_median_mm: f64,
    pub depth_max_mm: f64,
    /// Over the same steps: part of the points that have no key of the step before, and the mean turn of a pair's deepest normal
    /// from step to step (degrees).
    pub new_points: f64,
    pub normal_turn: f64,
    /// Touching pairs that height maps answered, and those that they did not do for.
    pub height_maps: u64,
    pub past_height_maps: u64,
    /// Of the touching pairs that a device was asked for, the part that needed no view on the CPU; `None` on the CPU.
    pub device_share: Option<f64>,
    /// Bodies that are below the ground at the end.
    pub lost: usize,
    pub commit: String,
    pub date: u64,
    pub machine: String,
}

/// A pair's points and deepest normal.
type Seen = BTreeMap<[ColliderId; 2], (Vec<u64>, f64, Vector3<f64>)>;

/// Runs the chosen methods: without a choice those on the CPU.
pub fn run(choice: &Choice<'_>, origin: &Origin) -> anyhow::Result<Vec<TerrainRow>> {
    if let Some(unknown) = choice.who.iter().find(|name| WHO.iter().all(|(own, ..)| own != name)) {
        bail!("no method {unknown}; there are {}", WHO.map(|(name, ..)| name).join(", "));
    }
    let chosen = |(name, _, device): &&(&'static str, NarrowMethod, bool)| match choice.who {
        [] => !device,
        who => who.iter().any(|own| own == name),
    };
    WHO.iter().filter(chosen).map(|who| run_method(choice, *who, origin)).collect()
}

/// The terrain with bodies above it.
fn scene(choice: &Choice<'_>, method: NarrowMethod, device: bool) -> anyhow::Result<Simulator> {
    let bodies = choice.bodies;
    let builder = World::builder().threads(1);
    let world = match (device, choice.adapter) {
        (false, _) => builder.backend(Backend::Cpu),
        (true, None) => builder.backend(Backend::Gpu).parity(Parity::Meaning),
        (true, Some(name)) => builder.backend(Backend::Gpu).parity(Parity::Meaning).adapter(name),
    };
    let world = world.build()?;
    let mut simulator =
        Simulator::new(world, SimulatorSettings { sleeping: false, ..SimulatorSettings::default() })?;
    let ground = Terrain { half: HALF, relief: 1.0, cells: CELLS, ..Terrain::default() };
    let ground = ground.mesh()?.one_sided(THICKNESS, Vector3::z())?;
    let ground = simulator.world_mut().add_shape(ground)?;
    simulator.add_body(BodyDesc { density: None, ..BodyDesc::new(ground) })?;
    let fixed: Vec<ColliderId> = simulator.world().colliders().collect();
    for id in fixed {
        simulator.world_mut().set_narrow_method(id, method)?;
    }
    let meshes = [Torus::default().mesh()?, Gear::default().mesh()?, Blob::default().mesh()?];
    let mut shapes = Vec::new();
    for mesh in meshes {
        shapes.push(simulator.world_mut().add_shape(mesh)?);
    }
    let mut random = Random::new(1);
    let side = (bodies as f64).sqrt().ceil() as usize;
    for k in 0..bodies {
        let place = |n: usize| 1.6 * (n as f64 - 0.5 * side as f64);
        let turn = Vector3::from_fn(|_, _| 6.3 * random.unit());
        let pose = Isometry3::from_parts(
            Translation3::new(place(k % side), place(k / side), 2.0),
            UnitQuaternion::from_euler_angles(turn.x, turn.y, turn.z),
        );
        simulator.add_body(BodyDesc { density: Some(1000.0), ..BodyDesc::new(shapes[k % 3]).pose(pose) })?;
    }
    Ok(simulator)
}

fn run_method(
    choice: &Choice<'_>,
    (name, method, device): (&'static str, NarrowMethod, bool),
    origin: &Origin,
) -> anyhow::Result<TerrainRow> {
    let mut simulator = scene(choice, method, device)?;
    let (mut times, mut depths, mut last) = (Vec::new(), Vec::new(), Seen::new());
    let (mut fresh, mut points, mut turn, mut turns) = (0usize, 0usize, 0.0, 0usize);
    let (mut touching, mut maps, mut past) = (0, 0, 0);
    let (mut asked, mut made) = (0, 0);
    let started = ProcessTime::now();
    for step in 0..choice.steps {
        let report = simulator.step(DT)?;
        let detected = &report.report;
        let time = detected.times.midphase + detected.times.narrow + detected.times.contacts;
        times.push(time.as_secs_f64() * 1e6);
        touching += detected.counts.touching;
        maps += detected.counts.height_maps;
        past += detected.counts.past_height_maps;
        asked += detected.counts.gpu_touching;
        made += detected.counts.gpu_manifolds;
        let seen = seen(simulator.world());
        if 3 * step >= 2 * choice.steps {
            depths.extend(simulator.world().manifolds().iter().map(|m| m.depth * 1e3));
            for (pair, (keys, _, normal)) in &seen {
                let Some((before, _, old)) = last.get(pair) else { continue };
                points += keys.len();
                fresh += keys.iter().filter(|key| !before.contains(key)).count();
                turn += normal.dot(old).clamp(-1.0, 1.0).acos().to_degrees();
                turns += 1;
            }
        }
        last = seen;
    }
    let step_us = started.elapsed().as_secs_f64() * 1e6 / choice.steps as f64;
    depths.sort_by(f64::total_cmp);
    let [mean_us, median_us, p99_us, _] = summary(&times);
    let lost = simulator.world().colliders().filter(|&id| {
        simulator.world().collider(id).is_ok_and(|view| !view.fixed && view.pose.translation.z < -2.0)
    });
    Ok(TerrainRow {
        suite: "terrain",
        method: name,
        adapter: simulator.world().adapter().unwrap_or_default(),
        bodies: choice.bodies,
        steps: choice.steps,
        mean_us,
        median_us,
        p99_us,
        us_per_pair: times.iter().sum::<f64>() / touching.max(1) as f64,
        step_us,
        depth_median_mm: *depths.get(depths.len() / 2).context("nothing touches in the last steps")?,
        depth_max_mm: *depths.last().context("nothing touches")?,
        new_points: fresh as f64 / points.max(1) as f64,
        normal_turn: turn / turns.max(1) as f64,
        height_maps: maps,
        past_height_maps: past,
        device_share: (asked > 0).then(|| made as f64 / asked as f64),
        lost: lost.count(),
        commit: origin.commit.clone(),
        date: origin.date,
        machine: origin.machine.clone(),
    })
}

fn seen(world: &World) -> Seen {
    let mut seen = Seen::new();
    for manifold in world.manifolds() {
        let (keys, depth, normal) = seen
            .entry(manifold.colliders)
            .or_insert_with(|| (Vec::new(), f64::NEG_INFINITY, Vector3::zeros()));
        keys.extend(manifold.points.iter().map(|point| point.key));
        if manifold.depth > *depth {
            (*depth, *normal) = (manifold.depth, manifold.normal);
        }
    }
    seen
}

/// One line for people.
pub fn print(row: &TerrainRow) {
    println!(
        "{:17} {} bodies, {} steps: contacts {:.0} us a step (median {:.0}, p99 {:.0}), {:.1} us a touching pair; whole step {:.0} us; depths {:.3} mm median, {:.2} most; {:.2} % new points, normals turn by {:.4} degrees a step; {} by height maps, {} not; {}{} lost",
        row.method,
        row.bodies,
        row.steps,
        row.mean_us,
        row.median_us,
        row.p99_us,
        row.us_per_pair,
        row.step_us,
        row.depth_median_mm,
        row.depth_max_mm,
        100.0 * row.new_points,
        row.normal_turn,
        row.height_maps,
        row.past_height_maps,
        row.device_share
            .map_or_else(String::new, |share| format!("{:.1} % without a view on the CPU; ", 100.0 * share)),
        row.lost
    );
}
