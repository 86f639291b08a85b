//! What the impulses kept from step to step are worth: the default scene with and without them, at rising
//! numbers of substeps.
//!
//! `cargo run --release --example warm_start [BODIES [STEPS]]`

use impinge::{Material, World};
use impinge_reference::{BodyDesc, Simulator, SimulatorSettings};
use impinge_scenes::{Scene, SceneParams};

const DT: f64 = 1.0 / 60.0;

/// What a run looks like once the heap has settled: means over its last quarter.
struct Settled {
    /// Of the depth that one point in a hundred exceeds (m).
    deep: f64,
    /// Of the depths of all points (m).
    mean: f64,
    /// Of the bodies' mean speed (m/s).
    speed: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut given = std::env::args().skip(1);
    let bodies = given.next().map(|n| n.parse()).transpose()?.unwrap_or(150);
    let steps = given.next().map(|n| n.parse()).transpose()?.unwrap_or(480);
    let params = SceneParams { bodies: Some(bodies), ..SceneParams::default() };
    let scene = impinge_scenes::scene("bin", &params)?;
    println!("{bodies} bodies, {steps} steps; means over the last quarter");
    println!("| substeps | warm: 99th depth | mean depth | speed | cold: 99th depth | mean depth | speed |");
    println!("|---|---|---|---|---|---|---|");
    for substeps in [1, 2, 4, 8, 16, 32] {
        let [warm, cold] = [true, false].map(|warm_starting| {
            run(&scene, steps, SimulatorSettings { substeps, warm_starting, ..settings(&scene) })
        });
        let cells =
            |s: &Settled| format!("{:.2} mm | {:.3} mm | {:.4} m/s", 1e3 * s.deep, 1e3 * s.mean, s.speed);
        println!("| {substeps} | {} | {} |", cells(&warm?), cells(&cold?));
    }
    Ok(())
}

/// No body sleeps: a sleeper bears its load without being solved.
fn settings(scene: &Scene) -> SimulatorSettings {
    SimulatorSettings { gravity: scene.gravity, sleeping: false, ..SimulatorSettings::default() }
}

fn run(
    scene: &Scene,
    steps: u32,
    settings: SimulatorSettings,
) -> Result<Settled, Box<dyn std::error::Error>> {
    let mut simulator = Simulator::new(World::builder().build()?, settings)?;
    let shapes: Vec<_> = scene
        .shapes
        .iter()
        .map(|shape| simulator.world_mut().add_shape(shape.shape.clone()))
        .collect::<Result<_, _>>()?;
    for body in &scene.bodies {
        let material =
            Material { friction: body.friction, restitution: body.restitution, ..Material::default() };
        let desc = BodyDesc {
            density: (!body.fixed).then_some(body.density),
            material,
            ..BodyDesc::new(shapes[body.shape]).pose(body.pose)
        };
        simulator.add_body(desc)?;
    }
    let (mut settled, mut counted) = (Settled { deep: 0.0, mean: 0.0, speed: 0.0 }, 0.0);
    for step in 0..steps {
        let summary = simulator.step(DT)?;
        if step >= steps - steps / 4 {
            let points = simulator.world().manifolds().iter().flat_map(|m| &m.points);
            let mut depths: Vec<f64> = points.map(|p| p.depth).collect();
            depths.sort_by(f64::total_cmp);
            settled.deep += depths.get(depths.len() * 99 / 100).copied().unwrap_or(0.0);
            settled.mean += depths.iter().sum::<f64>() / depths.len().max(1) as f64;
            settled.speed += summary.mean_speed;
            counted += 1.0;
        }
    }
    let per = |sum: f64| sum / f64::max(counted, 1.0);
    Ok(Settled { deep: per(settled.deep), mean: per(settled.mean), speed: per(settled.speed) })
}
